// Semaphore of redis-semaphore 5.8.0 for one client at a time, with ioredis 5: one attempt.
import Redis from 'ioredis';
import { Semaphore } from 'redis-semaphore';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
const report = what => redis.call('INTERLOCK', what, 'semaphore:foo');

const semaphore = new Semaphore(redis, 'foo', 1, {
  lockTimeout: 1500,
  acquireAttemptsLimit: 1,
  refreshInterval: 0,
});
if (await semaphore.tryAcquire()) {
  await report('ENTER');
  await report('LEAVE');
  await semaphore.release();
}
redis.disconnect();
