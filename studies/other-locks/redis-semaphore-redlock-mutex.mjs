// RedlockMutex of redis-semaphore 5.8.0, on one server, with ioredis 5: one attempt, without automatic refresh.
import Redis from 'ioredis';
import { RedlockMutex } from 'redis-semaphore';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
const report = what => redis.call('INTERLOCK', what, 'mutex:foo');

const mutex = new RedlockMutex([redis], 'foo', {
  lockTimeout: 1500,
  acquireAttemptsLimit: 1,
  refreshInterval: 0,
});
if (await mutex.tryAcquire()) {
  await report('ENTER');
  await report('LEAVE');
  await mutex.release();
}
redis.disconnect();
