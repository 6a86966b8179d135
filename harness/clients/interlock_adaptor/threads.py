# The threads of a client in Python: the search says which one goes on.
import _thread
import atexit
import ctypes
import os
import queue
import sys
import threading
import time

from interlock_adaptor import search
from interlock_adaptor.search import ask, hash_in_order, in_run, refuse, this_thread

start_real_thread = _thread.start_new_thread
number_thread = ctypes.CDLL(None).interlock_thread
standard_library = os.path.dirname(os.__file__)
RealHandle = getattr(_thread, "_ThreadHandle", None)
start_real_joinable = getattr(_thread, "start_joinable_thread", None)
awaited_at_end = []
counts = {"thread": 1, "lock": 0, "wait": 0}


def is_installed(file):
    return "site-packages" in file or "dist-packages" in file


def is_for_worker():
    """Whether the lock that is being made is one of the worker, and not of a library, a Thread or a
    pool."""
    frame = sys._getframe(2)
    while frame is not None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if is_installed(file):
            return False
        if file == search.worker or file.startswith(sys.path[0] + os.sep):
            return True
        if not file.startswith(standard_library) or name == "_bootstrap_inner":
            return False
        maker = type(frame.f_locals.get("self")).__name__
        if name == "__init__" and maker in ("Thread", "ThreadPoolExecutor"):
            return False
        frame = frame.f_back
    return False


class Lock:
    """Instead of Python's own lock. One thread runs at a time, so nothing here is atomic. A thread
    that has to wait asks the search. After the release of a lock of the worker the thread asks, too,
    because another one may go on first."""

    def __init__(self):
        self.is_for_worker = search.running and is_for_worker()
        self.held = False
        self.number = 0  # by which the search knows it; 0: nobody has waited for it
        self.waiting = 0

    def acquire(self, blocking=True, timeout=-1):
        if timeout != -1 and (timeout < 0 or not blocking):
            raise ValueError("timeout value must be a non-negative number" if blocking else
                             "can't specify a timeout for a non-blocking call")
        if self.held and not (blocking and self.wait(timeout)):
            return False
        self.held = True
        return True

    def wait(self, timeout):
        if not search.running:
            raise RuntimeError("a module waits for a lock while it is loaded")
        counts["wait"] += 1
        if self.number == 0:
            counts["lock"] += 1
            self.number = counts["lock"]
        limit = -1 if timeout == -1 else round(timeout * 1e9)
        question = "K %d %d %d" % (self.number, counts["wait"], limit)
        while self.held:
            self.waiting += 1
            answer = ask(question)
            self.waiting -= 1
            if answer == "late":
                return False
        return True

    def release(self):
        if not self.held:
            raise RuntimeError("release unlocked lock")
        self.held = False
        if counts["thread"] == 1:
            return
        if not self.is_for_worker or getattr(this_thread, "notifies", False):
            # A thread that is notified needs the lock of the condition next, which this one holds.
            if self.waiting:
                ask("G %d" % self.number)
        else:
            ask("F %d" % self.number)

    def locked(self):
        return self.held

    def _at_fork_reinit(self):
        self.__init__()

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()

    acquire_lock, release_lock, locked_lock = acquire, release, locked


def start_thread(function, words, named={}, ends=()):
    """Instead of _thread.start_new_thread: the search is told, and lets the thread begin. The locks in
    `ends` are released when it ends."""
    counts["thread"] += 1
    number = counts["thread"]
    ask("C")

    thread = getattr(function, "__self__", None)
    is_of_class = isinstance(thread, threading.Thread) and function.__name__ == "_bootstrap"
    if is_of_class:
        # What Thread does before run() is nothing that others see.
        run = thread.run

        def run_when_told():
            ask("B")
            run()

        thread.run = run_when_told

    def body():
        this_thread.number = number
        this_thread.ends = list(ends)
        number_thread(number)
        if not is_of_class:
            ask("B")
        try:
            function(*words, **named)
        finally:
            for lock in this_thread.ends:
                if lock.held:
                    lock.release()
            ask("E")

    try:
        started = start_real_thread(body, ())
    except BaseException:
        ask("E")
        raise
    ask("Y")
    return started


class ThreadHandle:
    """Instead of the handle of a Thread, which Python has since 3.13, and whose join() waits in C."""

    def __init__(self):
        self.ended = Lock()
        self.begun = False
        self.real = None  # the handle of a thread that was started while its module was loaded

    def start(self, function, daemon):
        if not search.running:
            self.real = RealHandle()
            start_real_joinable(function, handle=self.real, daemon=daemon)
            return
        self.ended.acquire()
        self.begun = True
        if not daemon:
            awaited_at_end.append(self)
        start_thread(function, (), ends=[self.ended])

    def is_done(self):
        return self.real.is_done() if self.real else self.begun and not self.ended.held

    def join(self, timeout=None):
        if self.real:
            self.real.join(timeout)
        elif self.ended.acquire(timeout=-1 if timeout is None else timeout):
            self.ended.release()


def start_joinable_thread(function, handle, daemon=True):
    """Instead of threading._start_joinable_thread."""
    handle.start(function, daemon)


def await_threads():
    """Instead of threading._thread_shutdown: waits for the threads that are no daemons."""
    for handle in awaited_at_end:
        handle.join()


def make_sentinel():
    """Instead of threading._set_sentinel: a lock that is released when this thread ends."""
    lock = Lock()
    this_thread.ends.append(lock)
    return lock


def replace_threads():
    in_run(_thread, "start_new_thread", start_thread)
    threading._start_new_thread = _thread.start_new_thread
    if hasattr(threading, "_start_joinable_thread"):
        threading._ThreadHandle = ThreadHandle
        threading._start_joinable_thread = start_joinable_thread
        in_run(threading, "_thread_shutdown", await_threads)
    if hasattr(threading, "_set_sentinel"):
        in_run(threading, "_set_sentinel", make_sentinel)
    threading.Lock = threading._allocate_lock = Lock
    threading._CRLock = None  # the one in Python uses Lock
    threading._time = time.monotonic
    notify = threading.Condition.notify

    def notify_quietly(self, n=1):
        this_thread.notifies = True
        try:
            notify(self, n)
        finally:
            this_thread.notifies = False

    threading.Condition.notify = notify_quietly
    hash_in_order(Lock)
    hash_in_order(threading.Thread)
    queue.SimpleQueue = queue._PySimpleQueue
    forks = refuse("forks, and several processes of a client are not modelled")
    in_run(os, "forkpty", forks)
    return in_run(os, "fork", forks)


def replace_in_loaded_modules():
    if "concurrent.futures" in sys.modules:
        hash_in_order(sys.modules["concurrent.futures"].Future)
    if "asyncio" in sys.modules:
        loop = sys.modules["asyncio"].BaseEventLoop
        in_run(loop, "run_in_executor", refuse(
            "runs a function in a thread of asyncio, which is not modelled"))


def end_as_python_does():
    """Waits for the threads that are no daemons, and calls what atexit was given."""
    if counts["thread"] > 1:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
