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
  // Makes a connection, never null: called once for each client, and once for the initial keys. The
  // stores must answer inside submit().
  std::function<std::unique_ptr<KeyValueStore>()> connect;
  // Waits for a real time, so that keys can expire. Called for a step of time if a key then has
  // an expiry, or if any step of the run calls a script. Null: nothing waits.
  std::function<void(Duration)> wait;
  // Put before every key and channel, so that a replay changes nothing else in the store.
  std::string prefix = "interlock-replay:";
};

class RealStep {
 public:
  enum class Match : std::uint8_t {
    same,  // the answer of the simulator; if a number depends on a clock or on who listens (a
           // ttl, a fencing token, the answer to PUBLISH), only its sign is compared
    different,
    left_out,  // a step of time, a fault, a wait for a message, a step at another server, ...
  };
  std::size_t step = 0;  // in the run, from 0
  Match outcome = Match::left_out;
  std::string answer;  // of the real store; if the step was left out, why, or what was done instead
};

// Returns one entry for each step. Erases the run's keys under the prefix, makes its initial keys,
// and erases all of them again afterwards. Errors: those of the store when the initial keys cannot
// be made; later ones are answers.
Result<std::vector<RealStep>> replay_on(const Run& run, const RealWorld& world);

}  // namespace interlock::sim
