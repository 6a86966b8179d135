# Programs of other languages as clients: interlock explore -- COMMAND.
source "$(dirname "$0")/workers.bash"

test_redis_pys_lock_lets_a_client_that_is_paused_past_its_lease_in() {
  redis_py
  explore 1 --instants 5 -- "$python" redis_py.py
  says out "command · 5 steps · VIOLATION"
  says out "replay  interlock replay command,instants=5:1ttt2 -- $python redis_py.py"
  says out "reached  entered lock.foo"
}

test_a_resource_that_gets_no_tokens_cannot_tell_the_second_writer_from_a_stale_one() {
  redis_py
  explore 1 --instants 5 --property fenced-writes -f short -- "$python" redis_py.py
  says out ":111122 --"
}

test_redis_pys_lock_is_released_by_its_owner_alone() {
  redis_py
  explore 0 --instants 5 --property owner-only -- "$python" redis_py.py
  says out "no run breaks it"
}

test_a_run_of_a_command_is_replayed_and_shrunk() {
  redis_py
  new_folder
  expect 1 interlock replay command,instants=5:1ttt2 -- "$python" redis_py.py
  says out "2 HOLDERS"
  expect 1 interlock shrink command,instants=5:1ttt2 -f short -- "$python" redis_py.py
  says out "command,instants=4:1ttt2 --"
  expect 64 interlock replay command:1ttt2
  says err "behind --"
  nothing_left
}

test_setnx_then_expire_leaves_an_orphan_when_its_client_crashes() {
  setnx_expire
  explore 1 --faults crash --property no-orphan -f short -- "$python" setnx_expire.py
  says out ":1x12 --"
}

test_get_then_del_removes_the_lock_of_another() {
  get_del
  explore 1 --instants 4 --property owner-only -f short -- "$python" get_del.py
  says out ":111tt21 --"
}

test_compare_and_delete_is_proved_under_faults() {
  worker good <<'END'
token = uuid.uuid4().hex
if r.set("lock.foo", token, nx=True, px=1000):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    r.eval(CAD, 1, "lock.foo", token)
END
  explore 0 --clients 3 --instants 4 --faults 1/crash,lost-reply --property owner-only -- "$python" good.py
  says out "3 identical clients"
  explore 0 --clients 3 -- "$python" good.py
}

test_a_semaphore_on_a_sorted_set_with_client_clocks() {
  worker semaphore <<'END'
token = uuid.uuid4().hex
now = time.time()
pipe = r.pipeline(transaction=True)
pipe.zremrangebyscore("sem", "-inf", now - 2)
pipe.zadd("sem", {token: now})
pipe.zrank("sem", token)
if pipe.execute()[2] < 1:
    mark("ENTER", "sem")
    mark("LEAVE", "sem")
r.zrem("sem", token)
END
  explore 1 --instants 4 -- "$python" semaphore.py
  says out "told apart"
}

test_watch_and_multi_keep_a_release_to_its_owner() {
  worker watch <<'END'
token = uuid.uuid4().hex
if r.set("lock.foo", token, nx=True, px=1000):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    with r.pipeline() as pipe:
        try:
            pipe.watch("lock.foo")
            if pipe.get("lock.foo") == token.encode():
                pipe.multi()
                pipe.delete("lock.foo")
                pipe.execute()
        except redis.WatchError:
            pass
END
  explore 0 --instants 4 --property owner-only -- "$python" watch.py
}

test_a_client_that_never_enters_proves_nothing() {
  worker never <<'END'
r.set("lock.foo", "1", nx=True)
END
  explore 64 -- "$python" never.py
  says out "invalid"
  says out "INTERLOCK ENTER"
  explore 64 --property owner-only -- "$python" never.py
  says err "invalid: no client has reported that it entered a lock"
}

test_what_is_not_modelled_ends_the_search_by_its_name() {
  worker unknown <<'END'
r.bitcount("k")
END
  explore 2 -- "$python" unknown.py
  says err "the command BITCOUNT is not modelled"
  lines err 1
}

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

test_clients_that_misbehave_end_the_search_with_one_line() {
  local name
  worker threads <<'END'
import threading
threading.Thread(target=print).start()
END
  worker forks <<'END'
os.fork()
END
  worker dies <<'END'
raise ValueError("oh")
END
  worker silent <<'END'
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True: pass
END
  worker floods <<'END'
while True: print("x" * 1000)
END
  worker connects <<'END'
all = [redis.Redis.from_url(os.environ["REDIS_URL"]) for _ in range(100)]
for one in all: one.ping()
END
  worker pings <<'END'
while True: r.ping()
END
  echo 'this is (no Python' >broken.py
  for name in threads forks dies silent floods connects pings broken; do
    explore 2 --patience 2 -- "$python" $name.py
    lines err 1
    says err "not decided: "
  done
}

# A lock whose time is in its value: a client reads its clock three times, which makes many states.
clock_lock() {
  worker clock_lock <<'END'
now = time.time()
ok = r.setnx("lock.foo", now + 2)
if not ok:
    held = r.get("lock.foo")
    if held and float(held) < time.time():
        held = r.getset("lock.foo", time.time() + 2)
        ok = held is not None and float(held) < time.time()
if ok:
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
}

test_a_limit_that_ends_a_search_is_named_and_leaves_what_was_found() {
  local seconds code
  local -a large=(--instants 9 --clients 3 --property owner-only -- "$python" clock_lock.py)
  clock_lock
  explore 2 --seconds 3 "${large[@]}"
  says out "time limit (3 s) reached"
  says out "states"
  explore 2 --seconds 3 --json "${large[@]}"
  equal "$(field verdict <"$dir/out")" incomplete
  "$python" -m json.tool <"$dir/out" >/dev/null || fail "no JSON"
  new_folder
  equal "$(interrupted default explore "${large[@]}")" 2
  grep -q interrupted "$dir/out" "$dir/err" || fail "it does not say that it was interrupted"
  # The limit may come while the run that was found is told.
  for seconds in 1 2; do
    code=0
    interlock explore --seconds $seconds --instants 6 --clients 3 -- "$python" clock_lock.py \
      >"$dir/out" 2>"$dir/err" || code=$?
    [ "$code" = 1 ] || [ "$code" = 2 ] || fail "the exit code is $code"
  done
  nothing_left
}

# Nothing of Python runs here: the fork server is asked for a client, and is stopped.
test_a_search_that_waits_for_a_client_to_start_can_be_ended() {
  local signal code pid server
  clock_lock
  for signal in INT none; do
    code=0
    new_folder
    local -a limit=(--patience 500)
    [ $signal = INT ] || limit+=(--seconds 3)
    # The shell's jobs in the background ignore SIGINT otherwise.
    env --default-signal=INT "$program" explore "${limit[@]}" --instants 9 --clients 3 \
      --property owner-only -- "$python" "$dir/clock_lock.py" >"$dir/out" 2>"$dir/err" &
    pid=$!
    until_true pgrep -P "$pid" -f python.py
    server=$(pgrep -P "$pid" -f python.py)
    kill -STOP "$server"
    [ $signal = none ] || { until_true waits_in_poll "$pid" && kill "-$signal" "$pid"; }
    wait "$pid" || code=$?
    equal "$code" 2
    grep -qE "interrupted|time limit" "$dir/out" "$dir/err" || fail "it does not say what ended it"
    nothing_left
  done
}
# A kernel that does not tell says 0.
waits_in_poll() { grep -qE "poll|^0$" "/proc/$1/wchan"; }

test_patience_that_ends_a_search_leaves_what_was_found() {
  worker waits <<'END'
if r.set("lock.foo", "1", nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
else:
    while True: pass
END
  explore 2 --patience 2 --json -- "$python" waits.py
  equal "$(field verdict <"$dir/out")" incomplete
  says out "asked for nothing for 2 s"
  explore 2 --seconds 2 --patience 500 -- "$python" waits.py
  says out "time limit (2 s) reached"
}

# ended_by SIGNAL: the program's folder and processes are gone soon after it.
ended_by() {
  local pid
  new_folder
  "$program" explore --instants 9 --clients 3 --property owner-only -- "$python" \
    "$dir/clock_lock.py" >out 2>err &
  pid=$!
  until_true compgen -G "$TMPDIR/interlock-*"
  sleep 0.5
  kill "-$1" "$pid"
  wait "$pid" 2>/dev/null
  until_true nothing_is_left
}
nothing_is_left() { ! compgen -G "$TMPDIR/interlock-*" && ! clients_left; }

test_a_signal_that_ends_the_program_leaves_no_folder() {
  local signal
  clock_lock
  for signal in TERM HUP KILL; do ended_by $signal; done
}

test_a_proof_names_what_it_rests_on() {
  worker tokens <<'END'
token = uuid.uuid4()
assert isinstance(token, uuid.UUID) and str(token) == token.hex and token != token.hex
if r.set("lock.foo", token.hex, nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    r.eval(CAD, 1, "lock.foo", str(token))
END
  explore 0 -- "$python" tokens.py
  says out "trusts  the order of hashes is the same in all clients"
  says out "trusts  what is drawn and read while a client's modules are loaded is the same in all clients"
  says out "trusts  the tokens that clients draw all differ, whatever their length, and clients use them whole, or their first 8 characters or more"
  says out "2 identical clients"
  worker bytes <<'END'
token = uuid.uuid4()
assert len(token.bytes) == 16 and token == uuid.UUID(bytes=token.bytes) and token.version == 4
if r.set("lock.foo", token.bytes, nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
  explore 0 --property mutual-exclusion -- "$python" bytes.py
  says out "told apart"
  worker chance <<'END'
import random
if r.set("lock.foo", random.randrange(2), nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
  explore 0 -- "$python" chance.py
  says out "trusts  random bytes: only one draw for each client was searched"
  explore 2 --random 20 -- "$python" chance.py
  says out "trusts  random bytes: only one draw for each client was searched"
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

test_a_command_that_fails_at_once_is_named_with_its_reason() {
  explore 2 -- false
  says err "exit code 1"
}

test_a_game_prints_the_line_that_repeats_its_run() {
  redis_py
  printf '1\nlink\nquit\n' >moves
  new_folder
  "$program" play --instants 5 -- "$python" redis_py.py <moves >out 2>err
  says out "-- $python redis_py.py"
}

test_a_process_that_a_client_leaves_behind_is_ended() {
  worker leaves <<END
import subprocess
subprocess.Popen(["env", "-i", "setsid", "sleep", "1000.$$"], start_new_session=True)
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
END
  explore 1 -- "$python" leaves.py
  ! pgrep -xf "sleep 1000.$$" >/dev/null || fail "it runs on"
}

test_what_is_left_behind_is_found() {
  new_folder
  nothing_left
  REDIS_SOCKET=$TMPDIR/interlock-a/1/redis sleep 100 &
  until_true clients_left
  ! (nothing_left) >/dev/null || fail "a process was not found"
  kill $!
  wait $! 2>/dev/null
  mkdir "$TMPDIR/interlock-abcdef"
  ! (nothing_left) >/dev/null || fail "a folder was not found"
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

# in_a_race NAME: a client that gets the lock enters it, as each does that is alone; the body from
# standard input is what a client does that comes too late.
in_a_race() {
  {
    echo 'if r.set("lock.foo", uuid.uuid4().hex, nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
else:'
    sed 's/^/    /'
  } | worker "$1"
}

test_what_is_reported_in_a_race_alone_counts() {
  local shown
  in_a_race never <<'END'
mark("NEVER", "too late")
END
  explore 1 -- "$python" never.py
  says out "too late"
  shown=$(sed -n 's/.*replay  interlock replay \(command:[^ ]*\) .*/\1/p' "$dir/out")
  [ -n "$shown" ] || fail "no run is shown"
  expect 1 interlock replay "$shown" -- "$python" never.py
  says out "too late"
  expect 1 interlock shrink "$shown" -f short -- "$python" never.py
  equal "$(cat "$dir/out")" "$shown -- $python never.py"
  explore 1 --random 50 -- "$python" never.py
  new_folder
  printf '1\n1\n1\n1\n1\nquit\n' >moves
  "$program" play -- "$python" never.py <moves >out 2>err
  says out "too late"
  explore 0 --property mutual-exclusion -- "$python" never.py
  in_a_race reach <<'END'
mark("REACH", "too late")
END
  explore 0 -- "$python" reach.py
  says out "reached  too late"
  in_a_race second_lock <<'END'
mark("ENTER", "lock.bar")
mark("LEAVE", "lock.bar")
END
  explore 0 -- "$python" second_lock.py
  says out "reached  entered lock.bar"
  explore 1 --clients 3 -- "$python" second_lock.py
  says out "hold lock.bar"
}

test_a_property_of_what_is_reported_in_a_race_alone_can_be_asked_for() {
  in_a_race writes <<'END'
mark("WRITE", "database", "7")
mark("WRITE", "database", "6")
END
  explore 1 --clients 3 --property fenced-writes -- "$python" writes.py
  in_a_race wants <<'END'
mark("WANTS", "lock.foo")
if r.get("lock.foo"):
    while True: time.sleep(1)
END
  explore 2 --property every-waiter-acquires -- "$python" wants.py
  says out "waits for lock.foo"
  in_a_race nothing <<'END'
pass
END
  explore 64 --property fenced-writes -- "$python" nothing.py
  says err "has no such property"
}

# alone NAME: a client that uses one connection, as `r`; its body comes from standard input.
alone() {
  {
    echo 'r = redis.Redis(unix_socket_path=os.environ["REDIS_SOCKET"], single_connection_client=True)
send = r.connection.send_command
reply = r.connection.read_response'
    cat
  } | worker "$1"
}

test_a_client_that_ends_by_a_signal_has_failed() {
  worker killed <<'END'
if r.set("lock.foo", "1", nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    os.kill(os.getpid(), 9)
END
  explore 0 -- "$python" killed.py
  says out "client runs ended with an error"
  sed 's/os.kill.*/os._exit(3)/' killed.py >exits.py
  explore 0 -- "$python" exits.py
  says out "client runs ended with an error"
  sed 's/os.kill.*/os._exit(0)/' killed.py >ends_well.py
  explore 0 -- "$python" ends_well.py
  ! grep -q "ended with an error" "$dir/out" || fail "os._exit(0) is taken for a failure"
  echo 'import os
os.kill(os.getpid(), 9)' >at_once.py
  explore 2 -- "$python" at_once.py
  says err "a client ended with signal 9 before its first request"
}

test_what_a_connection_cannot_be_asked_is_named() {
  alone id <<<'r.client_id()'
  explore 2 -- "$python" id.py
  says err "CLIENT ID is not modelled: let the client take INTERLOCK TOKEN"
  alone marks <<'END'
send("MULTI"); reply()
send("INTERLOCK", "ENTER", "lock.foo"); reply()
END
  explore 2 -- "$python" marks.py
  says err "INTERLOCK ENTER is not modelled inside MULTI"
  alone pings <<'END'
send("MULTI"); reply()
send("PING"); reply()
END
  explore 2 -- "$python" pings.py
  says err "the command PING is not modelled inside MULTI"
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

test_quit_closes_a_connection() {
  local before
  for before in "" 'send("MULTI"); reply()'; do
    alone quits <<END
$before
send("QUIT")
assert reply() == b"OK"
try:
    send("PING")
    reply()
except redis.ConnectionError:
    mark("ENTER", "lock.foo")
END
    explore 1 -- "$python" quits.py
  done
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

# As client libraries do: an answer that does not come within 10 s is an error. Whether the client
# waits or goes on must not depend on which was faster, the answer or the client.
test_a_limit_for_an_answer_does_not_run_out_while_the_answer_is_on_its_way() {
  command -v node >/dev/null || { echo "skipped: no node" && return; }
  cat >limited.cjs <<'END'
const link = require('node:net').connect(process.env.REDIS_PORT, process.env.REDIS_HOST);
const ask = (...words) => new Promise((done, fail) => {
  const limit = setTimeout(() => fail(new Error('no answer')), 10000);
  link.once('data', data => { clearTimeout(limit); done(data.toString()); });
  link.write(`*${words.length}\r\n` + words.map(word => `$${word.length}\r\n${word}\r\n`).join(''));
});
link.once('connect', async () => {
  await ask('CLIENT', 'SETNAME', 'worker');
  await ask('INFO');
  if ((await ask('SET', 'lock.foo', 'me', 'NX', 'PX', '9000')).startsWith('+OK')) {
    await ask('INTERLOCK', 'ENTER', 'lock.foo');
    await ask('INTERLOCK', 'LEAVE', 'lock.foo');
    await ask('DEL', 'lock.foo');
  }
  link.end();
});
END
  explore 0 --instants 2 --property owner-only -- node limited.cjs
}

test_what_later_versions_of_redis_have_is_an_error_as_in_7_0() {
  worker later <<'END'
try:
    r.execute_command("CLIENT", "MAINT_NOTIFICATIONS", "ON")
except redis.ResponseError as error:
    if str(error) == "unknown subcommand 'MAINT_NOTIFICATIONS'. Try CLIENT HELP.":
        mark("ENTER", "lock.foo")
        r.execute_command("CLIENT", sys.argv[1])
END
  explore 1 -- "$python" later.py GETNAME
  explore 2 -- "$python" later.py LIST
  says err "the command CLIENT LIST is not modelled"
}

test_control_characters_in_names_do_not_reach_the_terminal() {
  worker red <<'END'
if r.set("\x1b[31mred", "1", nx=True):
    mark("ENTER", "\x1b[31mred")
    mark("LEAVE", "\x1b[31mred")
END
  explore 0 -- "$python" red.py
  says out "31mred"
  ! grep -q $'\x1b' "$dir/out" || fail "a control character is printed"
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

# LD_PRELOAD is a list whose parts end at spaces and colons.
test_a_folder_for_temporary_files_whose_name_has_a_space_changes_nothing() {
  clock_lock
  new_folder
  local name
  for name in 'a space' 'a:colon'; do
    mkdir "$TMPDIR/$name"
    TMPDIR=$TMPDIR/$name expect 1 interlock replay command,instants=3:1tt2 -- bash -c '
      ask() { redis-cli -s "$REDIS_SOCKET" "$@"; }
      if [ "$(ask SET lock.foo me NX PX 1500)" = OK ]; then
        ask INTERLOCK ENTER lock.foo
        sleep 1000
      fi'
    says out "2 HOLDERS"
  done
}

test_a_program_that_is_not_simulated_is_refused() {
  command -v gcc >/dev/null || { echo "skipped: no gcc" && return; }
  cat >static.c <<'END'
#include <arpa/inet.h>
#include <stdlib.h>
#include <unistd.h>
int main() {
  struct sockaddr_in address = {AF_INET, htons(atoi(getenv("REDIS_PORT"))), {htonl(INADDR_LOOPBACK)}};
  int link = socket(AF_INET, SOCK_STREAM, 0);
  char answer[64];
  return connect(link, (struct sockaddr*)&address, sizeof address) != 0 ||
         write(link, "*1\r\n$4\r\nPING\r\n", 14) != 14 || read(link, answer, sizeof answer) <= 0;
}
END
  gcc -static -o static static.c
  explore 2 -- ./static
  says err "the clocks and sleeps of a client cannot be simulated"
}

test_a_sleep_without_instants_and_a_run_that_fails_are_named() {
  worker sleeper <<'END'
if not r.set("lock.foo", "me", nx=True):
    time.sleep(1)
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
sys.exit("no room")
END
  explore 0 -- "$python" sleeper.py
  says out "time stands still, so no sleep ends"
  says out "ended with an error, and would end so in the field; the last words of a client: no room"
  explore 1 --instants 2 -- "$python" sleeper.py
  explore 0 --json -- "$python" sleeper.py
  says out "would end so in the field"
  says out "no sleep ends"
  explore 2 --random 10 -- "$python" sleeper.py
  says out "no sleep ends"
}

# A thread that renews the lock would sleep by the machine's clock, and its client end before it.
test_threads_that_are_not_simulated_end_the_search_or_are_named() {
  local begin='import os, redis, threading, time
def connect(): return redis.Redis(unix_socket_path=os.environ["REDIS_SOCKET"])
def begin(what):
    thread = threading.Thread(target=what)
    thread.start()
    return thread
r = connect()'
  explore 2 -- "$python" -c "$begin
begin(lambda: time.sleep(1)).join()
r.ping()"
  says err "a client sleeps in a thread"
  explore 2 -- "$python" -c "$begin
begin(lambda: connect().ping()).join()
r.ping()"
  says err "a client asks Redis in a thread"
  explore 2 --max-states 1 -- "$python" -c "$begin
begin(print).join()
r.execute_command('INTERLOCK', 'ENTER', 'lock.foo')
r.execute_command('INTERLOCK', 'LEAVE', 'lock.foo')"
  says out "trusts  threads of a client besides its main one neither ask Redis nor wait for it"
}

test_flags_of_clients_need_a_command_and_have_limits() {
  local flags
  for flags in "--apart 1000" "--patience 5"; do
    expect 64 interlock explore $flags stamp-lock
    says err "${flags% *}"
    says err "behind --"
  done
  expect 64 interlock replay --apart 1000 stamp-lock
  for flags in "--apart 0" "--apart 1000000001" "--patience 0" "--patience 1000001"; do
    explore 64 $flags -- "$python" no-such-file.py
    says err "$flags"
    lines err 1
  done
}

test_a_shell_script_with_redis_cli_and_sleep() {
  cat >job.sh <<'END'
r() { redis-cli -s "$REDIS_SOCKET" "$@"; }
me=$(r INTERLOCK TOKEN)
[ "$(r SET lock.foo "$me" NX PX 1000)" = OK ] || exit 0
r INTERLOCK ENTER lock.foo >/dev/null
sleep "$1"
r INTERLOCK LEAVE lock.foo >/dev/null
[ "$(r GET lock.foo)" = "$me" ] && r DEL lock.foo >/dev/null
exit 0
END
  explore 1 --instants 5 --property owner-only -f short -- bash job.sh 1
  says out ":1t111t21 --"
}

test_a_file_that_takes_too_long_to_load_is_named() {
  worker slow </dev/null
  mkdir lib
  echo 'import time; time.sleep(60)' >lib/slow_module.py
  sed -i '1i import sys; sys.path.insert(0, "lib")' slow.py
  echo 'import slow_module' >>slow.py
  PYTHONPATH=lib explore 2 --patience 1 -- "$python" slow.py
  says err "it has not loaded within 1 s: raise --patience"
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
