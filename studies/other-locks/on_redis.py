"""Takes a run that the search has found with real processes and a real Redis.

A gate stands between each process and Redis. It lets a request pass when the run says that it is this
client's turn, waits when time passes in the run, and ends a process or loses an answer where the run has
that fault. The gate itself answers the commands INTERLOCK.
"""

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time

PATIENCE = 60  # seconds that a client may take to its next request


class OtherRun(Exception):
    """The client or Redis did something else than the run says."""


def read_request(file):
    line = file.readline()
    if not line.startswith(b"*"):
        return None
    words = []
    for _ in range(int(line[1:])):
        words.append(file.read(int(file.readline()[1:]) + 2)[:-2])
    return words


def encoded(words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


def read_reply(file):
    line = file.readline()
    kind, size = line[:1], line[1:-2]
    if kind == b"$" and int(size) >= 0:
        return line + file.read(int(size) + 2)
    if kind in b"*%":
        return line + b"".join(read_reply(file) for _ in range(int(size) * (2 if kind == b"%" else 1)))
    return line


class Resource:
    """What refuses a write with a smaller fencing token than an earlier one."""

    greatest = 0

    def write(self, token):
        accepted = token >= self.greatest
        self.greatest = max(token, self.greatest)
        return b":%d\r\n" % accepted


class Gate:
    """What one client asks, until it ends. `turn` gives the next request that takes a step."""

    def __init__(self, command, port, name, resource):
        self.port = port
        self.resource = resource
        self.name = name
        self.changed = threading.Condition()
        self.waiting = []  # requests that take a step
        self.tokens = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        own_port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        own = {"REDIS_HOST": "127.0.0.1", "REDIS_PORT": str(own_port)}
        own["REDIS_URL"] = f"redis://127.0.0.1:{own_port}"
        self.process = subprocess.Popen(
            command, env=os.environ | own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def accept(self):
        with contextlib.suppress(OSError):  # at the end
            while True:
                link = self.listener.accept()[0]
                threading.Thread(target=self.serve, args=(link,), daemon=True).start()

    def serve(self, link):
        file = link.makefile("rb")
        with contextlib.suppress(OSError):  # the client has gone
            with socket.create_connection(("127.0.0.1", self.port)) as redis:
                replies = redis.makefile("rb")
                while (words := read_request(file)) is not None:
                    reply = self.answer(words, redis, replies)
                    if reply is None:
                        break
                    link.sendall(reply)
            link.shutdown(socket.SHUT_RDWR)
        link.close()

    def answer(self, words, redis, replies):
        def pass_on():
            redis.sendall(encoded(words))
            return read_reply(replies)

        name = words[0].upper().decode()
        if name == "INTERLOCK":
            return self.report(words[1].upper().decode(), words)
        if name in ("HELLO", "CLIENT", "INFO", "SCRIPT", "COMMAND", "SELECT", "AUTH", "PING"):
            return pass_on()
        return self.wait(pass_on)

    def report(self, what, words):
        if what == "TOKEN":
            self.tokens += 1
            text = f"{self.name}-{self.tokens}".encode()
            return b"$%d\r\n%s\r\n" % (len(text), text)
        if what == "WRITE":
            return self.wait(lambda: self.resource.write(int(words[3])))
        if what == "LEAVE":
            return self.wait(lambda: b"+OK\r\n")
        return b"+OK\r\n"

    def wait(self, act):
        """Until the run lets this request pass; None loses its answer."""
        passed = threading.Event()
        request = {"act": act, "passed": passed, "reply": None}
        with self.changed:
            self.waiting.append(request)
            self.changed.notify_all()
        passed.wait()
        return request["reply"]

    def await_request(self):
        if not self.changed.wait_for(lambda: self.waiting, PATIENCE):
            raise OtherRun(f"{self.name} asked nothing")

    def begin(self):
        """Until the client has begun: this takes time, and in the run it takes none."""
        with self.changed:
            self.await_request()

    def turn(self):
        with self.changed:
            self.await_request()
            return self.waiting.pop(0)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.listener.close()


def plain(reply):
    """A reply as the run writes it, if it is a number, nothing or a word; else None."""
    if reply.startswith((b":", b"+")):
        return reply[1:-2].decode()
    return "nil" if reply in (b"$-1\r\n", b"_\r\n", b"*-1\r\n") else None


def take(step, gate):
    """One step of a client; gives 1 if an answer was compared."""
    lost = step.get("fault") == "lost-reply"
    while True:
        request = gate.turn()
        reply = request["act"]()
        is_step = not reply.startswith(b"-NOSCRIPT")  # else the client sends the whole script
        request["reply"] = None if lost and is_step else reply
        request["passed"].set()
        if is_step:
            break
    said, wanted = plain(reply), step.get("reply", "").strip('"')
    if lost or said is None or not wanted:
        return 0
    if said != wanted:
        raise OtherRun(f"step {step['step']}: {said}, not {wanted}")
    return 1


def take_run(steps, command, port):
    """Gives the number of answers that were compared; each is as in the run."""
    resource = Resource()
    names = sorted({step["client"] for step in steps if "client" in step})
    gates = {name: Gate(command, port, name, resource) for name in names}
    compared = 0
    try:
        for gate in gates.values():
            gate.begin()
        for step in steps:
            if step["kind"] == "time":
                time.sleep(int(step["what"].split("+")[1].split()[0]) / 1000)
                continue
            client = step["client"]
            if step.get("fault") == "crash":
                gates[client].end()
            elif step["kind"] in ("operation", "leave", "write"):
                compared += take(step, gates[client])
    finally:
        for gate in gates.values():
            gate.end()
    return compared
