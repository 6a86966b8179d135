# SET with NX and PX, released by GET and then DEL. One attempt.
import os
import uuid
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
token = uuid.uuid4().hex
if client.set("lock.foo", token, nx=True, px=1500):
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    if client.get("lock.foo") == token.encode():
        client.delete("lock.foo")
