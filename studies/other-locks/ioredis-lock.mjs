// ioredis-lock 4.0.0, with ioredis 4: one attempt.
import Redis from 'ioredis-4';
import { createLock } from 'ioredis-lock';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
const report = what => redis.call('INTERLOCK', what, 'lock.foo');

const lock = createLock(redis, { timeout: 1500 });
try {
  await lock.acquire('lock.foo');
  await report('ENTER');
  await report('LEAVE');
  await lock.release();
} catch {
  // Another client has the lock, or the lease is over.
}
redis.disconnect();
