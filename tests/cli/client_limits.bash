# Clients of a command that fail, misbehave or do what is not modelled, and searches that are ended:
# interlock explore -- COMMAND.
source "$(dirname "$0")/workers.bash"

test_what_is_not_modelled_ends_the_search_by_its_name() {
  worker unknown <<'END'
r.bitcount("k")
END
  explore 2 -- "$python" unknown.py
  says err "the command BITCOUNT is not modelled"
  lines err 1
}

test_clients_that_misbehave_end_the_search_with_one_line() {
  local name
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
  for name in forks dies silent floods connects pings broken; do
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
  # In which a busy machine has also to load the client.
  explore 2 --patience 10 --json -- "$python" waits.py
  equal "$(field verdict <"$dir/out")" incomplete
  says out "asked for nothing for 10 s"
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

test_a_command_that_fails_at_once_is_named_with_its_reason() {
  explore 2 -- false
  says err "exit code 1"
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

test_a_file_that_takes_too_long_to_load_is_named() {
  worker slow </dev/null
  mkdir lib
  echo 'import time; time.sleep(60)' >lib/slow_module.py
  sed -i '1i import sys; sys.path.insert(0, "lib")' slow.py
  echo 'import slow_module' >>slow.py
  PYTHONPATH=lib explore 2 --patience 1 -- "$python" slow.py
  says err "it has not loaded within 1 s: raise --patience"
}

run_tests
