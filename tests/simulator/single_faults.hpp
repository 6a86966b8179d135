// The faults that a world with one lock can have, one at a time, for tests with a parameter.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "interlock/sim/faults.hpp"

namespace interlock::sim {

// Those that leave a server its keys.
inline constexpr std::array keeping_keys{
    Fault::crash,          Fault::unreachable, Fault::lost_request,    Fault::lost_reply,
    Fault::late_execution, Fault::duplicate,   Fault::rejected,        Fault::lost_message,
    Fault::restart,        Fault::clock_jump,  Fault::clock_back,      Fault::drift,
    Fault::lost_write,     Fault::late_write,  Fault::duplicate_write, Fault::client_restart};
inline constexpr std::array losing_keys{Fault::restart_empty, Fault::eviction, Fault::failover};

// Time passes at any moment without a fault, so `pause` alone is in neither list.
constexpr bool every_fault_is_in_one_list() {
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    const auto places = std::count(keeping_keys.begin(), keeping_keys.end(), fault) +
                        std::count(losing_keys.begin(), losing_keys.end(), fault);
    if (places != (fault == Fault::pause ? 0 : 1)) return false;
  }
  return true;
}
static_assert(every_fault_is_in_one_list());

inline auto faults_that_keep_keys() {
  return ::testing::ValuesIn(keeping_keys);
}
inline auto faults_that_lose_keys() {
  return ::testing::ValuesIn(losing_keys);
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
