# What clients of a command draw by chance, and what must be the same in each run: interlock explore
# -- COMMAND.
source "$(dirname "$0")/workers.bash"

test_a_client_that_is_not_deterministic_ends_the_search() {
  worker chance <<'END'
if r.set("lock.foo", str(os.getpid()), nx=True, px=1000):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    r.delete("lock.foo")
END
  explore 2 -- "$python" chance.py
  says err "client A is not deterministic: at step 1"
  says err "expected"
  lines err 1
}

test_tokens_that_are_too_short_are_refused() {
  local draw
  for draw in 'token_hex(4)' 'token_bytes(7)' 'token_urlsafe(1)' 'token_hex(0)'; do
    worker short <<END
import secrets
if r.set("lock.foo", secrets.$draw, nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
    explore 2 -- "$python" short.py
    says err "draws secrets.$draw"
  done
}

test_tokens_that_a_module_draws_while_it_is_loaded_are_those_of_each_client() {
  echo 'import uuid, secrets
name, other = uuid.uuid4().hex, secrets.token_hex(16)' >drawn.py
  worker module <<'END'
import drawn
if r.set("lock.foo", drawn.name, nx=True) or r.get("lock.foo").decode() == drawn.name:
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
  explore 0 -- "$python" module.py
  echo 'import uuid
try: name = uuid.uuid4()
except BaseException: name = "none"' >drawn.py
  explore 2 -- "$python" module.py
  says err "uuid.uuid4 is called while a module is loaded"
}

test_names_of_a_worker_are_not_those_of_the_adaptor() {
  worker own_names <<'END'
running = False
seeds = search = adaptor = None
def ask(*_): pass
import __main__
assert __main__.ask is ask and __file__.endswith("own_names.py") and __name__ == "__main__"
if time.time() < 1000 and r.set("lock.foo", uuid.uuid4().hex, nx=True):
    mark("ENTER", "lock.foo")
    time.sleep(1)
    mark("LEAVE", "lock.foo")
END
  explore 0 -- "$python" own_names.py
  says out "reached  entered lock.foo"
  worker no_names <<'END'
replace_clocks
END
  explore 2 -- "$python" no_names.py
  says err "NameError"
}

# A lock whose value is the id of a connection has an owner.
test_ids_of_connections_differ() {
  alone ids <<'END'
send("HELLO", "2")
said = reply()
mine = b"%d" % said[said.index(b"id") + 1]
if r.set("lock.foo", mine, nx=True) or r.get("lock.foo") == mine:
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
  explore 0 -- "$python" ids.py
  says out "told apart, because"
  says out "only one such difference was searched"
  sed 's/r.set(\(.*\), nx=True)/not r.get("lock.foo") and r.set(\1)/' ids.py >wrong_ids.py
  explore 1 -- "$python" wrong_ids.py
}

test_a_program_of_node_waits_and_draws_as_the_search_says() {
  command -v node >/dev/null || { echo "skipped: no node" && return; }
  cat >job.cjs <<'END'
const crypto = require('node:crypto');
const link = require('node:net').connect(process.env.REDIS_PORT, process.env.REDIS_HOST);
const ask = (...words) => new Promise(done => {
  link.once('data', bytes => done(bytes.toString()));
  link.write(`*${words.length}\r\n` + words.map(w => `$${Buffer.byteLength(w)}\r\n${w}\r\n`).join(''));
});
(async () => {
  const me = crypto.randomBytes(16).toString('hex');
  if (await ask('SET', 'lock.foo', me, 'NX', 'PX', '1500') === '+OK\r\n') {
    await ask('INTERLOCK', 'ENTER', 'lock.foo');
    await new Promise(done => setTimeout(done, 1000));
    await ask('INTERLOCK', 'LEAVE', 'lock.foo');
  }
  link.end();
})();
END
  new_folder
  expect 1 interlock replay command,instants=3:1tt2 -- node job.cjs
  says out "il1:B1"
  says out "2 HOLDERS"
  sed 's/randomBytes(16)/randomBytes(4)/' job.cjs >short.cjs
  explore 0 -- node short.cjs
  says out "trusts  random bytes: only one draw for each client was searched"
  sed 's/crypto.randomBytes(16).*/String(crypto.randomInt(1000000));/' job.cjs >int.cjs
  explore 2 -- node int.cjs
  says err "is not deterministic"
}

# Two members of a sorted set with the same score: the order of their names decides, and renaming
# clients does not keep it.
test_an_order_of_tokens_that_decides_ends_no_search() {
  worker ordered <<'END'
t = str(uuid.uuid4())
r.get("other")
r.zadd("queue", {t: 1})
if r.zrank("queue", t) < 1:
    mark("ENTER", "queue")
    mark("LEAVE", "queue")
r.zrem("queue", t)
END
  explore 1 --property owner-only -- "$python" ordered.py
  says out "only the owner releases or renews queue"
}

# Every token of the search begins alike, and those of the field do not.
test_a_part_of_a_token_is_the_whole_token_or_ends_the_search() {
  local part
  worker part <<'END'
t = str(uuid.uuid4())[PART]
if r.set("lock.foo", t, nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
  sed -i 's/PART/:8/' part.py
  explore 0 -- "$python" part.py
  for part in :4 -1 8: ::2; do
    sed -i "s/())\[.*\]/())[$part]/" part.py
    explore 2 -- "$python" part.py
    says err "a client takes a part of 'il1:A1', a token of the search"
  done
}

test_threads_of_node_are_refused_and_its_uptime_is_that_of_the_search() {
  command -v node >/dev/null || { echo "skipped: no node" && return; }
  cat >thread.cjs <<'END'
new (require('node:worker_threads').Worker)('1', { eval: true });
END
  explore 2 -- node thread.cjs
  says err "a client starts a thread (worker_threads), and the threads of a client are not modelled"
  cat >uptime.cjs <<'END'
const link = require('node:net').connect(process.env.REDIS_PORT, process.env.REDIS_HOST);
const send = (...words) => link.write(`*${words.length}\r\n` + words.map(w => `$${w.length}\r\n${w}\r\n`).join(''));
const before = process.uptime();
setTimeout(() => {
  send('INTERLOCK', 'ENTER', 'lock');
  send('INTERLOCK', 'NEVER', String(process.uptime() - before));
  link.end();
}, 1000);
END
  explore 1 --clients 1 --instants 3 --faults pause:0 -- node uptime.cjs
  says out "never 1"
}

test_php_gets_its_random_bytes_from_the_search() {
  php -m 2>/dev/null | grep -qx redis || return 0
  cat >draws.php <<'END'
<?php
$r = new Redis();
$r->connect('127.0.0.1', (int)getenv('REDIS_PORT'));
$token = bin2hex(random_bytes(16));
if ($r->set('lock.foo', $token, ['nx'])) {
  $r->rawCommand('INTERLOCK', 'ENTER', 'lock.foo');
  $r->rawCommand('INTERLOCK', 'LEAVE', 'lock.foo');
  $r->del('lock.foo');
}
END
  explore 0 -- php draws.php
  says out "random bytes: only one draw for each client was searched"
}

run_tests
