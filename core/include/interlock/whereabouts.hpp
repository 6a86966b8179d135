// Where a holder runs, which its owner token says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// The process that an owner token of this library names: `il1:<random>:<pid>@<host>`.
class Whereabouts {
 public:
  Whereabouts(std::int64_t process, std::string machine) : pid(process), host(std::move(machine)) {}
  std::int64_t pid;
  std::string host;
};
// None: another program's token, or one that is not well formed.
std::optional<Whereabouts> whereabouts(const OwnerToken& owner);

// Who holds a lock, for people: `web-3 pid 812`, `readers`, `2 of 3 permits`, or `another program`
// with its token. Safe for a terminal, and short.
std::string holder_text(const OwnerToken& owner);
// The same as an answer to a caller that does not get the lock, with the holder's note: `held by
// web-3 pid 812 (release 42)`, `2 of 3 permits are taken`.
std::string held_by_text(const OwnerToken& owner);

}  // namespace interlock

#pragma GCC visibility pop
