// Owner tokens are long and look alike; in a drawing the first one that C1 uses is `C1#1`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/sim/run.hpp"

namespace interlock::sim::draw {

class TokenNames {
 public:
  explicit TokenNames(const Run& run);

  // Every token in a text replaced by its name.
  std::string in(std::string_view text) const;

 private:
  void meet(const std::string& text, const std::string& client);

  std::vector<std::pair<std::string, std::string>> names_;  // the longest token first
};

}  // namespace interlock::sim::draw
