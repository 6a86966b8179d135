// Mutex of redis-semaphore 5.8.0, with ioredis 5: one attempt, and a refresh each second.
import Redis from 'ioredis';
import { Mutex } from 'redis-semaphore';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
const report = what => redis.call('INTERLOCK', what, 'mutex:foo');

const mutex = new Mutex(redis, 'foo', {
  lockTimeout: 1500,
  acquireAttemptsLimit: 1,
  refreshInterval: 1000,
  onLockLost: () => {},
});
if (await mutex.tryAcquire()) {
  await report('ENTER');
  await report('LEAVE');
  await mutex.release();
}
redis.disconnect();
