# The manual of Redis, SETNX, "Design pattern: Locking with SETNX": one attempt.
import os
import time
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])


def end():
    return time.time() + 0.5 + 1


def acquire():
    mine = end()
    if client.setnx("lock.foo", mine):
        return mine
    there = client.get("lock.foo")
    if there is not None and float(there) < time.time():
        mine = end()
        if float(client.getset("lock.foo", mine) or 0) < time.time():
            return mine
    return None


mine = acquire()
if mine:
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    if time.time() < mine:
        client.delete("lock.foo")
