// What a run of the benchmark is asked for.
#pragma once

#include <string>

#include "clock.hpp"
#include "interlock/local_queue.hpp"

namespace interlock::contention {

struct ContentionSettings {
  std::string store;
  int clients = 100;
  int processes = 4;
  int sections = 1000;
  double section_ms = 1;
  int rounds = 3;

  Nanoseconds length() const { return static_cast<Nanoseconds>(section_ms * 1e6); }
  std::string lock = "queue-lock";
  int hand_over = static_cast<int>(HandOverPolicy().sections);
  bool json = false;
};

}  // namespace interlock::contention
