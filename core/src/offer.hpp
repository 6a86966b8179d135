// The message by which a script offers a lock to a waiter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/vocabulary.hpp"

namespace interlock {

// "<owner> <first fencing token> <number of tokens> <1 if others have places, else 0> <window in
// ms>". An offer of an earlier version has the owner alone.
class Offer {
 public:
  // None: it is no offer, or one of another version.
  static std::optional<Offer> parse(std::string_view message);
  std::string text() const;

  std::string owner;
  FencingToken fencing;
  std::int64_t tokens = 1;
  bool others_queue = false;
  Ttl window{Ttl::shortest};
};

}  // namespace interlock
