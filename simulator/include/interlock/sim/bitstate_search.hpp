// A search for state spaces that do not fit into memory: it keeps some bits of each state, and not
// the state.
#pragma once

#include <cstdint>
#include <functional>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// Bitstate hashing (Holzmann, An Analysis of Bitstate Hashing, Formal Methods in System Design 13,
// 1998), depth-first. Each state sets `bits_per_state` bits, chosen by its hash, in one large
// table. A state whose bits are all set counts as seen. So the search may take a new state for an
// old one, and overlook it and what only it leads to.
class BitstateSearch {
 public:
  static constexpr int bits_per_state = 3;
  // Bytes of the table, at least `memory_least`; less is `invalid`. The search takes them when it
  // begins, and is `incomplete` if the system refuses them. It needs little besides: the run that
  // it is in, and the learned programs.
  std::uint64_t memory = std::uint64_t{1} << 30;
  static constexpr std::uint64_t memory_least = 1024;
  // The order in which the steps of each state are taken. Where the table is too small, several
  // searches with different seeds see more than one. The same seed gives the same search, on every
  // machine and with every compiler.
  std::uint64_t seed = 1;
  std::uint64_t states = ~std::uint64_t{0};                // it ends before it takes one more
  std::uint64_t repeated_steps = Limits().repeated_steps;  // see there
  // Called every so often; false ends the search. Progress::depth is the length of the run that the
  // search is in.
  std::function<bool(const Progress&)> proceed;
};

class BitstateVerdict {
 public:
  // `violated`: by verdict.run, which is not shortened. Never `proved`: if the search ends without
  // a violation, it is `incomplete`. verdict.depth is the length of the longest run.
  Verdict verdict;
  // The probability, at the end of the search, that a new state is taken for an old one. If the
  // search has come to its end, it has overlooked a violation that is n steps away with a
  // probability of at most n times this, if hashes are as good as random.
  double omission = 0;
  bool at_end = false;  // nothing was left to search
};

// Liveness properties are left out, because the search cannot look at a state again: the verdict is
// `invalid` if no other property is required. Any thread may call this; see client.hpp about
// threads.
BitstateVerdict search_bitstate(const Scenario& scenario, const BitstateSearch& how);

}  // namespace interlock::sim
