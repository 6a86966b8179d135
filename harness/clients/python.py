# A fork server for clients written in Python: FILE ARGUMENT... It loads what the file imports once,
# and forks a process for each run. Descriptor 3 is the search.
import _thread
import ast
import atexit
import ctypes
import gc
import os
import socket
import sys
import types

search = socket.socket(fileno=3)
worker = sys.argv[1]
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.abspath(worker))
with open(worker, "rb") as text:
    source = text.read()


def make_main():
    """The worker's own module, so that no name of it is a name of this file."""
    main = types.ModuleType("__main__")
    main.__file__ = worker
    main.__builtins__ = __builtins__
    return main


def ask(line):
    number = getattr(this_thread, "number", 1)
    if number > 1 and not line.startswith("X "):
        line += " @%d" % number
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(os.environ["INTERLOCK_CONTROL"])
        control.sendall(line.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = control.recv(4096)
            if not part:
                os._exit(0)
            answer += part
        return answer[:-1].decode()


def load_imports(tree):
    for node in tree.body:
        names = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
        for name in names:
            try:
                __import__(name)
            except DrawnTooEarly:
                too_early.pop()
            except BaseException:
                pass  # the worker itself meets it again
    if too_early:
        print("%s is called while a module is loaded, and all clients would draw the same: "
              "call it in a function" % too_early[0], file=sys.stderr)
        sys.exit(1)


class DrawnTooEarly(BaseException):
    """A module draws while it is loaded: not here, for all clients, but in each run of a client."""


def refuse_part(token, part):
    """Ends the search if `part` is no index of the first 8 characters or more, which are the whole
    token. Other parts may be equal here and differ in the field, or the other way round."""
    if not running:
        return
    if isinstance(part, slice) and part.start in (None, 0) and part.step in (None, 1):
        if part.stop is None or part.stop >= 8:
            return
    refuse("takes a part of %r, a token of the search: let it take the whole token, or its first 8 "
           "characters or more" % token)()


class TokenText(str):
    def __getitem__(self, part):
        refuse_part(str.__str__(self), part)
        return str.__getitem__(self, part)


class TokenBytes(bytes):
    def __getitem__(self, part):
        refuse_part(self.decode(), part)
        return bytes.__getitem__(self, part)


def make_token_type():
    import uuid

    class Token(uuid.UUID):
        """A uuid whose text is an owner token of the search, which renames clients. Its bytes
        follow from the token: a client that asks for them, or sorts uuids, makes the search
        distinguish clients."""

        def __init__(self):
            object.__setattr__(self, "text", ask("U"))
            object.__setattr__(self, "is_safe", uuid.SafeUUID.unknown)

        @property
        def int(self):
            digits = int(ask("D " + self.text), 16)
            digits = digits & ~(0xC000 << 48) | 0x8000 << 48
            return digits & ~(0xF000 << 64) | 4 << 76

        @property
        def hex(self):
            return TokenText(self.text)

        def __str__(self):
            return TokenText(self.text)

        def __eq__(self, other):
            if isinstance(other, Token):
                return self.text == other.text
            return super().__eq__(other)

        def __hash__(self):
            return hash(self.text)

    return Token


def token_of_size(name, make):
    """The search's tokens are unlike each other; short ones in the field may not be."""

    def draw(size=None):
        if size is not None and size < 8:
            refuse("draws secrets.%s(%d), which may be drawn twice, and a token of the search never "
                   "is: draw 8 bytes or more" % (name, size))()
        return make(ask("U"))

    return draw


def too_early_for(name):
    def refused(*_, **__):
        too_early.append(name)
        raise DrawnTooEarly(name)

    return refused


def in_run(module, name, inside, outside=None):
    """Replaces a function for the time of a run: those that are imported now stay as they are."""
    outside = outside or getattr(module, name)

    def function(*words, **named):
        return (inside if running else outside)(*words, **named)

    function.__name__ = name
    setattr(module, name, function)
    return outside


def void(_):
    return None


def replace_clocks():
    import datetime
    import time

    def nanoseconds(clock):
        return int(ask(clock))

    for name, clock in (("time", "N"), ("monotonic", "T"), ("perf_counter", "T")):
        in_run(time, name, lambda clock=clock: nanoseconds(clock) / 1e9)
        in_run(time, name + "_ns", lambda clock=clock: nanoseconds(clock))
    # Python itself sleeps until an instant of a clock that is not simulated for it.
    in_run(time, "sleep", lambda seconds: void(ask("S %d" % round(seconds * 1e9))))
    wall = (time.CLOCK_REALTIME,)
    in_run(time, "clock_gettime", lambda which: nanoseconds("N" if which in wall else "T") / 1e9)
    in_run(time, "clock_gettime_ns", lambda which: nanoseconds("N" if which in wall else "T"))
    for name in ("gmtime", "localtime", "ctime"):
        original = getattr(time, name)

        def when(seconds=None, original=original):
            return original(time.time() if seconds is None else seconds)

        in_run(time, name, when)
    strftime = time.strftime
    in_run(time, "strftime", lambda form, when=None: strftime(form, when or time.localtime()))

    class DateTime(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls):
            return cls.utcfromtimestamp(time.time())

        @classmethod
        def today(cls):
            return cls.now()

    DateTime.__name__ = DateTime.__qualname__ = "datetime"
    datetime.datetime = DateTime


def replace_chance():
    import random
    import secrets
    import uuid

    def draws(module, name, inside):
        in_run(module, name, inside, too_early_for(module.__name__ + "." + name))

    Token = make_token_type()
    draws(uuid, "uuid1", lambda *_, **__: Token())
    draws(uuid, "uuid4", lambda: Token())
    draws(secrets, "token_hex", token_of_size("token_hex", TokenText))
    draws(secrets, "token_urlsafe", token_of_size("token_urlsafe", TokenText))
    in_bytes = token_of_size("token_bytes", lambda text: TokenBytes(text.encode()))
    draws(secrets, "token_bytes", in_bytes)
    for name in random.__all__:
        function = getattr(random, name)
        if getattr(function, "__self__", None) is not random._inst:
            continue

        def seeded(*words, function=function, name=name, **named):
            if not seeds and name not in ("seed", "setstate"):
                random._inst.seed(os.urandom(16))
            seeds.append(name)
            return function(*words, **named)

        draws(random, name, seeded)


def refuse(what):
    def refused(*_, **__):
        ask("X " + what)
        os._exit(0)

    return refused


def hash_in_order(kind):
    """The order of a set of these objects must not depend on their addresses."""

    def number(self):
        if "hash_number" not in self.__dict__:
            counts["hash"] += 1
            self.hash_number = counts["hash"]
        return self.hash_number

    kind.__hash__ = number


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
        if file == worker or file.startswith(sys.path[0] + os.sep):
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
        self.is_for_worker = running and is_for_worker()
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
        if not running:
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


def start_thread(function, words, named={}):
    """Instead of _thread.start_new_thread: the search is told, and lets the thread begin."""
    import threading

    if sys.version_info >= (3, 13):
        refuse_new_threading()
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
        this_thread.ends = []
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


def refuse_new_threading(*_, **__):
    refuse("starts a thread, and the threads of a client are modelled up to Python 3.12")()


def make_sentinel():
    """Instead of threading._set_sentinel: a lock that is released when this thread ends."""
    lock = Lock()
    this_thread.ends.append(lock)
    return lock


def replace_threads():
    import queue
    import threading
    import time

    in_run(_thread, "start_new_thread", start_thread)
    threading._start_new_thread = _thread.start_new_thread
    if hasattr(threading, "_start_joinable_thread"):
        in_run(threading, "_start_joinable_thread", refuse_new_threading)
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


def run(variables):
    global running
    os.setpgid(0, 0)
    die_with_parent(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    search.close()
    os.environ.update(variable.split("=", 1) for variable in variables)
    running = True
    code = 0
    try:
        exec(program, sys.modules["__main__"].__dict__)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if code == 1 and end.code != 1:
            print(end.code, file=sys.stderr)
    except BaseException as problem:
        print("%s: %s" % (type(problem).__name__, problem), file=sys.stderr)
        code = 1
    try:
        end_as_python_does()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def note_ends():
    """Keeps how children have ended, so that the search may ask later. True: one has ended."""
    try:
        child, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    ends[child] = status
    return child != 0


def status_of(child):
    """How this child, which has ended, did so."""
    while child not in ends and note_ends():
        pass
    return ends.pop(child, 0)


try:
    tree = ast.parse(source, worker)
    program = compile(tree, worker, "exec")
except SyntaxError as problem:
    print("%s: %s" % (type(problem).__name__, problem), file=sys.stderr)
    sys.exit(1)
running = False
standard_library = os.path.dirname(os.__file__)
this_thread = _thread._local()
this_thread.ends = []
start_real_thread = _thread.start_new_thread
counts = {"thread": 1, "lock": 0, "wait": 0, "hash": 0}
ends = {}
seeds = []
too_early = []
adaptor = sys.modules["__main__"]  # keeps it alive
sys.modules["__main__"] = make_main()
replace_clocks()
replace_chance()
real_fork = replace_threads()
load_imports(tree)
replace_in_loaded_modules()
die_with_parent = ctypes.CDLL(None).prctl
number_thread = ctypes.CDLL(None).interlock_thread
gc.disable()  # in the parent: its pages stay shared
search.sendall(b"ready\n")
for line in search.makefile("r"):
    what, *words = line.split()
    if what == "status":
        search.sendall(b"%d\n" % status_of(int(words[0])))
        continue
    while note_ends():
        pass
    child = real_fork()
    if child == 0:
        run(words)
    ends.pop(child, None)  # of an earlier process of this number
    search.sendall(b"%d\n" % child)
os._exit(0)
