// simple-redis-mutex 3.0.0, with node-redis 5: one attempt. Its subscription, which tells those that
// wait, is left out, because the search has no subscriptions: tryLock does not use it.
import { createClient } from 'redis-5';
import { tryLock } from 'simple-redis-mutex';

const client = createClient({ url: process.env.REDIS_URL, disableClientInfo: true });
client.on('error', () => {});
await client.connect();
const none = () => {};
client.duplicate = () => ({ isOpen: true, on: none, connect: none, subscribe: none, unsubscribe: none, close: none });
const key = '@simple-redis-mutex:lock-foo';
const report = (what, subject) => client.sendCommand(['INTERLOCK', what, subject]);

const [acquired, release] = await tryLock(client, 'foo', { timeout: 1500 });
if (acquired) {
  await report('ENTER', key);
  await report('LEAVE', key);
  await release();
}
client.destroy();
