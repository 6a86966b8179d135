#include "search/search.hpp"

#include "search/by_width.hpp"

namespace interlock::sim {
namespace {

// For a search with which nobody goes on later.
class NoCheckpoints {
 public:
  static constexpr bool keeps = false;
};

constexpr const char* how_to_end_it =
    ": does it retry for ever? Bound it, or add a loop_head; rounds that each draw a fresh owner "
    "token are never one";

}  // namespace

std::string why_too_large(const Engine& engine, const Limits& limits) {
  if (engine.too_large()) {
    return "a program has more than " + std::to_string(limits.local_states) + " local states" +
           how_to_end_it;
  }
  if (engine.program_steps() > limits.program_steps) {
    return "a client takes more than " + std::to_string(limits.program_steps) + " steps" +
           how_to_end_it;
  }
  return {};
}

SearchResult search_narrow(Engine& engine,
                           const Limits& limits,
                           const WideState& first,
                           const OwedProperties& owed) {
  NoCheckpoints none;
  return search_with<std::uint16_t>(engine, limits, first, owed, none);
}

SearchResult search_wide(Engine& engine,
                         const Limits& limits,
                         const WideState& first,
                         const OwedProperties& owed) {
  NoCheckpoints none;
  return search_with<std::uint32_t>(engine, limits, first, owed, none);
}

}  // namespace interlock::sim
