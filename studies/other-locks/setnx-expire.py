# SETNX, then EXPIRE, released by DEL. One attempt.
import os
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
if client.setnx("lock.foo", "locked"):
    client.expire("lock.foo", 1)
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    client.delete("lock.foo")
