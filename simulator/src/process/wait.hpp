// What a process waits for, as a value that can be compared and printed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/century.hpp"
#include "base/flat_map.hpp"
#include "base/names.hpp"
#include "interlock/store/operation.hpp"
#include "interlock/store/value.hpp"

namespace interlock::sim {

enum class WaitKind : std::uint8_t {
  nothing,
  operation,
  message,
  sleep,
  leave,
  write,
  loop_head,
  joined,
};

class Wait {
 public:
  WaitKind kind = WaitKind::nothing;
  std::string task;
  Operation operation{OperationKind::get};  // of operation and message
  std::size_t server = 0;
  bool wall = false;    // of sleep: by the clock that may be set
  TimePoint until{};    // of sleep
  std::string subject;  // of leave and write
  std::uint64_t fencing = 0;
  std::vector<std::int64_t> live;  // of loop_head

  friend bool operator==(const Wait&, const Wait&) = default;
};

std::string encode(const Wait& wait);
std::string encode(const Operation& operation);
std::string encode(const Reply& reply);
Operation renamed(const Operation& operation, const Permutation& permutation);
Wait renamed(const Wait& wait, const Permutation& permutation);
std::uint32_t mentions(const Operation& operation);

// Whether a script stands for one command of a server, which its arguments spell out: that of a
// script `DEL` on the key lock.foo with the arguments DEL and lock.foo.
bool is_spelled_out(const Operation& operation);
// What a client asks for, for readers: `SETNX lock.foo 112`. A command that is spelled out is said
// once; schedules have it as describe() writes it, with the name and the keys before it.
std::string request_text(const Operation& operation);

// `SETNX lock.foo 112`, `sleep`, `leave lock.foo`.
std::string describe(const Wait& wait);
std::string describe(const Reply& reply);

}  // namespace interlock::sim
