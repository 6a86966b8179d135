/* SET key TOKEN NX PX 1000 as a lock: each client tries twice, and four instants are 1000 ms apart.
   A release deletes the key if it still holds the client's token, so no client deletes the key of
   another. The same in C++: pairs.cpp. */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#define ATTEMPTS 2
#define LAST_INSTANT 3

byte now;
byte owner; /* what the key holds: the number of a process; 0: there is no key */
byte ends;  /* the last instant at which the key exists */

active proctype Time() {
end:
  do
  :: atomic {
       now < LAST_INSTANT ->
       now++;
       if
       :: owner != 0 && now > ends -> owner = 0; ends = 0
       :: else
       fi
     }
  od
}

active [CLIENTS] proctype Client() {
  byte left = ATTEMPTS;
end:
  do
  :: atomic {
       left > 0 ->
       left--;
       if
       :: owner == 0 -> owner = _pid; ends = now + 1; goto section
       :: else
       fi
     }
  od;
section:
  skip; /* the client leaves its section */
  atomic {
    if
    :: owner == _pid -> owner = 0; ends = 0
    :: else
    fi;
    goto end
  }
}
