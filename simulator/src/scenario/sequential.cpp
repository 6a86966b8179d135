#include "interlock/sim/sequential.hpp"

#include <algorithm>

namespace interlock::sim::sequential {
namespace {

using State = std::vector<std::int64_t>;
using Results = std::vector<AllowedResult>;

std::int64_t number_in(const State& state) {
  return state.empty() ? 0 : state.front();
}

// The greatest number is followed by the smallest.
std::int64_t next_to(std::int64_t number) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) + 1);
}

Results only(std::optional<std::int64_t> result, State state) {
  return {AllowedResult{result, std::move(state)}};
}

Results of_queue(const State& state, const std::string& operation, std::int64_t argument) {
  State next = state;
  if (operation == "push") {
    next.push_back(argument);
    return only(std::nullopt, std::move(next));
  }
  if (next.empty()) return only(std::nullopt, std::move(next));
  next.erase(next.begin());
  return only(state.front(), std::move(next));
}

Results of_set(const State& state, const std::string& operation, std::int64_t argument) {
  const auto at = std::lower_bound(state.begin(), state.end(), argument);
  const bool is_there = at != state.end() && *at == argument;
  if (operation == "contains") return only(is_there ? 1 : 0, state);
  const bool changes = is_there == (operation == "remove");
  State next = state;
  const auto place = next.begin() + (at - state.begin());
  if (changes && is_there) next.erase(place);
  if (changes && !is_there) next.insert(place, argument);
  return only(changes ? 1 : 0, std::move(next));
}

}  // namespace

Sequential a_register(std::int64_t initial) {
  const auto apply = [](const State& state, const std::string& operation,
                        std::optional<std::int64_t> argument) {
    if (operation == "read") return only(number_in(state), state);
    return only(std::nullopt, State{argument.value_or(0)});
  };
  return {{initial}, {"read", "write"}, apply};
}

Sequential counter(std::int64_t initial) {
  const auto apply = [](const State& state, const std::string& operation,
                        std::optional<std::int64_t>) {
    const std::int64_t before = number_in(state);
    const std::int64_t after = operation == "increment" ? next_to(before) : before;
    return only(after, State{after});
  };
  return {{initial}, {"increment", "read"}, apply};
}

Sequential queue() {
  const auto apply = [](const State& state, const std::string& operation,
                        std::optional<std::int64_t> argument) {
    return of_queue(state, operation, argument.value_or(0));
  };
  return {{}, {"push", "pop"}, apply};
}

Sequential set() {
  const auto apply = [](const State& state, const std::string& operation,
                        std::optional<std::int64_t> argument) {
    return of_set(state, operation, argument.value_or(0));
  };
  return {{}, {"add", "remove", "contains"}, apply};
}

}  // namespace interlock::sim::sequential
