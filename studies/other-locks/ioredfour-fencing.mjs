// ioredfour 1.4.3, with ioredis 5: a holder that writes with its index. Its subscription is left out,
// because the search has no subscriptions: acquireLock does not use it.
import { EventEmitter } from 'node:events';
import Redis from 'ioredis';
import Lock from 'ioredfour';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
redis.duplicate = () => Object.assign(new EventEmitter(), { subscribe() {} });
const report = (...words) => redis.call('INTERLOCK', ...words);

const locks = new Lock({ redis, namespace: 'lock' });
const lock = await locks.acquireLock('foo', 1500);
if (lock.success) {
  await report('ENTER', 'lock:foo');
  const accepted = await report('WRITE', 'database', lock.index);
  if (!accepted && Number(await redis.hget('lock:foo', 'index')) === lock.index) {
    await report('NEVER', 'the database refuses a write of the holder');
  }
  await report('LEAVE', 'lock:foo');
  await locks.releaseLock(lock);
}
redis.disconnect();
