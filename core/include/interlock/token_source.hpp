// The only source of random numbers that a protocol may use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Used by one thread at a time, unless the source says more (SystemTokenSource: any thread).
class TokenSource {
 public:
  virtual ~TokenSource() = default;

  // A token that no other client has or can guess; begins with OwnerToken::mark.
  virtual OwnerToken fresh() = 0;
  // The same with this text at its end.
  virtual OwnerToken fresh_with(std::string_view end) {
    return OwnerToken(fresh().text() + std::string(end));
  }

  // A random number in [0, bound), for jitter; `bound` > 0. In the simulator each number is a
  // branch of the search.
  virtual std::uint64_t below(std::uint64_t bound) = 0;
};

}  // namespace interlock

#pragma GCC visibility pop
