// @microfleet/ioredis-lock 6.0.1, with ioredis 5: one attempt.
import Redis from 'ioredis';
import { createLock } from '@microfleet/ioredis-lock';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
const report = what => redis.call('INTERLOCK', what, 'lock.foo');

const lock = createLock(redis, { timeout: 1500, retries: 0 });
try {
  await lock.acquire('lock.foo');
  await report('ENTER');
  await report('LEAVE');
  await lock.release();
} catch {
  // Another client has the lock, or the lease is over.
}
redis.disconnect();
