// Owner tokens that nobody can guess, from the system's generator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interlock/token_source.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// A token reads `il1:<32 hex digits>:<pid>@<host>`: 128 random bits, and the process that drew it.
// White space and control characters in the machine's name are replaced by `_`.
// A fork discards the random bytes that were fetched from the kernel in advance, so that two
// processes never draw the same numbers. Any thread.
class SystemTokenSource final : public TokenSource {
 public:
  SystemTokenSource();
  // `unavailable`: the system gives this process no random numbers; fresh() would end the process.
  static std::optional<Error> check();
  OwnerToken fresh() override { return fresh_with({}); }
  OwnerToken fresh_with(std::string_view end) override;
  std::uint64_t below(std::uint64_t bound) override;

 private:
  std::string host_;
};

}  // namespace interlock

#pragma GCC visibility pop
