// What an object does when one operation comes after another: the specification to which
// linearizable() compares the operations of concurrent clients.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace interlock::sim {

// One way in which an operation may end.
class AllowedResult {
 public:
  std::optional<std::int64_t> result;  // none: nothing
  std::vector<std::int64_t> state;     // of the object, afterwards
  friend auto operator<=>(const AllowedResult&, const AllowedResult&) = default;
};

class Sequential {
 public:
  // All ways in which this operation may end in this state of the object; none: it must not come in
  // this state at all. It must answer by its arguments alone, and must come to an end; if it throws
  // or answers differently when it is asked again, the scenario is `invalid`.
  using Apply = std::function<std::vector<AllowedResult>(const std::vector<std::int64_t>& state,
                                                         const std::string& operation,
                                                         std::optional<std::int64_t> argument)>;

  std::vector<std::int64_t> initial;    // the object's state at the beginning
  std::vector<std::string> operations;  // those that it knows; empty: apply() knows all
  Apply apply;
};

// Ready specifications. An operation with no result returns nothing (Client::returns without one).
// A number that an operation lacks counts as 0, and one too many is ignored.
namespace sequential {

// `read` returns the number that was written last; `write`, with a number, returns nothing.
Sequential a_register(std::int64_t initial = 0);

// `increment` returns the number after it; `read` returns the number.
Sequential counter(std::int64_t initial = 0);

// `push`, with a number, returns nothing; `pop` returns the number that was pushed first of those
// that are there, or nothing if there is none.
Sequential queue();

// `add` and `remove`, each with a number, return 1 if they have changed the set, else 0. `contains`
// returns 1 if the number is there, else 0.
Sequential set();

}  // namespace sequential

}  // namespace interlock::sim
