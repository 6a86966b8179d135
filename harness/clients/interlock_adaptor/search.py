# The connection of a client in Python to the search: what it asks, and what it has replaced by questions.
import _thread
import os
import socket

running = False  # in a run of the client, and not while its modules are loaded
this_thread = _thread._local()
this_thread.ends = []
hash_numbers = 0


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


def refuse(what):
    def refused(*_, **__):
        ask("X " + what)
        os._exit(0)

    return refused


def in_run(module, name, inside, outside=None):
    """Replaces a function for the time of a run: those that are imported now stay as they are."""
    outside = outside or getattr(module, name)

    def function(*words, **named):
        return (inside if running else outside)(*words, **named)

    function.__name__ = name
    setattr(module, name, function)
    return outside


def hash_in_order(kind):
    """The order of a set of these objects must not depend on their addresses."""

    def number(self):
        global hash_numbers
        if "hash_number" not in self.__dict__:
            hash_numbers += 1
            self.hash_number = hash_numbers
        return self.hash_number

    kind.__hash__ = number
