// The faults that have happened, and how the clocks are set, as one number.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flat_map.hpp"
#include "interlock/sim/scenario.hpp"
#include "names.hpp"
#include "process_table.hpp"

namespace interlock::sim {

class BudgetTable {
 public:
  using Budget = std::uint32_t;
  static constexpr Budget initial = 0;

  class Content {
   public:
    std::array<std::uint8_t, fault_kinds> used{};
    std::array<std::int16_t, Names::count> monotonic{};
    std::array<std::int16_t, Names::count> wall{};
    std::array<std::int16_t, Scenario::servers_max> server{};
    std::uint16_t total = 0;  // all kinds at their most are more than 255
  };

  explicit BudgetTable(const FaultBudget& limits) : limits_(limits) { intern(Content()); }

  const Content& operator[](Budget budget) const { return contents_[budget]; }

  bool allows(Budget budget, Fault fault) const {
    const Content& content = contents_[budget];
    return content.used[static_cast<std::size_t>(fault)] < limits_.limit(fault) &&
           content.total < limits_.total();
  }

  ClockInstants clocks(Budget budget, std::size_t client, std::int32_t time) const {
    const Content& content = contents_[budget];
    ClockInstants clocks;
    clocks.monotonic = time + content.monotonic[client];
    clocks.wall = time + content.wall[client];
    return clocks;
  }
  // In ServerTicks. A server that has lost data was away meanwhile: at least a millisecond passes,
  // where otherwise any number of steps may share an instant.
  std::int32_t server_clock(Budget budget, std::size_t server, std::int32_t time) const {
    const Content& content = contents_[budget];
    const auto used = [&content](Fault fault) {
      return static_cast<std::int32_t>(content.used[static_cast<std::size_t>(fault)]);
    };
    const std::int32_t losses =
        used(Fault::restart_empty) + used(Fault::failover) + used(Fault::eviction);
    return ServerTicks::at(time + content.server[server], losses);
  }

  Budget spend(Budget budget, Fault fault) {
    return change(budget, fault, 0, [](Content&) {});
  }
  Budget move_wall(Budget budget, Fault fault, std::size_t client, int by) {
    return change(budget, fault, 1 + client, [client, by](Content& content) {
      content.wall[client] = static_cast<std::int16_t>(content.wall[client] + by);
    });
  }
  Budget move_server(Budget budget, Fault fault, std::size_t server, int by) {
    return change(budget, fault, 16 + server, [server, by](Content& content) {
      content.server[server] = static_cast<std::int16_t>(content.server[server] + by);
    });
  }
  Budget drift(Budget budget, std::size_t client) {
    return change(budget, Fault::drift, 32 + client, [client](Content& content) {
      content.monotonic[client] = static_cast<std::int16_t>(content.monotonic[client] - 1);
      content.wall[client] = static_cast<std::int16_t>(content.wall[client] - 1);
    });
  }

  Budget rename(Budget budget, const Names& names) {
    const Content before = contents_[budget];
    Content after = before;
    for (std::size_t client = 0; client < Names::count; ++client) {
      after.monotonic[names[client]] = before.monotonic[client];
      after.wall[names[client]] = before.wall[client];
    }
    return intern(after);
  }
  std::uint32_t size() const { return contents_.size(); }

 private:
  template <class Change>
  Budget change(Budget budget, Fault fault, std::size_t what, Change apply) {
    const std::uint64_t key = std::uint64_t{budget} << 16 | static_cast<std::uint64_t>(fault) << 8 |
                              static_cast<std::uint64_t>(what);
    if (const std::uint32_t* known = known_.find(key)) return *known;
    Content content = contents_[budget];
    ++content.used[static_cast<std::size_t>(fault)];
    ++content.total;
    apply(content);
    const Budget next = intern(content);
    known_.insert(key, next);
    return next;
  }

  Budget intern(const Content& content) {
    Encoder identity;
    for (const auto used : content.used) identity.number(used);
    for (const auto offset : content.monotonic) identity.number(offset);
    for (const auto offset : content.wall) identity.number(offset);
    for (const auto offset : content.server) identity.number(offset);
    return contents_.add(content, identity.take()).first;
  }

  FaultBudget limits_;
  Interner<Content> contents_;
  FlatMap<> known_;
};

}  // namespace interlock::sim
