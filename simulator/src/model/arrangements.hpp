// A state, or a step, as it looks when identical clients change places: how a search that takes
// such states as one asks a predicate that may name a client.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "base/names.hpp"
#include "interlock/sim/run.hpp"
#include "model/engine.hpp"

namespace interlock::sim {

// `Seen` is a Snapshot or a StepView.
template <class Seen>
class Arrangements {
 public:
  // Exchanges the clients that the search merges; the first arrangement is `view` itself.
  Arrangements(const Engine& engine, Seen view);

  // Shows each arrangement to `look(const Seen&)` once, until that answers true. Then permutation()
  // says which client has taken which place. False: it never answered true.
  template <class Look>
  bool any(Look look) {
    return any_from(0, look);
  }
  Permutation permutation() const;

 private:
  template <class Look>
  bool any_from(std::size_t place, Look& look) {
    if (place == clients_) return look(std::as_const(view_));
    std::uint32_t tried = 0;
    for (std::size_t other = place; other < end_of_class_[place]; ++other) {
      // A client that looks like one that was here before gives the same arrangements again.
      if ((tried >> looks_like_[other] & 1) != 0) continue;
      tried |= 1U << looks_like_[other];
      exchange(place, other);
      if (any_from(place + 1, look)) return true;
      exchange(place, other);
    }
    return false;
  }

  bool look_alike(std::size_t one, std::size_t other) const;
  void exchange(std::size_t one, std::size_t other);

  Seen view_;
  std::size_t clients_;
  std::uint32_t named_;  // in texts, one bit for each client
  std::array<std::size_t, Permutation::count> end_of_class_{};
  std::array<std::uint8_t, Permutation::count> looks_like_{};  // the first client that does
  std::array<std::uint8_t, Permutation::count> who_{};         // stands in each place
};

}  // namespace interlock::sim
