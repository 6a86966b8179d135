// ioredfour 1.4.3, with ioredis 5: one attempt. Its subscription, which tells those that wait, is
// left out, because the search has no subscriptions: acquireLock does not use it.
import { EventEmitter } from 'node:events';
import Redis from 'ioredis';
import Lock from 'ioredfour';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
redis.duplicate = () => Object.assign(new EventEmitter(), { subscribe() {} });
const report = what => redis.call('INTERLOCK', what, 'lock:foo');

const locks = new Lock({ redis, namespace: 'lock' });
const lock = await locks.acquireLock('foo', 1500);
if (lock.success) {
  await report('ENTER');
  await report('LEAVE');
  await locks.releaseLock(lock);
}
redis.disconnect();
