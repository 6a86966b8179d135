# Clients of a command that wait at the server, use several servers or several connections at once:
# interlock explore -- COMMAND.
source "$(dirname "$0")/workers.bash"

# locked NAME: a client in Python that ends with a section of its own.
locked() {
  {
    cat
    echo 'if r.set("lock.foo", uuid.uuid4().hex, nx=True):'
    echo '    mark("ENTER", "lock.foo")'
    echo '    mark("LEAVE", "lock.foo")'
    echo '    r.delete("lock.foo")'
  } | worker "$1"
}

# --- commands that block -------------------------------------------------------------------------

blocking_lock() {
  worker blocking <<END
if r.setnx("made", 1):
    r.rpush("tokens", "t")
if r.blpop("tokens", timeout=${1:-0}):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    r.rpush("tokens", "t")
else:
    mark("REACH", "gave up")
END
}

test_a_lock_whose_waiters_are_blocked_is_proved() {
  blocking_lock
  explore 0 --clients 3 -- "$python" blocking.py
  says out "no run breaks it"
  says out "different clients enter lock.foo"
}

# Its connection breaks when the server is started anew, once.
test_a_server_that_restarts_ends_the_waits_at_it() {
  worker waits <<'END'
mark("ENTER", "lk")
mark("LEAVE", "lk")
try:
    r.blpop("q", 0)
except redis.exceptions.ConnectionError:
    mark("REACH", "cut off")
END
  for fault in restart restart-empty failover; do
    explore 0 --clients 1 --seconds 100 --faults "$fault" --allow-deadlock --property never -- "$python" waits.py
    says out "no run breaks it"
    says out "reached  cut off"
  done
}

test_a_limit_of_a_blocking_command_needs_time_that_passes() {
  blocking_lock 2
  explore 0 -- "$python" blocking.py
  says out "trusts  no property depends on what a client does after a sleep: time stands still"
}

test_a_client_is_blocked_no_longer_than_it_asked_for() {
  blocking_lock 2
  explore 0 --instants 4 -- "$python" blocking.py
  says out "reached  gave up"
  explore 0 --clients 3 -- "$python" blocking.py
  says_not out "reached  gave up"
}

# The one that made the list has crashed before it filled it.
test_a_client_that_is_blocked_for_ever_is_a_deadlock() {
  blocking_lock
  explore 1 --faults crash -- "$python" blocking.py
  says out "waits for ever"
  new_folder
  expect 1 interlock replay command,faults=crash:1x1222 -- "$python" blocking.py
  nothing_left
}

# The job is in no list while its client works on it; with BLMOVE it is in one all the time.
test_a_job_that_was_popped_is_in_no_list_and_one_that_was_moved_is() {
  queue() {
    locked "$1" <<END
if r.setnx("made", 0):
    r.rpush("jobs", "job")
    r.set("made", 1)
    job = $2
elif r.get("made") == b"1" and not r.exists("jobs", "working"):
    mark("REACH", "no list has the job")
END
  }
  queue popped 'r.blpop("jobs")'
  queue moved 'r.blmove("jobs", "working", 0)'
  explore 0 --faults crash -- "$python" popped.py
  says out "reached  no list has the job"
  explore 0 --faults crash -- "$python" moved.py
  says_not out "reached  no list has the job"
}

test_a_shell_is_blocked_in_the_same_states_as_a_program_in_python() {
  cat >blocking.sh <<'END'
ask() { redis-cli -s "$REDIS_SOCKET" "$@"; }
if [ "$(ask SETNX made 1)" = 1 ]; then ask RPUSH tokens t; fi
ask BLPOP tokens 0
ask INTERLOCK ENTER lock.foo
ask INTERLOCK LEAVE lock.foo
ask RPUSH tokens t
END
  blocking_lock
  local states python_states
  explore 0 -- "$python" blocking.py
  python_states=$(grep -o 'explored  [0-9]* states' "$dir/out")
  explore 0 -- bash blocking.sh
  states=$(grep -o 'explored  [0-9]* states' "$dir/out")
  [ "$states" = "$python_states" ] || fail "$states, and $python_states in Python"
}

# --- messages ------------------------------------------------------------------------------------

# waiter NAME: subscribes, and waits for a message if it could not take the lock.
waiter() {
  worker "$1" <<END
me = uuid.uuid4().hex
p = r.pubsub()
$2
while not r.set("lock.foo", me, nx=True):
    $3
    for message in p.listen():
        if message["type"] == "message":
            break
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
r.delete("lock.foo")
r.publish("released", "")
END
}

test_a_waiter_that_subscribes_after_it_has_looked_may_wait_for_ever() {
  waiter late '' 'p.subscribe("released")'
  explore 1 -- "$python" late.py
  says out "waits for ever"
  says out "7 steps"
}

# redis-py does not wait for the answer to SUBSCRIBE: what it asks next by another connection may be
# executed first.
test_a_waiter_that_does_not_wait_until_it_has_subscribed_may_wait_for_ever() {
  waiter early 'p.subscribe("released")' 'pass'
  explore 1 -- "$python" early.py
  says out "waits for ever"
}

test_a_waiter_that_has_subscribed_before_it_looks_is_woken() {
  waiter early 'p.subscribe("released"); next(p.listen())' 'pass'
  explore 0 -- "$python" early.py
  says out "no run breaks it"
}

# get_message() without a limit only looks at what has come.
test_a_client_that_does_not_wait_sees_its_messages() {
  locked looks <<'END'
p = r.pubsub()
p.subscribe("news")
r.publish("news", "x")
got = [p.get_message() for _ in range(2)]
if got[1] and got[1]["type"] == "message":
    mark("REACH", "heard")
END
  explore 0 -- "$python" looks.py
  says out "reached  heard"
}

test_a_client_waits_for_a_message_as_long_as_it_says() {
  locked patient <<'END'
p = r.pubsub()
p.subscribe("news")
p.get_message()  # that it has subscribed
if p.get_message(timeout=2.0) is None:
    mark("REACH", "heard nothing")
END
  explore 0 --instants 4 -- "$python" patient.py
  says out "reached  heard nothing"
}

# raw NAME: a client in Python over bare sockets, which ends with a section of its own. Connection()
# sends words and reads one answer.
raw() {
  {
    cat <<'END'
import socket, select
class Connection:
    def __init__(self, limit=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["REDIS_SOCKET"])
        self.socket.settimeout(limit)
        self.bytes = b""
    def send(self, *words):
        self.socket.sendall(b"*%d\r\n" % len(words) +
                            b"".join(b"$%d\r\n%s\r\n" % (len(w), w.encode()) for w in words))
    def line(self):
        while b"\r\n" not in self.bytes:
            part = self.socket.recv(4096)
            if not part: raise EOFError
            self.bytes += part
        line, self.bytes = self.bytes.split(b"\r\n", 1)
        return line.decode()
    def read(self):
        line = self.line()
        if line[0] in "*>%": return [self.read() for _ in range(int(line[1:]) * (2 if line[0] == "%" else 1))]
        return self.line() if line[0] == "$" and line != "$-1" else line
    def __call__(self, *words):
        self.send(*words)
        return self.read()
    def has_input(self):
        return bool(self.bytes or select.select([self.socket], [], [], 0)[0])
END
    cat
  } | locked "$1"
}

test_a_message_comes_before_the_answer_to_a_later_request_of_its_connection() {
  raw order <<'END'
listener, c = Connection(), Connection()
listener("SUBSCRIBE", "news")
c("PUBLISH", "news", "x")
mark("REACH", "first " + listener("UNSUBSCRIBE", "news")[0])
END
  explore 0 -- "$python" order.py
  says out "reached  first message"
  says_not out "reached  first unsubscribe"
  sed -i 's/listener("SUBSCRIBE", "news")/listener("HELLO", "3"); &/; s/listener("UNSUBSCRIBE", "news")/listener("PING")/' order.py
  explore 0 -- "$python" order.py
  says out "reached  first message"
  says_not out "reached  first P"
}

test_a_message_may_come_later_than_an_answer_by_another_connection() {
  raw late <<'END'
listener, c = Connection(), Connection()
listener("SUBSCRIBE", "news")
if c("SETNX", "first", "1") == ":1":
    c("PUBLISH", "news", "x")
    c("SET", "told", "yes")
elif c("GET", "told") == "yes":
    mark("REACH", "message there" if listener.has_input() else "message still on its way")
END
  explore 0 -- "$python" late.py
  says out "reached  message there"
  says out "reached  message still on its way"
}

# A client that waits for both connections gets the message or the answer first.
test_a_message_may_come_before_or_after_the_answer_that_the_client_waits_for() {
  raw both <<'END'
listener, c = Connection(), Connection()
listener("SUBSCRIBE", "news")
if c("SETNX", "first", "1") == ":1":
    c("PUBLISH", "news", "x")
else:
    c.send("GET", "k")
    ready = select.select([listener.socket, c.socket], [], [])[0]
    mark("REACH", "message first" if listener.socket in ready and c.socket not in ready else "answer first")
END
  explore 0 -- "$python" both.py
  says out "reached  message first"
  says out "reached  answer first"
}

test_where_two_limits_end_together_either_may_come_first() {
  raw limits <<'END'
c = Connection(limit=1)
try:
    c("BLPOP", "nothing", "1")
    mark("REACH", "the server's limit")
except socket.timeout:
    mark("REACH", "the client's limit")
END
  explore 0 --instants 3 -- "$python" limits.py
  says out "reached  the server's limit"
  says out "reached  the client's limit"
}

test_a_connection_keeps_its_id() {
  raw hello <<'END'
c = Connection()
first = c("HELLO")
if first != c("HELLO"):
    mark("NEVER", "another id")
END
  explore 0 --property never -- "$python" hello.py
}

# A client that has been mended reports no NEVER in any run.
test_never_is_proved_of_clients_that_never_report_it() {
  raw mended </dev/null
  explore 0 --property never -- "$python" mended.py
  says out "no run breaks it"
}

# --- several servers -----------------------------------------------------------------------------

majority() {
  worker majority <<'END'
servers = [redis.Redis.from_url(os.environ["REDIS_URL_%d" % n]) for n in (1, 2, 3)]
me = uuid.uuid4().hex

def ask(server, *words):
    try:
        return server.execute_command(*words)
    except redis.ConnectionError:
        return None

if sum(1 for s in servers if ask(s, "SET", "lock.foo", me, "NX")) >= 2:
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
for s in servers:
    ask(s, "EVAL", CAD, 1, "lock.foo", me)
END
}

test_a_majority_of_three_servers_excludes_until_one_forgets() {
  majority
  explore 0 --servers 3 -- "$python" majority.py
  says out "2 identical clients, 3 servers"
  says out "again   interlock explore --clients 2 --instants 1 --faults none --servers 3 --"
  explore 1 --servers 3 --faults restart-empty -- "$python" majority.py
  says out "2 HOLDERS"
}

test_the_number_of_servers_is_checked() {
  majority
  expect 64 interlock explore --servers 6 -- "$python" majority.py
  says err "--servers 6 is more than 5"
  expect 64 interlock explore --servers 3 lease-lock
  says err "is for the clients of a command"
}

test_a_client_that_waits_at_two_servers_is_refused() {
  worker two <<'END'
for n in (1, 2):
    server = redis.Redis.from_url(os.environ["REDIS_URL_%d" % n])
    server.rpush("k", "x")
    server.blpop("k")
END
  explore 2 --servers 2 -- "$python" two.py
  says err "a client that waits for messages of two servers is not modelled"
}

# --- several connections at once -----------------------------------------------------------------

# Each order in which two requests may come is searched, though the client sent them in one order.
test_requests_of_two_connections_come_in_either_order() {
  locked both <<'END'
one = r.connection_pool.get_connection("SET")
two = r.connection_pool.get_connection("SET")
one.send_command("SET", "k", "one")
two.send_command("SET", "k", "two")
for c in (one, two):
    c.read_response()
mark("REACH", "%s is last" % r.get("k").decode())
END
  explore 0 -- "$python" both.py
  says out "reached  one is last"
  says out "reached  two is last"
  says out "trusts  the answers to what a client has asked by several connections at once arrive in the order in which the servers have executed it"
}

# A client that waits for several answers may go on with some of them.
test_answers_by_two_connections_come_together_or_one_by_one() {
  locked some <<'END'
import select
ends = [r.connection_pool.get_connection("SET") for _ in range(2)]
for end in ends:
    end.send_command("INCR", "k")
ready, _, _ = select.select([end._sock for end in ends], [], [])
mark("REACH", "%d of two answers" % len(ready))
for end in ends:
    end.read_response()
END
  explore 0 -- "$python" some.py
  says out "reached  1 of two answers"
  says out "reached  2 of two answers"
}

# A request whose answer nobody waits for may be late for as long as the client runs, and longer.
test_a_request_that_nobody_waits_for_may_be_late() {
  worker late <<'END'
token = uuid.uuid4().hex
other = r.connection_pool.get_connection("DEL")
if r.set("lk", token, nx=True):
    mark("ENTER", "lk")
    mark("LEAVE", "lk")
    other.send_command("DEL", "lk")
    r.incr("released")
    r.eval(CAD, 1, "lk", token)
END
  explore 1 --clients 3 -- "$python" late.py
  says out "VIOLATION"
}

# A subscription that is not confirmed may be late past any number of other requests.
test_a_subscription_may_be_late_past_several_requests() {
  worker late <<'END'
listener = r.pubsub()
listener.subscribe("free")
r.incr("attempts")
while not r.set("lk", "x", nx=True):
    for message in listener.listen():
        if message["type"] == "message":
            break
mark("ENTER", "lk")
mark("LEAVE", "lk")
r.delete("lk")
r.publish("free", "1")
END
  explore 1 -- "$python" late.py
  says out "no deadlock"
}

# A Redlock that stops at the majority: its last SET may come after the release at that server.
test_a_request_to_another_server_may_be_late() {
  worker late <<'END'
token = uuid.uuid4().hex
servers = [redis.Redis.from_url(os.environ["REDIS_URL_%d" % n]) for n in (1, 2, 3)]
ends = [one.connection_pool.get_connection("SET") for one in servers]
for end in ends:
    end.send_command("SET", "lk", token, "NX")
taken = sum(1 for end in ends[:2] if end.read_response())
if taken == 2:
    mark("ENTER", "lk")
    mark("LEAVE", "lk")
for one in servers:
    one.eval(CAD, 1, "lk", token)
END
  explore 1 --servers 3 --property no-orphan -- "$python" late.py
  says out "no orphan of lk"
}

# They begin at the same moment. In about one try of four the search sees one of them alone at first, and
# calls the client not deterministic.
test_two_processes_that_ask_at_the_same_time_are_named() {
  cat >asks.py <<'END'
import os, socket, sys
here, other = sys.argv[1:]
end = socket.socket(socket.AF_UNIX)
end.connect(os.environ["REDIS_SOCKET"])
open(here, "w").close()
while not os.path.exists(other):
    pass
for _ in range(20):
    end.sendall(b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n")
    end.recv(100)
END
  cat >both.sh <<'END'
run=$(mktemp -d "$PWD/XXXXXX")
"$1" asks.py "$run/one" "$run/two" &
"$1" asks.py "$run/two" "$run/one" &
wait
END
  local _
  for _ in {1..12}; do
    explore 2 --clients 1 -- bash both.sh "$python"
    says err "not decided: "
    if grep -q "a client has several processes that ask or wait at the same time" "$dir/err"; then return; fi
  done
  fail "twelve tries did not name them"
}

# `head` inherits the connection, so the library in it does not know that it reads from Redis.
test_a_client_that_reads_where_its_library_does_not_see_it_is_searched() {
  cat >inherited.sh <<'END'
exec 3<>"/dev/tcp/127.0.0.1/$REDIS_PORT"
ask() { printf '%s\r\n' "*$#" >&3; for word; do printf '$%d\r\n%s\r\n' "${#word}" "$word" >&3; done; head -n 1 <&3; }
if [[ $(ask SET lock.foo 1 NX) = +OK* ]]; then
  ask INTERLOCK ENTER lock.foo
  ask INTERLOCK LEAVE lock.foo
  ask DEL lock.foo
fi
END
  explore 0 -- bash inherited.sh
  says out "different clients enter lock.foo"
}

test_a_client_that_looks_for_messages_without_end_is_named() {
  raw looks <<'END'
listener = Connection()
listener("SUBSCRIBE", "news")
while not listener.has_input():
    pass
END
  explore 2 -- "$python" looks.py
  lines err 1
  says err "looks for messages more than 100 times without waiting: let it wait"
}

# --- timers --------------------------------------------------------------------------------------

test_a_timer_of_the_system_is_refused() {
  worker alarm <<'END'
import signal
signal.alarm(1)
END
  worker itimer <<'END'
import signal
signal.setitimer(signal.ITIMER_REAL, 1)
END
  explore 2 -- "$python" alarm.py
  says err "a client sets a timer by alarm, and timers are not modelled"
  explore 2 -- "$python" itimer.py
  says err "a client sets a timer by setitimer, and timers are not modelled"
}

# Condition variables and semaphores by each clock, and one that another thread signals in time.
test_a_wait_for_another_thread_has_a_limit_in_the_search_s_time() {
  cat >limits.cpp <<'END'
#include <hiredis/hiredis.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <future>
#include <mutex>
#include <string>
#include <thread>

using namespace std::chrono;
using namespace std::chrono_literals;

int main() {
  redisContext* const redis = redisConnectUnix(std::getenv("REDIS_SOCKET"));
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable changed;
  std::string all;
  auto note = [&, last = steady_clock::now()]() mutable {
    const auto now = steady_clock::now();
    all += std::to_string(duration_cast<milliseconds>(now - last).count()) + "-";
    last = now;
  };
  changed.wait_for(lock, 1s);
  note();
  changed.wait_until(lock, system_clock::now() + 2s);
  note();
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  sem_timedwait(&semaphore, &until);
  note();
  std::promise<void> promise;
  promise.get_future().wait_for(1s);
  note();
  pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&shared);
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += 1;
  pthread_rwlock_clockrdlock(&shared, CLOCK_MONOTONIC, &until);
  note();
  const timespec time{1, 0};
  thrd_sleep(&time, nullptr);
  note();
  syscall(SYS_nanosleep, &time, nullptr);
  note();
  bool is_ready = false;
  const long begin = std::clock();
  std::thread other([&] {
    while (std::clock() - begin < CLOCKS_PER_SEC / 20) continue;
    std::lock_guard guard(mutex);
    is_ready = true;
    changed.notify_one();
  });
  changed.wait_for(lock, 1s, [&] { return is_ready; });
  note();
  lock.unlock();
  other.join();
  redisCommand(redis, "INTERLOCK ENTER lock");
  redisCommand(redis, "INTERLOCK NEVER %s%s", all.c_str(), is_ready ? "ready" : "late");
}
END
  g++ -std=c++17 -o limits limits.cpp -lhiredis -pthread || fail "limits.cpp is wrong"
  explore 1 --clients 1 --instants 10 --faults pause:0 -- ./limits
  says out "never 1000-2000-1000-1000-1000-1000-1000-0-ready"
}

test_a_thread_that_waits_with_a_limit_or_reads_a_clock_is_refused() {
  cat >thread.cpp <<'END'
#include <hiredis/hiredis.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

int main(int count, char**) {
  redisContext* const redis = redisConnectUnix(std::getenv("REDIS_SOCKET"));
  redisCommand(redis, "INTERLOCK ENTER lock");
  std::mutex mutex;
  std::condition_variable changed;
  std::thread renews([&] {
    if (count > 1) {
      std::chrono::steady_clock::now();
    } else {
      std::unique_lock lock(mutex);
      changed.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::hours(1)));
    }
  });
  renews.join();
}
END
  g++ -std=c++17 -o thread thread.cpp -lhiredis -pthread || fail "thread.cpp is wrong"
  explore 2 -- ./thread clock
  says err "a client reads a clock in a thread, and the threads of a client are not modelled"
  explore 2 -- ./thread
  says err "a client waits with a limit in a thread, and the threads of a client are not modelled"
  lines err 1
}

run_tests
