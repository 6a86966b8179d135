// Programs drawn by chance that write one number, line by line: for tests that compare what the
// search says of leads_to() with a slower way to find it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/sim/client.hpp"
#include "interlock/store/key_value_store.hpp"

namespace interlock::sim {

// Writes its number, and goes on at one of `next`, which it chooses; none: it ends.
class Line {
 public:
  int writes = 0;
  std::vector<std::size_t> next;
};
using Lines = std::vector<Line>;

// What the property leads from, and to.
inline constexpr int from_number = 1;
inline constexpr int to_number = 2;

// For people.
inline std::string text_of(const std::vector<Lines>& programs) {
  std::string text;
  for (const Lines& lines : programs) {
    text += "client\n";
    for (const Line& line : lines) {
      text += "  writes " + std::to_string(line.writes) + ", then";
      for (const std::size_t next : line.next) text += " " + std::to_string(next);
      text += "\n";
    }
  }
  return text;
}

inline Task<void> run_lines(Client& me, Lines lines) {
  std::size_t at = 0;
  for (;;) {
    co_await me.loop_head(at);
    me.note("line", static_cast<std::int64_t>(at));
    const std::string value = std::to_string(lines[at].writes);
    static_cast<void>(co_await me.store().set(Key("n"), value));
    const std::vector<std::size_t>& next = lines[at].next;
    if (next.empty()) co_return;
    at = next.size() == 1 ? next[0] : next[me.choose(next.size())];
  }
}

}  // namespace interlock::sim
