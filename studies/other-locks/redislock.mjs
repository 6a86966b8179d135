// redislock 1.3.0, with node-redis 3: one attempt.
import redis from 'redis-3';
import { createLock } from 'redislock';

const client = redis.createClient(process.env.REDIS_URL, { no_ready_check: true });
client.on('error', () => {});
const report = what =>
  new Promise(done => client.send_command('INTERLOCK', [what, 'lock.foo'], done));

const lock = createLock(client, { timeout: 1500 });
try {
  await lock.acquire('lock.foo');
  await report('ENTER');
  await report('LEAVE');
  await lock.release();
} catch {
  // Another client has the lock, or the lease is over.
}
client.end(true);
