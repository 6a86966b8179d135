# SET with NX and PX, released in a transaction that watches the key. One attempt.
import os
import uuid
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])
token = uuid.uuid4().hex
if client.set("lock.foo", token, nx=True, px=1500):
    client.execute_command("INTERLOCK", "ENTER", "lock.foo")
    client.execute_command("INTERLOCK", "LEAVE", "lock.foo")
    with client.pipeline() as transaction:
        transaction.watch("lock.foo")
        if transaction.get("lock.foo") == token.encode():
            transaction.multi()
            transaction.delete("lock.foo")
            try:
                transaction.execute()
            except redis.WatchError:
                pass
