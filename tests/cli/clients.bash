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

# Each run of a client is a process, so shrink repeats as few of its steps as explore.
test_shrink_runs_clients_as_rarely_as_explore() {
  local explored
  worker counted <<'END'
os.write(os.open(os.environ["RUNS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND), b".")
if r.set("lock.foo", "1", nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
else:
    mark("NEVER", "too late")
END
  export RUNS=$PWD/runs
  explore 1 -- "$python" counted.py
  explored=$(wc -c <runs)
  expect 1 interlock shrink command:12 -- "$python" counted.py
  [ $(($(wc -c <runs) - explored)) -lt $((4 * explored)) ] ||
    fail "$explored runs for explore, $(wc -c <runs) with shrink"
}

test_a_ci_is_told_of_a_command_by_its_file() {
  get_del
  explore 1 --instants 4 --property owner-only -f sarif -o log.sarif -- "$python" get_del.py
  "$sources/tests/cli/reports/check_sarif" log.sarif >wrong || fail "$(cat wrong)"
  says log.sarif '"uri": "get_del.py"'
  says log.sarif '"ruleId": "owner-only"'
  new_folder
  expect 64 interlock explore -f gtest -- "$python" get_del.py
  says err "-f gtest is for scenarios in C++"
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
  explore 2 --bitstate 1M -- "$python" chance.py
  grep -q 'states, .* from [0-9]* client runs, seed 1' out || fail "no client runs"
}

test_a_game_prints_the_line_that_repeats_its_run() {
  redis_py
  printf '1\nlink\nquit\n' >moves
  new_folder
  "$program" play --instants 5 -- "$python" redis_py.py <moves >out 2>err
  says out "-- $python redis_py.py"
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

run_tests
