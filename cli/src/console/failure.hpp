// Why the program cannot go on: one line for people, one number for programs.
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>

#include "console/exit_code.hpp"

namespace interlock::cli {

// `message` reads "what failed: the fact: what to do", in one line.
class Failure {
 public:
  Failure(int with_code, std::string because) : code(with_code), message(std::move(because)) {}
  int code;
  std::string message;
  // With --json, more fields: the text of a JSON object.
  std::string fields = "{}";
};

// The word for a failure's exit code in JSON: `usage`, `unreachable`, `refused`, `misconfigured`,
// `not_acquired`, `lost`, `not_started`, or `failed`.
constexpr std::string_view result_of(int code) {
  switch (code) {
    case usage:
      return "usage";
    case unreachable:
      return "unreachable";
    case refused:
      return "refused";
    case bad_configuration:
      return "misconfigured";
    case not_acquired:
      return "not_acquired";
    case lost:
      return "lost";
    case not_executable:
    case not_found:
      return "not_started";
    default:
      return "failed";
  }
}

template <class T>
class [[nodiscard]] Fallible : public tl::expected<T, Failure> {
 public:
  using tl::expected<T, Failure>::expected;
  Fallible(Failure failure)  // NOLINT(google-explicit-constructor): as interlock::Result
      : tl::expected<T, Failure>(tl::unexpect, std::move(failure)) {}
};

// The system has refused descriptors, threads or memory that the program cannot do without.
inline Failure system_failure(const std::system_error& error) {
  return {operating_system, std::string(error.what()) +
                                ": raise the limit (ulimit -n, -u, -v) or end something else"};
}

}  // namespace interlock::cli
