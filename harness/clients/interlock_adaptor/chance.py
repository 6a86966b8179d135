# What a client in Python draws: owner tokens of the search, and numbers from a seed of the search.
import os
import random
import secrets
import uuid

from interlock_adaptor import search
from interlock_adaptor.search import ask, in_run, refuse

too_early = []  # what modules have drawn while they are loaded
seeds = []


class DrawnTooEarly(BaseException):
    """A module draws while it is loaded: not here, for all clients, but in each run of a client."""


def refuse_part(token, part):
    """Ends the search if `part` is no index of the first 8 characters or more, which are the whole
    token. Other parts may be equal here and differ in the field, or the other way round."""
    if not search.running:
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


def replace_chance():
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
