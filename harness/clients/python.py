# A fork server for clients written in Python: FILE ARGUMENT... It loads what the file imports once,
# and forks a process for each run. Descriptor 3 is the search.
import ast
import os
import socket
import sys

search = socket.socket(fileno=3)
worker = sys.argv[1]
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.abspath(worker))
with open(worker, "rb") as text:
    source = text.read()


def ask(line):
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
            except BaseException:
                pass  # the worker itself meets it again


class Token:
    """Stands for a uuid: its text is an owner token of the search, which renames clients."""

    def __init__(self, *_, **__):
        self.hex = ask("U")

    def __str__(self):
        return self.hex

    __repr__ = __str__

    @property
    def bytes(self):
        return self.hex.encode()

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(self.hex)


def replace_chance():
    import random
    import secrets
    import uuid

    uuid.uuid1 = uuid.uuid4 = Token
    secrets.token_hex = secrets.token_urlsafe = lambda *_: ask("U")
    secrets.token_bytes = lambda *_: ask("U").encode()
    seeded = []

    def seeding(function):
        def seeds(*words, **named):
            if not seeded:
                seeded.append(True)
                random._inst.seed(os.urandom(16))
            return function(*words, **named)

        return seeds

    for name in random.__all__:
        function = getattr(random, name)
        if getattr(function, "__self__", None) is random._inst and name not in ("seed", "setstate"):
            setattr(random, name, seeding(function))


def refuse(what):
    def refused(*_, **__):
        ask("X " + what)
        os._exit(0)

    return refused


def replace_threads():
    import _thread
    import threading

    start = refuse("starts a thread, and the threads of a client are not modelled")
    _thread.start_new_thread = threading._start_new_thread = start
    os.fork = os.forkpty = refuse("forks, and several processes of a client are not modelled")


def run(directory, port):
    os.setpgid(0, 0)
    search.close()
    os.environ.update(
        INTERLOCK_CONTROL=directory + "/control",
        INTERLOCK_SOCKET=directory + "/redis",
        REDIS_URL="unix://" + directory + "/redis",
        REDIS_SOCKET=directory + "/redis",
        REDIS_PORT=port,
    )
    replace_chance()
    replace_threads()
    code = 0
    try:
        main = {"__name__": "__main__", "__file__": worker, "__builtins__": __builtins__}
        sys.modules["__main__"].__dict__.update(main)
        exec(program, sys.modules["__main__"].__dict__)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException as problem:
        print("%s: %s" % (type(problem).__name__, problem), file=sys.stderr)
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        ask("E %d" % code)
    finally:
        os._exit(code)


try:
    tree = ast.parse(source, worker)
    program = compile(tree, worker, "exec")
except SyntaxError as problem:
    print("%s: %s" % (type(problem).__name__, problem), file=sys.stderr)
    sys.exit(1)
load_imports(tree)
import random, secrets, threading, uuid  # noqa: E401, F401: loaded once
import signal

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
real_fork = os.fork
search.sendall(b"ready\n")
for line in search.makefile("r"):
    where, port = line.split()
    child = real_fork()
    if child == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        run(where, port)
    search.sendall(b"%d\n" % child)
os._exit(0)
