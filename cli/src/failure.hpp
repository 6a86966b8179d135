// Why the program cannot go on: one line for people, one number for programs.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "exit_code.hpp"

namespace interlock::cli {

// `message` reads "what failed: the fact: what to do", in one line.
class Failure {
 public:
  Failure(int with_code, std::string because) : code(with_code), message(std::move(because)) {}
  int code;
  std::string message;
};

template <class T>
class [[nodiscard]] Outcome : public tl::expected<T, Failure> {
 public:
  using tl::expected<T, Failure>::expected;
  Outcome(Failure failure)  // NOLINT(google-explicit-constructor): as interlock::Result
      : tl::expected<T, Failure>(tl::unexpect, std::move(failure)) {}
};

}  // namespace interlock::cli
