// Errors, which differ in what the caller can do about them.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace interlock {

// Two codes differ only if a caller would handle them differently. That another client holds the
// lock is not an error: see AcquireOutcome, RenewOutcome.
enum class Errc {
  unavailable,       // not sent: the store is certainly unchanged. Safe to try again
  indeterminate,     // sent, but no usable answer: the store may or may not have changed
  rejected,          // the store refused it (WRONGTYPE, NOPERM, NOAUTH, OOM), and is unchanged
  cancelled,         // the caller gave up; the client holds nothing for it
  invalid_argument,  // empty name, ttl <= 0, a blocking call on the client's own loop: a bug in the
                     // caller, found before anything was sent
  forked,  // this process is a child of the one that made the object: nothing was sent. Make a new
           // one
};

std::string_view to_string(Errc code) noexcept;

// Why something was not done. `detail` is for people, one line: "what failed: the fact: what to
// do". `code` is for programs.
class Error {
 public:
  Error(Errc code, std::string detail) : code_(code), detail_(std::move(detail)) {}

  Errc code() const noexcept { return code_; }                    // what the caller can do about it
  const std::string& detail() const noexcept { return detail_; }  // for people

  friend bool operator==(const Error&, const Error&) = default;

 private:
  Errc code_;
  std::string detail_;
};

// The store was away: the same request may succeed later. Any other error is returned at once.
inline bool is_out_of_reach(const Error& error) noexcept {
  return error.code() == Errc::unavailable || error.code() == Errc::indeterminate;
}

// A value, or the error because of which there is none. The interface is the part of tl::expected
// that std::expected has as well; the class exists to be [[nodiscard]].
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(Error error)  // NOLINT(google-explicit-constructor): `co_return Error{...}` is the point
      : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}

  // Needed because tl::expected's two templates are ambiguous for a derived class.
  friend bool operator==(const Result& one, const Result& two) {
    if (one.has_value() != two.has_value()) return false;
    return one.has_value() ? *one == *two : one.error() == two.error();
  }
};

// Whether there is no value, because of an error with this code.
template <class T>
bool failed_with(const Result<T>& result, Errc code) {
  return !result.has_value() && result.error().code() == code;
}

}  // namespace interlock

#pragma GCC visibility pop
