// One run of the clients that were made before all others.
#pragma once

#include <string>

#include "model/engine.hpp"
#include "run/witness.hpp"

namespace interlock::sim {

// A program may count how often it was made: the first is the leader, say. One that is made later
// never is, and that is all that a search sees, which makes each hundreds of times. So the clients
// are made once in order before anything is learned, as they would be outside, and when everything
// is known they take their turns in one run without faults.
class Rehearsal {
 public:
  // Makes them. `engine` has learned nothing yet.
  explicit Rehearsal(Engine& engine);

  // Empty, or what a client did instead of what was learned. May end in Engine::why_no_verdict().
  std::string run();

 private:
  Engine& engine_;
  Witness witness_;
};

}  // namespace interlock::sim
