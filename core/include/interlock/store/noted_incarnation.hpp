// What the key incarnation_key() of a store with quarantines says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// `<incarnation> <end of its quarantine, ms of the store's clock> <how long one lasts, ms>`.
class NotedIncarnation {
 public:
  // None: it is no such text, or there is none.
  static std::optional<NotedIncarnation> parse(std::string_view text);
  std::string text() const;

  std::string incarnation;
  milliseconds ends{0};
  milliseconds lasts{0};
};

}  // namespace interlock

#pragma GCC visibility pop
