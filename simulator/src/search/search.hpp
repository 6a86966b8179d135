// Breadth-first, by fewest faults, then fewest steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "model/action.hpp"
#include "model/engine.hpp"
#include "model/snapshot.hpp"

namespace interlock::sim {

class SearchResult {
 public:
  // With Engine::is_merge_refuted() the end means nothing.
  enum class End : std::uint8_t { complete, violated, limited, too_narrow, failed };
  End end = End::complete;
  std::string reason;
  std::uint16_t violated = 0;       // the property's number, counted from 1
  std::vector<Action> path;         // of the first violation, in the names of the search
  std::optional<std::size_t> loop;  // the part of the path that is repeated for ever begins here
  std::uint64_t violations = 0;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::size_t depth = 0;
  std::size_t bytes = 0;  // of states, and of the graph in which loops are looked for
  // The limit in bytes that ended the search, or that would have ended it where no memory was left;
  // 0: neither.
  std::uint64_t memory_limit = 0;
};

// The reason if the caller has ended the search.
inline constexpr std::string_view ended_by_caller = "ended by its caller";
inline constexpr std::string_view requires_nothing =
    "the scenario requires nothing: add a property with Scenario::require";

// By property: whether the run that has led to `first` owes what a leads_to() promises. Empty: it
// owes nothing.
using OwedProperties = std::vector<bool>;

// Why the programs are too large to be searched; empty: they are not.
std::string why_too_large(const Engine& engine, const Limits& limits);

// The run that was found cannot be shown, because the programs break a promise on which the verdict
// would rest, or because nothing can be decided: the verdict has none.
void take_back(Verdict& verdict, const Engine& engine);

// All runs from `first` on. Components of 16 bits first: `too_narrow` if a number does not fit.
// `wide` has 32.
SearchResult search_narrow(Engine& engine,
                           const Limits& limits,
                           const WideState& first,
                           const OwedProperties& owed = {});
SearchResult search_wide(Engine& engine,
                         const Limits& limits,
                         const WideState& first,
                         const OwedProperties& owed = {});

}  // namespace interlock::sim
