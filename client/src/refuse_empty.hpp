// Functions that a caller gives, and that are called later: on the loop, when the caller is no
// longer on the stack, or when a lock is held. An empty one is refused at once.
#pragma once

#include <functional>
#include <string>

#include "interlock/detail/assert.hpp"

namespace interlock {

// `taken_by`: the call that was given `callback`, such as `acquire_then()`.
template <class Signature>
void refuse_empty(const std::function<Signature>& callback, const char* taken_by) {
  if (callback) return;
  detail::misused(std::string(taken_by) + " without a function to call: give it one");
}

}  // namespace interlock
