# The clocks of a client in Python: they are those of the search.
import datetime
import time

from interlock_adaptor.search import ask, in_run


def void(_):
    return None


def replace_clocks():
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
