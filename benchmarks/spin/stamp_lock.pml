/* The scenario stamp-lock of the catalogue, with two attempts of each client and three instants:
   the key holds the instant at which the lease ends, and GETSET takes an ended lease over. */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#define ATTEMPTS 2
#define LAST_INSTANT 102
#define HOLDS_FOR 3

byte now = 100;
byte stamp = 50; /* 0: there is no key */
byte inside;

active proctype Time() {
end:
  do
  :: now < LAST_INSTANT -> now++
  od
}

active [CLIENTS] proctype Client() {
  byte left = ATTEMPTS, sent, seen;
attempt:
  sent = now;
  if /* SETNX */
  :: atomic { stamp == 0 -> stamp = sent + HOLDS_FOR; goto section }
  :: stamp != 0
  fi;
  if /* GET */
  :: atomic { stamp != 0 && sent > stamp -> skip }
  :: atomic { !(stamp != 0 && sent > stamp) -> goto busy }
  fi;
  atomic { /* GETSET */
    seen = stamp;
    stamp = sent + HOLDS_FOR;
    if
    :: seen == 0 || sent > seen -> seen = 0; goto section
    :: else -> seen = 0; goto busy
    fi
  };
busy:
  atomic {
    left--;
    sent = now + 1;
    if
    :: left == 0 -> sent = 0; goto end
    :: else
    fi
  };
end_asleep:
  atomic { now >= sent -> goto attempt };
section:
  atomic { inside++; assert(inside == 1) };
  atomic { inside--; sent = 0; left = 0 };
  if /* GET */
  :: atomic { stamp != 0 && now < stamp -> skip }
  :: atomic { !(stamp != 0 && now < stamp) -> goto end }
  fi;
  stamp = 0; /* DEL */
end:
  false
}
