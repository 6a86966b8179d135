# Lock of redis-py: a holder that extends its lock in its section.
import os
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = client.lock("lock.foo", timeout=1.5, blocking=False)
if lock.acquire():
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    lock.extend(1.5, replace_ttl=True)
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    lock.release()
