# The manual of Redis, SET: SET with NX and PX, released by DEL. One attempt.
import os
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
if client.set("lock.foo", "locked", nx=True, px=1500):
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    client.delete("lock.foo")
