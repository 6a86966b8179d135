// Sends the operations of a run, in its order, to real stores. So people can watch a race that the
// search has found, and tests can compare the simulated store with a real one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interlock/sim/run.hpp"
#include "interlock/store/key_value_store.hpp"

namespace interlock::sim {

class RealWorld {
 public:
  // Makes a connection: called once for each client, and once for the initial keys. The stores must
  // answer inside submit().
  std::function<std::unique_ptr<KeyValueStore>()> connect;
  // Waits for a real time, so that keys can expire. Null: steps of time are left out; so are those
  // in which no key expires and no script runs.
  std::function<void(Duration)> wait;
  // Put before every key and channel, so that a replay changes nothing else in the store.
  std::string prefix = "interlock-replay:";
};

class RealStep {
 public:
  enum class Outcome : std::uint8_t {
    same,  // as in the simulator; of a number that clocks decide, only the kind is compared
    different,
    left_out,  // no operation, or one that a client cannot cause from outside
  };
  std::size_t step = 0;  // in the run, from 0
  Outcome outcome = Outcome::left_out;
  std::string answer;  // of the real store; if the step was left out, the reason
};

// Returns one entry for each step. Makes the initial keys of the run, and erases all keys
// afterwards. Errors: those of the store when the initial keys cannot be made; later ones are
// answers.
Result<std::vector<RealStep>> replay_on(const Run& run, const RealWorld& world);

}  // namespace interlock::sim
