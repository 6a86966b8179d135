// node-redis-warlock 1.0.2, with node-redis 3: one attempt.
import redis from 'redis-3';
import Warlock from 'node-redis-warlock';

const client = redis.createClient(process.env.REDIS_URL, { no_ready_check: true });
client.on('error', () => {});
const report = what =>
  new Promise(done => client.send_command('INTERLOCK', [what, 'foo:lock'], done));

Warlock(client).lock('foo', 1500, async (error, unlock) => {
  if (unlock) {
    await report('ENTER');
    await report('LEAVE');
    await new Promise(done => unlock(done));
  }
  client.end(true);
});
