// The faults that have happened, and how the clocks are set, as one number.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/flat_map.hpp"
#include "base/names.hpp"
#include "interlock/sim/scenario.hpp"
#include "model/obstacle.hpp"
#include "model/process_table.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {

class BudgetTable {
 public:
  using Budget = std::uint32_t;
  static constexpr Budget initial = 0;

  class SpentBudget {
   public:
    std::array<std::uint8_t, fault_kinds> used{};
    std::array<std::int16_t, Permutation::count> monotonic{};
    std::array<std::int16_t, Permutation::count> wall{};
    std::array<std::int16_t, Scenario::servers_max> server{};
    std::uint16_t total = 0;  // all kinds at their most are more than 255
    // The servers, bit by bit, to which a connection is still to break: for each of them, one fault
    // that breaks connections is kept.
    std::uint8_t breaks_to_come = 0;
  };

  explicit BudgetTable(const FaultBudget& limits) : limits_(limits) { intern(SpentBudget()); }

  const SpentBudget& operator[](Budget budget) const { return contents_[budget]; }

  // Whether a fault that breaks no connection may happen.
  bool allows(Budget budget, Fault fault) const {
    const SpentBudget& content = contents_[budget];
    return left(content, fault) > 0 && left(content) > 0;
  }
  // For one that breaks the connections to this server.
  bool allows_break(Budget budget, Fault fault, std::size_t server) const {
    return left(contents_[budget], fault) > 0 && may_break(budget, server);
  }
  // Why a fault does not happen; none: allows(), or allows_break() if it breaks connections.
  Obstacle obstacle(Budget budget, Fault fault, std::size_t server) const {
    const bool breaks = fault_kind(fault).breaks_connections;
    if (breaks ? allows_break(budget, fault, server) : allows(budget, fault)) {
      return Obstacle::none;
    }
    if (limits_.limit(fault) == 0) return Obstacle::not_allowed;
    const SpentBudget& content = contents_[budget];
    if (content.total >= limits_.total()) return Obstacle::faults_used_up;
    return left(content, fault) <= 0 ? Obstacle::kind_used_up : Obstacle::kept_for_break;
  }
  // Whether something may be lost because they break, now or later.
  bool may_lose(Budget budget, std::size_t server) const {
    return !limits_.requests_survive() && may_break(budget, server);
  }
  // Whether the connections to this server may break, now or later.
  bool may_break(Budget budget, std::size_t server) const {
    const SpentBudget& content = contents_[budget];
    if ((content.breaks_to_come >> server & 1U) != 0) return true;
    int breaks = 0;
    for (const Fault fault : faults_with<&FaultKind::breaks_connections>) {
      breaks += left(content, fault);
    }
    return breaks > std::popcount(content.breaks_to_come) && left(content) > 0;
  }
  bool breaks_are_to_come(Budget budget) const { return contents_[budget].breaks_to_come != 0; }

  ClockInstants clocks(Budget budget, std::size_t client, std::int32_t time) const {
    const SpentBudget& content = contents_[budget];
    ClockInstants clocks;
    clocks.monotonic = time + content.monotonic[client];
    clocks.wall = time + content.wall[client];
    return clocks;
  }
  // In ServerTicks. A server that has lost data was away meanwhile: at least a millisecond passes,
  // where otherwise any number of steps may share an instant.
  std::int32_t server_clock(Budget budget, std::size_t server, std::int32_t time) const {
    const SpentBudget& content = contents_[budget];
    std::int32_t losses = 0;
    for (const Fault fault : faults_with<&FaultKind::loses_data>) {
      losses += content.used[static_cast<std::size_t>(fault)];
    }
    return ServerTicks::at(time + content.server[server], losses);
  }

  Budget spend(Budget budget, Fault fault) {
    return change(budget, fault, 0, [](SpentBudget&) {});
  }
  // For a fault that breaks the connections to this server. Its clock then is another one by so
  // many instants.
  Budget break_connections(Budget budget, Fault fault, std::size_t server, int clock) {
    return change(budget, fault, 16 + server, [server, clock](SpentBudget& content) {
      content.server[server] = static_cast<std::int16_t>(content.server[server] + clock);
      content.breaks_to_come = static_cast<std::uint8_t>(content.breaks_to_come & ~(1U << server));
    });
  }
  // Keeps a fault for it, if none is kept yet. may_break() must hold.
  Budget keep_for_break(Budget budget, std::size_t server) {
    SpentBudget content = contents_[budget];
    if ((content.breaks_to_come >> server & 1U) != 0) return budget;
    const std::uint64_t key = std::uint64_t{budget} << 16 | 0xff00U | server;
    if (const std::uint32_t* known = known_.find(key)) return *known;
    content.breaks_to_come = static_cast<std::uint8_t>(content.breaks_to_come | 1U << server);
    const Budget next = intern(content);
    known_.insert(key, next);
    return next;
  }
  Budget move_wall(Budget budget, Fault fault, std::size_t client, int by) {
    return change(budget, fault, 1 + client, [client, by](SpentBudget& content) {
      content.wall[client] = static_cast<std::int16_t>(content.wall[client] + by);
    });
  }
  Budget move_server(Budget budget, Fault fault, std::size_t server, int by) {
    return change(budget, fault, 16 + server, [server, by](SpentBudget& content) {
      content.server[server] = static_cast<std::int16_t>(content.server[server] + by);
    });
  }
  Budget drift(Budget budget, std::size_t client) {
    return change(budget, Fault::drift, 32 + client, [client](SpentBudget& content) {
      content.monotonic[client] = static_cast<std::int16_t>(content.monotonic[client] - 1);
      content.wall[client] = static_cast<std::int16_t>(content.wall[client] - 1);
    });
  }

  Budget rename(Budget budget, const Permutation& permutation) {
    const SpentBudget before = contents_[budget];
    SpentBudget after = before;
    for (std::size_t client = 0; client < Permutation::count; ++client) {
      after.monotonic[permutation[client]] = before.monotonic[client];
      after.wall[permutation[client]] = before.wall[client];
    }
    return intern(after);
  }
  std::uint32_t size() const { return contents_.size(); }

  // Whether such a fault was taken since the table was made, or since forget_taken().
  bool is_taken(Fault fault) const { return is_taken_[static_cast<std::size_t>(fault)]; }
  void forget_taken() { is_taken_ = {}; }

 private:
  static_assert(Scenario::servers_max <= 8);

  int left(const SpentBudget& content, Fault fault) const {
    return static_cast<int>(limits_.limit(fault)) - content.used[static_cast<std::size_t>(fault)];
  }
  // How many faults of any kind are left, besides those that are kept.
  int left(const SpentBudget& content) const {
    return static_cast<int>(limits_.total()) - content.total -
           std::popcount(content.breaks_to_come);
  }

  template <class Change>
  Budget change(Budget budget, Fault fault, std::size_t what, Change apply) {
    const std::uint64_t key = std::uint64_t{budget} << 16 | static_cast<std::uint64_t>(fault) << 8 |
                              static_cast<std::uint64_t>(what);
    is_taken_[static_cast<std::size_t>(fault)] = true;
    if (const std::uint32_t* known = known_.find(key)) return *known;
    SpentBudget content = contents_[budget];
    ++content.used[static_cast<std::size_t>(fault)];
    ++content.total;
    apply(content);
    const Budget next = intern(content);
    known_.insert(key, next);
    return next;
  }

  Budget intern(const SpentBudget& content) {
    Encoder identity;
    for (const auto used : content.used) identity.number(used);
    for (const auto offset : content.monotonic) identity.number(offset);
    for (const auto offset : content.wall) identity.number(offset);
    for (const auto offset : content.server) identity.number(offset);
    identity.number(content.breaks_to_come);
    return contents_.add(content, identity.take()).first;
  }

  FaultBudget limits_;
  Interner<SpentBudget> contents_;
  FlatMap<> known_;
  std::array<bool, fault_kinds> is_taken_{};
};

}  // namespace interlock::sim
