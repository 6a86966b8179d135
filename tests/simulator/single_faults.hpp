// The faults that a world with one lock can have, one at a time, for tests with a parameter.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "interlock/sim/faults.hpp"

namespace interlock::sim {

// Those that leave a server its keys.
inline auto faults_that_keep_keys() {
  return ::testing::Values(Fault::crash, Fault::unreachable, Fault::lost_request, Fault::lost_reply,
                           Fault::late_execution, Fault::duplicate, Fault::rejected,
                           Fault::lost_message, Fault::restart, Fault::clock_jump,
                           Fault::clock_back, Fault::drift);
}
inline auto faults_that_lose_keys() {
  return ::testing::Values(Fault::restart_empty, Fault::eviction, Fault::failover);
}

inline std::string word_of(Fault fault) {
  std::string name(to_string(fault));
  for (char& character : name) character = character == '-' ? '_' : character;
  return name;
}
inline std::string name_of(const ::testing::TestParamInfo<Fault>& info) {
  return word_of(info.param);
}

}  // namespace interlock::sim
