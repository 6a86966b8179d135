# Lock of redis-py: waits until it has the lock, and asks once a second.
import os
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
with client.lock("lock.foo", timeout=1.5, sleep=1):
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
