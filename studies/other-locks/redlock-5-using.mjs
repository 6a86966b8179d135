// redlock 5.0.0-beta.2 on one server, with ioredis 5: `using`, which extends the lock by itself.
import Redis from 'ioredis';
import Redlock from 'redlock-5';

const redis = new Redis(process.env.REDIS_URL, { enableReadyCheck: false });
const report = what => redis.call('INTERLOCK', what, 'lock.foo');

const redlock = new Redlock([redis], { retryCount: 0 });
await redlock.using(['lock.foo'], 1500, { automaticExtensionThreshold: 500 }, async () => {
  await report('ENTER');
  await new Promise(done => setTimeout(done, 1000));
  await report('LEAVE');
}).catch(() => {});
redis.disconnect();
