// What the search must learn from the clients and their server besides the verdict. One for the
// whole process, because the native half of a script is a plain function.
#pragma once

#include <string>
#include <utility>

#include "interlock/harness/clients.hpp"

namespace interlock::harness {

class Notes : public ClientReport {
 public:
  // Ends the search: what was met is not modelled. The first one counts.
  void stop(std::string why) {
    if (problem.empty()) problem = std::move(why);
  }
};

// Used by one thread at a time: that of the search.
Notes& notes();

}  // namespace interlock::harness
