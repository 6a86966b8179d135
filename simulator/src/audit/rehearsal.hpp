// One run of the clients that were made before all others.
#pragma once

#include <string>

#include "model/engine.hpp"
#include "run/witness.hpp"

namespace interlock::sim {

// A program may count how often it was made: the first is the leader, say. A search makes each
// program hundreds of times, so it would see only programs that are no leader. So the clients are
// made once, in order, before the search learns anything, as they would be outside. When everything
// is known, they take their turns in one run without faults.
class Rehearsal {
 public:
  // Makes them. `engine` has learned nothing yet.
  explicit Rehearsal(Engine& engine);

  // Empty, or what a client did instead of what was learned. May end in Engine::why_no_verdict().
  std::string run();
  const Engine& engine() const { return engine_; }

 private:
  Engine& engine_;
  Witness witness_;
};

}  // namespace interlock::sim
