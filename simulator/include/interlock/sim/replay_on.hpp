// The operations of a run, in its order, on real stores: a race that was found becomes one that can
// be watched, and the simulated store is compared with a real one.
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
  // One connection for each client, and one for the initial keys. Stores that answer inside
  // submit().
  std::function<std::unique_ptr<KeyValueStore>()> connect;
  // Lets so much real time pass, so that keys can expire. Null: time steps are left out; so are
  // those in which no key expires and no script runs.
  std::function<void(Duration)> wait;
  // Before every key and channel, so that nothing else in the store is touched.
  std::string prefix = "interlock-replay:";
};

class RealStep {
 public:
  enum class Outcome : std::uint8_t {
    same,  // as in the simulator; of numbers that clocks decide, only the kind is compared
    different,
    left_out,  // no operation, or one that cannot be brought about from outside
  };
  std::size_t step = 0;  // in the run, from 0
  Outcome outcome = Outcome::left_out;
  std::string answer;  // of the real store; why, if it was left out
};

// One entry for each step. Keys are made as the run found them, and erased afterwards. Errors: what
// the store says when the keys cannot be made; later ones are answers.
Result<std::vector<RealStep>> replay_on(const Run& run, const RealWorld& world);

}  // namespace interlock::sim
