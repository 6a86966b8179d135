// The only chance that a protocol may see.
#pragma once

#include <cstdint>

#include "interlock/vocabulary.hpp"

namespace interlock {

class TokenSource {
 public:
  virtual ~TokenSource() = default;

  // A token that nobody else has or can guess, with OwnerToken::mark in front.
  virtual OwnerToken fresh() = 0;

  // A number in [0, bound), for jitter; bound > 0. In the simulator a branch of the search.
  virtual std::uint64_t below(std::uint64_t bound) = 0;
};

}  // namespace interlock
