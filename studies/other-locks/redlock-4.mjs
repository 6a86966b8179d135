// redlock 4.2.0 on one server, with node-redis 3: one attempt.
import redis from 'redis-3';
import Redlock from 'redlock';

const client = redis.createClient(process.env.REDIS_URL, { no_ready_check: true });
client.on('error', () => {});
const report = what =>
  new Promise(done => client.send_command('INTERLOCK', [what, 'lock.foo'], done));

const redlock = new Redlock([client], { retryCount: 0 });
const lock = await redlock.lock('lock.foo', 1500).catch(() => null);
if (lock) {
  await report('ENTER');
  await report('LEAVE');
  await lock.unlock().catch(() => {});
}
client.end(true);
