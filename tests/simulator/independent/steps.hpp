// All steps that are possible in a world. Written from the comments of run.hpp, faults.hpp and
// client.hpp; naive on purpose.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interlock/sim/faults.hpp"
#include "interlock/sim/run.hpp"
#include "trial.hpp"
#include "world.hpp"

namespace interlock::sim::independent {

// A client's start and its first request are one step, and so are a request and its answer, or the
// end of a wait and what follows, where taking them apart makes no difference to what can be
// reached.
enum class Grain : std::uint8_t {
  fine,    // takes them apart all the same
  coarse,  // only if a clock is read meanwhile, another task of the client may move, or a predicate
           // looks at the world
};

class Step {
 public:
  World after;
  StepKind kind = StepKind::time;
  int client = -1;  // -1: the world moves
  int task = 0;
  std::optional<Fault> fault;
  bool applied = false;
  bool delivered = false;
  bool reads_clock = false;
  std::set<std::string> broken;   // rules that the step breaks
  std::set<std::string> reached;  // goals
};

std::vector<Step> steps_from(const World& world, const Trial& trial, Grain grain);

}  // namespace interlock::sim::independent
