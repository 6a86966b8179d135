// States that differ only in who is who are one: this picks which.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine.hpp"
#include "flat_map.hpp"
#include "names.hpp"

namespace interlock::sim {

class Symmetry {
 public:
  explicit Symmetry(Engine& engine)
      : engine_(engine), enabled_(engine.merges_identical_clients()), configs_(engine.clients()) {}

  // Puts identical clients in order. `who`, if not null, receives where each of them went. Any
  // order is right; a canonical one merges most. Ties are left as they are: they cost a few states.
  template <class S>
  void arrange(S& state, Names* who = nullptr) {
    if (!enabled_ || in_order(state)) return;
    std::array<std::uint8_t, Names::count> order{};
    for (std::size_t i = 0; i < engine_.clients(); ++i) order[i] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 1; i < engine_.clients(); ++i) {
      for (std::size_t at = i; at > 0; --at) {
        if (!out_of_order(state, order[at - 1], order[at])) break;
        std::swap(order[at - 1], order[at]);
      }
    }
    Names names;
    for (std::size_t at = 0; at < engine_.clients(); ++at) names.set(order[at], at);
    rename(state, names);
    if (who != nullptr) *who = names;
  }

 private:
  template <class S>
  bool in_order(const S& state) {
    for (std::size_t i = 1; i < engine_.clients(); ++i) {
      if (out_of_order(state, i - 1, i)) return false;
    }
    return true;
  }

  // Identical clients stand side by side, so neighbours are all that must be compared.
  template <class S>
  bool out_of_order(const S& state, std::size_t left, std::size_t right) {
    if (engine_.class_of(left) != engine_.class_of(right)) return false;
    if (state[left] != state[right]) return state[left] > state[right];
    return role(state, left) > role(state, right);
  }

  // What store and monitor know of a client, whatever its name.
  template <class S>
  std::uint32_t role(const S& state, std::size_t client) {
    const std::uint32_t inside = monitor_role(state[engine_.monitor_lane()], client);
    return inside << 16 | store_role(state[engine_.store_lane(0)], client);
  }
  std::uint32_t monitor_role(std::uint32_t monitor, std::size_t client);
  std::uint32_t store_role(std::uint32_t store, std::size_t client);

  template <class S>
  void rename(S& state, const Names& names) {
    S next = state;
    for (std::size_t client = 0; client < engine_.clients(); ++client) {
      next.set(names[client], rename_config(client, state[client], names));
    }
    for (std::size_t server = 0; server < engine_.servers(); ++server) {
      const std::size_t lane = engine_.store_lane(server);
      if (!engine_.stores().names_clients(state[lane])) continue;
      next.set(lane, remember(stores_, state[lane], names, [&](std::uint32_t id) {
                 return engine_.stores().rename(id, names);
               }));
    }
    const std::size_t monitor = engine_.monitor_lane();
    if (engine_.monitor().names_clients(state[monitor])) {
      next.set(monitor, remember(monitors_, state[monitor], names, [&](std::uint32_t id) {
                 return engine_.monitor().rename(id, names);
               }));
    }
    const std::size_t budget = engine_.budget_lane();
    if (state[budget] != BudgetTable::initial) {
      next.set(budget, remember(budgets_, state[budget], names, [&](std::uint32_t id) {
                 return engine_.budgets().rename(id, names);
               }));
    }
    state = next;
  }

  std::uint32_t rename_config(std::size_t client, std::uint32_t config, const Names& names) {
    ProcessTable& table = engine_.process(client);
    if (!table.info(config).renamable) return config;
    const std::size_t first = engine_.class_of(client);
    const Names inside =
        Names::swap(first, client).then(names).then(Names::swap(first, names[client]));
    if (inside.identity()) return config;
    return remember(configs_[first], config, inside,
                    [&](std::uint32_t id) { return table.rename(id, inside); });
  }

  template <class Rename>
  static std::uint32_t remember(FlatMap& known,
                                std::uint32_t id,
                                const Names& names,
                                Rename rename) {
    const std::uint64_t key = std::uint64_t{id} << 24 | names.key();
    if (const std::uint32_t* at = known.find(key)) return *at;
    const std::uint32_t renamed = rename(id);
    known.insert(key, renamed);
    return renamed;
  }

  using Roles = std::array<std::uint16_t, Names::count>;

  Engine& engine_;
  bool enabled_;
  FlatMap stores_;
  FlatMap monitors_;
  FlatMap budgets_;
  std::vector<FlatMap> configs_;
  std::vector<Roles> monitor_roles_;
  std::vector<Roles> store_roles_;
};

}  // namespace interlock::sim
