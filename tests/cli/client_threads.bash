# Clients in Python that have several threads: interlock explore -- COMMAND.
source "$(dirname "$0")/workers.bash"

# renewer NAME RENEWAL END: a client with a thread that renews its lock, as a watchdog does.
renewer() {
  worker "$1" <<END
import threading
token = uuid.uuid4().hex
RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], 2000) end"
over = threading.Event()

def renew():
    while not over.wait(1):
        if not $2: return

if r.set("lock.foo", token, nx=True, px=2000):
    mark("ENTER", "lock.foo")
    watchdog = threading.Thread(target=renew)
    watchdog.start()
    time.sleep(1)
    mark("LEAVE", "lock.foo")
    $3
END
}

test_a_thread_that_renews_by_a_comparison_keeps_to_its_own_key() {
  renewer good 'r.eval(RENEW, 1, "lock.foo", token)' \
    'over.set(); watchdog.join(); r.eval(CAD, 1, "lock.foo", token)'
  explore 0 --instants 4 --property owner-only -- "$python" good.py
  says out "no run breaks it"
  says out "trusts  the threads of a client switch where they wait, and one is preempted once at most"
  explore 0 --instants 3 --faults crash --property no-orphan -- "$python" good.py
}

test_a_thread_that_renews_without_a_comparison_renews_the_key_of_another() {
  renewer bare 'r.pexpire("lock.foo", 2000)' \
    'over.set(); watchdog.join(); r.eval(CAD, 1, "lock.foo", token)'
  explore 1 --instants 5 --property owner-only -- "$python" bare.py
  says out "PEXPIRE"
}

# The release does not wait for the renewal that is on its way, and the key comes back.
test_a_renewal_that_is_on_its_way_at_the_release_resurrects_the_lock() {
  local renewal='r.set("lock.foo", token)'
  renewer resurrects "$renewal" 'over.set(); r.eval(CAD, 1, "lock.foo", token); watchdog.join()'
  explore 1 --instants 2 --property no-orphan -- "$python" resurrects.py
  says out "no orphan"
  renewer waits "$renewal" 'over.set(); watchdog.join(); r.eval(CAD, 1, "lock.foo", token)'
  explore 0 --instants 2 --property no-orphan -- "$python" waits.py
}

test_threads_of_one_client_exclude_each_other_by_a_lock_of_python() {
  counter() {
    worker "$1" <<END
import threading
lock = threading.Lock()
def count():
    $2:
        value = int(r.get(me) or 0)
        r.set(me, value + 1)
me = uuid.uuid4().hex
threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
if int(r.get(me)) != 2: mark("NEVER", "a count is lost")
END
  }
  counter excluded 'with lock'
  explore 0 --clients 1 --property never -- "$python" excluded.py
  counter free 'if True'
  explore 1 --clients 1 -- "$python" free.py
  says out "a count is lost"
}

# hands_on NAME: a client whose threads hand something on; its body comes from standard input.
hands_on() {
  {
    echo 'import concurrent.futures, queue, threading'
    echo 'mark("ENTER", "lock.foo"); mark("LEAVE", "lock.foo")'
    cat
  } | worker "$1"
  explore 0 --clients 1 --instants 3 --property never -- "$python" "$1.py"
}

test_threads_hand_on_by_a_queue() {
  hands_on by_queue <<'END'
todo = queue.Queue(maxsize=1)
def put():
    for name in ("one", None): todo.put(name)
threading.Thread(target=put).start()
for name in iter(todo.get, None): r.rpush("done", name)
try:
    todo.get(timeout=1)
except queue.Empty:
    if r.llen("done") == 1: mark("REACH", "nothing more came")
END
  says out "reached  nothing more came"
}

test_threads_of_a_pool_work_at_the_same_time() {
  hands_on by_pool <<'END'
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    mark("REACH", str(list(pool.map(lambda number: r.incrby("sum", number), (1, 2)))))
END
  says out "reached  [1, 3]"
  says out "reached  [3, 2]"
}

test_a_timer_notifies_a_thread() {
  hands_on by_timer <<'END'
condition = threading.Condition()
def notify():
    with condition: condition.notify_all()
with condition:
    threading.Timer(1, notify).start()
    if condition.wait(timeout=5): mark("REACH", "notified")
    if not condition.wait_for(lambda: False, timeout=1): mark("REACH", "not notified")
END
  says out "reached  notified"
  says out "reached  not notified"
}

# As the address of a thread would decide it.
test_a_set_of_threads_has_the_same_order_in_each_run() {
  hands_on in_order <<'END'
threads = [threading.Thread(target=lambda: None, name=str(number)) for number in range(30)]
if [thread.name for thread in set(threads)] == [str(number) for number in range(30)]:
    mark("REACH", "in order")
END
  says out "reached  in order"
}

# Its method is no Thread's, though it has a run().
test_a_method_may_be_a_thread_of_its_own() {
  hands_on by_method <<'END'
import _thread
class Job:
    def run(self): mark("REACH", "run")
    def go(self): r.rpush("done", "gone"); done.release()
done = threading.Lock()
done.acquire()
_thread.start_new_thread(Job().go, ())
done.acquire()
if r.llen("done") == 1: mark("REACH", "done")
END
  says out "reached  done"
  says_not out "reached  run"
}

# A daemon ends with its program, in the middle of what it does.
test_a_program_waits_for_its_threads_but_not_for_daemons() {
  waits() {
    worker waits <<END
import threading
def later():
    time.sleep(1)
    mark("REACH", "later")
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
threading.Thread(target=later, daemon=$1).start()
END
  }
  waits False
  explore 0 --clients 1 --instants 2 --property never -- "$python" waits.py
  says out "reached  later"
  waits True
  explore 0 --clients 1 --instants 2 --property never -- "$python" waits.py
  says_not out "reached  later"
}

test_threads_that_wait_for_each_other_for_ever_are_a_deadlock() {
  worker stuck <<'END'
import threading
one, other = threading.Lock(), threading.Lock()
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
def takes(first, second):
    with first:
        r.get("key")
        with second: pass
threads = [threading.Thread(target=takes, args=pair) for pair in ((one, other), (other, one))]
for thread in threads: thread.start()
END
  explore 1 --clients 1 --property deadlock -- "$python" stuck.py
  says out "A waits for ever"
  worker itself <<'END'
import threading
lock = threading.Lock()
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
lock.acquire(); lock.acquire()
END
  explore 1 --clients 1 --property deadlock -- "$python" itself.py
  says out "A waits for ever"
}

# The main thread may end before a new thread has sent anything, and a daemon ends with it.
test_a_thread_may_be_preempted_when_it_starts_another() {
  worker started <<'END'
import threading
if r.set("lock.foo", uuid.uuid4().hex, nx=True):
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
    threading.Thread(target=r.delete, args=("lock.foo",), daemon=True).start()
END
  explore 1 --property no-orphan -- "$python" started.py
}

# Another thread may get the lock between two sections of one thread.
test_a_thread_may_be_preempted_when_it_releases_a_lock() {
  worker twice <<'END'
import threading
lock = threading.Lock()
done = []
def second():
    with lock: done.append("second")
mark("ENTER", "lock.foo")
mark("LEAVE", "lock.foo")
lock.acquire()
thread = threading.Thread(target=second)
thread.start()
r.get("key")
done.append("first")
lock.release()
with lock: done.append("first")
thread.join()
mark("REACH", " ".join(done))
END
  explore 0 --clients 1 --property never -- "$python" twice.py
  says out "reached  first second first"
  says out "reached  first first second"
}

test_what_a_program_has_registered_for_its_end_is_called() {
  worker registers <<'END'
import atexit
if r.set("lock.foo", uuid.uuid4().hex, nx=True):
    atexit.register(r.delete, "lock.foo")
    mark("ENTER", "lock.foo")
    mark("LEAVE", "lock.foo")
END
  explore 0 --property no-orphan -- "$python" registers.py
}

test_threads_of_asyncio_end_the_search() {
  worker in_asyncio <<'END'
import asyncio
async def main():
    await asyncio.to_thread(r.get, "key")
asyncio.run(main())
END
  explore 2 -- "$python" in_asyncio.py
  says err "runs a function in a thread of asyncio, which is not modelled"
}

# They would have to wait for messages and for answers at the same time.
test_threads_beside_subscriptions_end_the_search() {
  worker listens <<'END'
import threading
def listen():
    messages = r.pubsub()
    messages.subscribe("released")
threading.Thread(target=listen).start()
END
  explore 2 -- "$python" listens.py
  says err "which is not modelled"
}

run_tests
