// What is done to the world, and what is promised then.
#pragma once

#include <string>
#include <vector>

#include "world.hpp"

namespace interlock::test {

enum class Losses { none, of_the_victim, of_anybody };
enum class Acquires {
  wait,         // as long as it takes
  are_refused,  // told that the store says no
};

// The texts are the rows of docs/faults.md; the rest is what the history is checked for.
class Promise {
 public:
  bool exclusion = true;  // of valid leases. False: the store may forget what it granted
  Losses losses = Losses::none;
  bool store_is_away = false;   // an offer by whose message a holder entered may be lost
  bool somebody_loses = false;  // each time
  Acquires acquires = Acquires::wait;
  std::string holders;
  std::string waiters;
};

class Fault {
 public:
  std::string name;   // for commands and tests
  std::string group;  // where it happens
  std::string title;
  Promise promise;
  void (*happens)(World& world);  // and is over, when it returns
  bool quarantine = false;        // of a store with one: WorldSettings::quarantine
  StoreOf store = StoreOf::one_server;

  // Those of a world in which it can happen.
  WorldSettings settings() const;
};

const std::vector<Fault>& faults();
// Those among them that replace servers, or move keys, of a store that has several.
std::vector<Fault> faults_of_several_servers();

// Does it and waits until all goes on: what does not, in words; empty if nothing.
std::string live_through(World& world, const Fault& fault);

// docs/faults.md.
std::string faults_document();

}  // namespace interlock::test
