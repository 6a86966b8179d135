// The fairness under which liveness is decided, where a scenario chooses it: Scenario::fairness().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "interlock/sim/run.hpp"

namespace interlock::sim {

enum class Fairness : std::uint8_t {
  // They need never come, however long they are possible.
  none,
  // If from some moment on such a step is possible all the time, such steps come again and again
  // (TLA+: WF). Unless something else is chosen, this is so of each task of each client by itself,
  // of the requests that a client has left behind, and of time.
  weak,
  // If such a step is possible again and again, such steps come again and again (TLA+: SF).
  strong,
};

// The steps whose fairness is chosen: one of the functions below makes them.
class FairSteps {
 public:
  using Predicate = std::function<bool(const StepView&)>;
  enum class Which : std::uint8_t { of_client, of_time, named };

  explicit FairSteps(Which which) : kind(which) {}

  Which kind;
  std::size_t client = 0;  // for steps_of(): counted from 0
  std::string name;        // for steps_called(): `B takes the lock`
  Predicate are;           // for steps_called()
};

// Each step of this client, counted from 0, whichever of its tasks takes it, its beginning
// included. Chosen as `none`, the client may stop for ever at any moment, as one that has crashed,
// and no fault has happened; what it has left behind on its way to a store still arrives. As
// `strong`, each of its tasks moves again and again if it can again and again.
FairSteps steps_of(std::size_t client);
// The steps in which time passes. Chosen as `none`, time may stand still for ever.
FairSteps steps_of_time();
// The steps that satisfy the user's own predicate (an action of TLA+), which gets a name: `B takes
// the lock`. The choice adds to what is so without it: `weak` and `strong` steps are one action
// beside those of the clients, and steps that are `none` are taken out of those. A step is possible
// in a state if the client can take it there, or when it has only heard the answer that is on its
// way to it. So it makes no difference that the execution of a request and its answer may be two
// steps. Of a random choice, each branch is a possible step: chosen as `strong`, it comes.
//
// What each_step() says of its predicates holds for this one: it must answer by the StepView alone,
// and if it throws, the scenario is `invalid`. Faults are never among these steps, because they
// come to an end. Some step must satisfy it, or the search proves nothing. While `client` may be
// any of several, the steps of all of them are one action; give each client its own if each must
// come.
FairSteps steps_called(std::string name, FairSteps::Predicate are);
// The steps in which this client enters the lock (Client::enter): steps_called() under the name
// `A enters lock.foo`.
FairSteps entering(std::string lock, std::size_t client);

// `A`, `time`, `'B takes the lock'`.
std::string describe(const FairSteps& steps);

class ChosenFairness {
 public:
  Fairness fairness;
  FairSteps steps;
};

}  // namespace interlock::sim
