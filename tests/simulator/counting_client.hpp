// A client that increments a counter once: an operation of an object that is linearizable.
#pragma once

#include <cstdint>

#include "interlock/sim/client.hpp"

namespace interlock::sim {

inline Task<void> counts(Client& me) {
  me.invokes("it", "increment");
  const Result<std::int64_t> number = co_await me.store().increment(Key("n"));
  if (number) {
    me.returns("it", *number);
  } else {
    me.leaves_open("it");
  }
}

}  // namespace interlock::sim
