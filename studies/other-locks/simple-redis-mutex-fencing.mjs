// simple-redis-mutex 3.0.0, with node-redis 5: a holder that writes with its fencing token. Its
// subscription is left out, because the search has no subscriptions: tryLock does not use it.
import { createClient } from 'redis-5';
import { tryLock } from 'simple-redis-mutex';

const client = createClient({ url: process.env.REDIS_URL, disableClientInfo: true });
client.on('error', () => {});
await client.connect();
const none = () => {};
client.duplicate = () => ({ isOpen: true, on: none, connect: none, subscribe: none, unsubscribe: none, close: none });
const report = (...words) => client.sendCommand(['INTERLOCK', ...words]);

const key = '@simple-redis-mutex:lock-foo';
const set = client.set.bind(client);
let mine; // what the library writes to the key
client.set = (name, value, options) => set(name, (mine = value), options);

const [acquired, release] = await tryLock(client, 'foo', { timeout: 1500 });
if (acquired) {
  await report('ENTER', key);
  const accepted = await report('WRITE', 'database', String(release.fencingToken));
  if (!accepted && (await client.get(key)) === mine) {
    await report('NEVER', 'the database refuses a write of the holder');
  }
  await report('LEAVE', key);
  await release();
}
client.destroy();
