/* Peterson's lock for two processes that enter again and again. Each read and each write of a
   shared variable is a step of its own. The same in C++: pairs.cpp. */
bool wants[2], inside[2];
byte turn;

active [2] proctype Process() {
  byte i = _pid, j = 1 - _pid;
  do
  :: wants[i] = true;
     turn = j;
     do
     :: atomic { !wants[j] -> inside[i] = true; break }
     :: wants[j];
        if
        :: atomic { turn == i -> inside[i] = true; break }
        :: turn == j
        fi
     od;
     atomic { assert(!inside[j]); inside[i] = false };
     wants[i] = false
  od
}

#ifdef LIVENESS
ltl every_waiter_enters { [] (wants[0] -> <> inside[0]) && [] (wants[1] -> <> inside[1]) }
#endif
