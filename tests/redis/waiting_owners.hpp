// Steps of a random walk with owners that may wait, and what their claims and releases send: for
// the scripts of queues and of groups.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "interlock/retention.hpp"
#include "server_and_model.hpp"

namespace interlock::redis {

template <class Kind>
class Step {
 public:
  Kind kind;
  std::string owner;
  std::string wake_up;
  std::string asked_before;
  bool soon;
};

template <class Kind>
std::ostream& operator<<(std::ostream& out, const Step<Kind>& step) {
  return out << static_cast<int>(step.kind) << " " << step.owner << " '" << step.wake_up << "' "
             << step.asked_before << (step.soon ? " soon" : " late");
}

// So short that waits and ttls of the random steps reach what depends on it.
inline std::string kept_with(milliseconds ttl) {
  return std::to_string(Retention(Retention::shortest).with(ttl).count());
}

inline std::vector<std::string> claim_arguments(const std::string& owner,
                                                const std::string& wake_up,
                                                milliseconds ttl,
                                                const std::string& asked_before) {
  const std::string ms = std::to_string(ttl.count());
  std::vector<std::string> arguments{owner, ms, kept_with(ttl), "4", ms};
  if (!wake_up.empty()) {
    arguments.insert(arguments.end(), {wake_up, "50000000", ms, asked_before});
  }
  return arguments;
}

inline std::vector<std::string> release_arguments(const std::string& owner, milliseconds window) {
  return {owner, "freed", "4", std::to_string(window.count()), kept_with(window)};
}

}  // namespace interlock::redis
