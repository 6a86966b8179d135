# The manual of Redis, SET: SET with NX and PX, released by a script that compares. One attempt.
import os
import uuid
import redis

release = """
if redis.call("get",KEYS[1]) == ARGV[1]
then
    return redis.call("del",KEYS[1])
else
    return 0
end
"""
client = redis.Redis.from_url(os.environ["REDIS_URL"])
token = uuid.uuid4().hex
if client.set("lock.foo", token, nx=True, px=1500):
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    client.eval(release, 1, "lock.foo", token)
