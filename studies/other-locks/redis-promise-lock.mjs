// redis-promise-lock 1.0.4, with node-redis 4: a second attempt after a second.
import { createClient } from 'redis-4';
import { Lock } from 'redis-promise-lock';

const client = createClient({ url: process.env.REDIS_URL, disableClientInfo: true });
client.on('error', () => {});
await client.connect();
const report = what => client.sendCommand(['INTERLOCK', what, 'redis-promise-lock:foo']);

const locks = new Lock(client, { retryLimit: 1, retryDelay: 1000, ttl: 1 });
if (await locks.acquireLock('foo')) {
  await report('ENTER');
  await report('LEAVE');
  await locks.releaseLock('foo');
}
await client.disconnect();
