// An Error as an exception, for calls that cannot return one.
#pragma once

#include <stdexcept>
#include <utility>

#include "interlock/error.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Thrown by the constructors of Client, EventLoop and Metrics, by Client::spawn, wait_for,
// acquire_then and release_then, by Mutex, SharedMutex and Election, and by the results of an
// acquire; each says when.
class LockFailure : public std::runtime_error {
 public:
  explicit LockFailure(Error error)
      : std::runtime_error(error.detail()), error_(std::move(error)) {}
  const Error& error() const noexcept { return error_; }  // code and text

 private:
  Error error_;
};

// Clang does not compile a `throw` with -fno-exceptions, not even in a template that nobody uses.
#ifdef __cpp_exceptions
// The value; throws the error as a LockFailure if there is none.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw LockFailure(std::move(result).error());
  return *std::move(result);
}
#endif

}  // namespace interlock

#pragma GCC visibility pop
