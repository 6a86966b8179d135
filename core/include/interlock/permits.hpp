// How many permits of a lock an owner wants, and how many there are.
#pragma once

#include <cstdint>
#include <string>

#include "interlock/error.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// `wanted` of `all`: 1 <= wanted <= all <= 1'000'000. Nobody can take more than there are, so all
// clients of a lock must name the same number.
class Permits {
 public:
  static constexpr std::int64_t most = 1'000'000;  // permits that a lock can have

  // `invalid_argument`: out of those ranges.
  static Result<Permits> parse(std::int64_t wanted, std::int64_t all);
  // For constants in code; numbers out of range end the process with a message.
  Permits(std::int64_t wanted, std::int64_t all);

  std::int64_t wanted() const noexcept { return wanted_; }  // by one holder
  std::int64_t all() const noexcept { return all_; }        // that there are
  // How the owner token ends that wants them: `/permits:3of8/fair`.
  std::string mark() const;

  friend auto operator<=>(const Permits&, const Permits&) = default;

 private:
  std::int64_t wanted_;
  std::int64_t all_;
};

}  // namespace interlock

#pragma GCC visibility pop
