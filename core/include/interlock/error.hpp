// What can go wrong, told apart by what the caller can do about it.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace interlock {

// What the caller can still do differs, so the code differs; a code that nobody would handle
// differently does not exist. Lost races are not errors: see AcquireOutcome, RenewOutcome.
enum class Errc {
  unavailable,       // never sent: the store is certainly unchanged. Safe to try again
  indeterminate,     // sent, no usable answer: the store may or may not have changed
  rejected,          // the store said no (WRONGTYPE, NOPERM, NOAUTH, OOM): unchanged
  cancelled,         // the caller gave up; nothing is held on its behalf
  invalid_argument,  // empty name, ttl <= 0, a blocking call on the client's own loop: a bug in the
                     // caller, told before anything was sent
  forked,  // in a child of fork(), by what its parent made: nothing was sent. Make a new one
};

std::string_view to_string(Errc code) noexcept;

// `detail` is for people and reads "what failed: the fact: what to do"; `code` is for programs.
class Error {
 public:
  Error(Errc code, std::string detail) : code_(code), detail_(std::move(detail)) {}

  Errc code() const noexcept { return code_; }
  const std::string& detail() const noexcept { return detail_; }

  friend bool operator==(const Error&, const Error&) = default;

 private:
  Errc code_;
  std::string detail_;
};

// A value, or the reason why there is none. The interface is the part of tl::expected that
// std::expected has as well; the class exists to be [[nodiscard]].
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

template <class T>
bool failed_with(const Result<T>& result, Errc code) {
  return !result.has_value() && result.error().code() == code;
}

}  // namespace interlock
