// Clients that wait for a lock, for tests of liveness.
#pragma once

#include "interlock/sim/client.hpp"
#include "interlock/store/key_value_store.hpp"

namespace interlock::sim {

inline const Key lock_key("lock");

// SETNX until it works.
inline Task<void> spin(Client& me, bool for_ever) {
  do {
    me.wants("lock");
    for (;;) {
      co_await me.loop_head();
      const Result<bool> taken = co_await me.store().set_if_absent(lock_key, "1");
      if (taken && *taken) break;
    }
    me.enter("lock");
    co_await me.leave("lock");
    static_cast<void>(co_await me.store().erase(lock_key));
  } while (for_ever);
}
inline Task<void> spins_for_ever(Client& me) {
  return spin(me, true);
}

// Tries again until its coin falls on the right side.
inline Task<void> throws_a_coin(Client& me) {
  me.wants("lock");
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().get(lock_key));
    if (me.choose(2) == 1) break;
  }
  me.enter("lock");
  co_await me.leave("lock");
}

}  // namespace interlock::sim
