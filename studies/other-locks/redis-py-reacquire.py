# Lock of redis-py: a holder that asks for its whole time limit again.
import os
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = client.lock("lock.foo", timeout=1.5, blocking=False)
if lock.acquire():
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    lock.reacquire()
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    lock.release()
