// The clients that believe that they hold a lock, and the end of each belief by the client's own
// clocks. For lease_exclusion().
#pragma once

#include <array>
#include <cstdint>

#include "base/flat_map.hpp"
#include "base/names.hpp"
#include "model/process_table.hpp"

namespace interlock::sim {

// The readings of the clocks of all clients.
using ClocksOfAll = std::array<ClockInstants, Permutation::count>;

class Beliefs {
 public:
  // By how many instants a client's clocks may be set back in all: a belief that has ended by less
  // may begin again.
  class Setback {
   public:
    std::int32_t time = 0;
    std::int32_t wall = 0;
  };

  // From now on, with no end.
  void begin(std::size_t client) { set(client, never, false); }
  // The client's belief ends at this instant of its own clock.
  void set_end(std::size_t client, std::int32_t instant, bool by_wall_clock);
  void stop(std::size_t client);

  class Settled {
   public:
    bool too_many = false;          // somebody has begun to believe, and more than `at_most` do now
    std::uint32_t with_an_end = 0;  // who believes, and that has an end: one bit for each client
  };
  // Takes in what the clocks show.
  Settled settle(const ClocksOfAll& clocks, Setback setback, std::size_t at_most);
  // One bit for each client that believes, as of the last settle().
  std::uint32_t now() const { return now_; }
  // Whether one of these ends if time goes on.
  bool one_will_end() const;
  // Whether the client believes for less long than in the others, or by another clock.
  bool may_end_before(const Beliefs& others, std::size_t client) const;
  // The longest time, in instants, until a belief ends; 0: none does.
  std::int32_t longest(const ClocksOfAll& clocks) const;

  // The beliefs one instant later, where time has no end and the present stays where it is.
  void age();
  Beliefs renamed(const Permutation& permutation) const;
  // A few bits that differ if two clients' beliefs do, more often than not.
  std::uint16_t role(std::size_t client) const;
  void encode(Encoder& out) const;
  friend bool operator==(const Beliefs&, const Beliefs&) = default;

 private:
  static constexpr std::int32_t over = -Instants::never;
  static constexpr std::int32_t never = Instants::never;

  void set(std::size_t client, std::int32_t end, bool by_wall_clock);
  bool has_end(std::size_t client) const { return ends_[client] != over && ends_[client] != never; }
  std::int32_t shown(const ClocksOfAll& clocks, std::size_t client) const {
    return (by_wall_clock_ >> client & 1U) != 0 ? clocks[client].wall : clocks[client].monotonic;
  }

  std::array<std::int32_t, Permutation::count> ends_ = nobody();
  std::uint32_t by_wall_clock_ = 0;  // one bit for each client
  std::uint32_t now_ = 0;

  static constexpr std::array<std::int32_t, Permutation::count> nobody() {
    std::array<std::int32_t, Permutation::count> ends{};
    for (std::int32_t& end : ends) end = over;
    return ends;
  }
};

}  // namespace interlock::sim
