// redlock 5.0.0-beta.2 on one server, with ioredis 5: a holder that extends its lock.
import Redis from 'ioredis';
import Redlock from 'redlock-5';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
const report = what => redis.call('INTERLOCK', what, 'lock.foo');

const redlock = new Redlock([redis], { retryCount: 0 });
let lock = await redlock.acquire(['lock.foo'], 1500).catch(() => null);
if (lock) {
  await report('ENTER');
  lock = await lock.extend(1500).catch(() => lock);
  await report('LEAVE');
  await lock.release().catch(() => {});
}
redis.disconnect();
