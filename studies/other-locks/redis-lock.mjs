// redis-lock 1.0.0, with node-redis 4: waits until it has the lock.
import { createClient } from 'redis-4';
import redisLock from 'redis-lock';

const client = createClient({ url: process.env.REDIS_URL, disableClientInfo: true });
client.on('error', () => {});
await client.connect();
const report = what => client.sendCommand(['INTERLOCK', what, 'lock.foo']);

const lock = redisLock(client, 1000);
const done = await lock('foo', 1500);
await report('ENTER');
await report('LEAVE');
await done();
await client.disconnect();
