// @sesamecare-oss/redlock 1.4.0 on one server, with ioredis 5: one attempt.
import Redis from 'ioredis';
import { Redlock } from '@sesamecare-oss/redlock';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
const report = what => redis.call('INTERLOCK', what, 'lock.foo');

const redlock = new Redlock([redis], { retryCount: 0 });
const lock = await redlock.acquire(['lock.foo'], 1500).catch(() => null);
if (lock) {
  await report('ENTER');
  await report('LEAVE');
  await lock.release().catch(() => {});
}
redis.disconnect();
