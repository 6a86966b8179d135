// What every protocol over a store says and does about answers that did not come.
#pragma once

#include <string>

#include "interlock/error.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock {

// After a lost answer the same request goes out again, because it is the only way to learn what
// became of the first. Three in all: each may take a store's whole command timeout.
constexpr int tries_max = 3;

inline Error still_unknown(const LockName& name, const char* what, const Error& last) {
  return {Errc::indeterminate, std::string(what) + " '" + name.text() +
                                   "': no usable answer after a request was sent (" +
                                   last.detail() + "): it may be held until its ttl ends"};
}

inline Error too_short(Ttl ttl) {
  return {Errc::invalid_argument, "ttl of " + std::to_string(ttl.duration().count()) +
                                      " ms leaves nothing after the safety margin: choose a longer "
                                      "one"};
}

}  // namespace interlock
