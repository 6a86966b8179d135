# A fork server for clients written in Python: FILE ARGUMENT... It loads what the file imports once,
# and forks a process for each run. Descriptor 3 is the search.
import ast
import ctypes
import gc
import os
import socket
import sys
import types

own_folder = os.path.dirname(os.path.abspath(__file__))
if sys.path[0] != own_folder:
    sys.path.insert(0, own_folder)  # Python has been told not to do this
from interlock_adaptor import clocks, search

clocks.replace_clocks()  # before modules of Python keep a clock as a name of their own, as queue does
from interlock_adaptor import chance, threads

connection = socket.socket(fileno=3)
worker = search.worker = sys.argv[1]
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
            except chance.DrawnTooEarly:
                chance.too_early.pop()
            except BaseException:
                pass  # the worker itself meets it again
    if chance.too_early:
        print("%s is called while a module is loaded, and all clients would draw the same: "
              "call it in a function" % chance.too_early[0], file=sys.stderr)
        sys.exit(1)


def run(variables):
    os.setpgid(0, 0)
    die_with_parent(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    connection.close()
    os.environ.update(variable.split("=", 1) for variable in variables)
    search.running = True
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
        threads.end_as_python_does()
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
ends = {}
adaptor = sys.modules["__main__"]  # keeps it alive
sys.modules["__main__"] = make_main()
chance.replace_chance()
real_fork = threads.replace_threads()
load_imports(tree)
threads.replace_in_loaded_modules()
die_with_parent = ctypes.CDLL(None).prctl
gc.disable()  # in the parent: its pages stay shared
connection.sendall(b"ready\n")
for line in connection.makefile("r"):
    what, *words = line.split()
    if what == "status":
        connection.sendall(b"%d\n" % status_of(int(words[0])))
        continue
    while note_ends():
        pass
    child = real_fork()
    if child == 0:
        run(words)
    ends.pop(child, None)  # of an earlier process of this number
    connection.sendall(b"%d\n" % child)
os._exit(0)
