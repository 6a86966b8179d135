# Lock of redis-py: one attempt.
import os
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = client.lock("lock.foo", timeout=1.5, blocking=False)
if lock.acquire():
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    lock.release()
