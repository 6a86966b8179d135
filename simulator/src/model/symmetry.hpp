// Merges states that differ only in which identical client is which: puts identical clients in
// order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/flat_map.hpp"
#include "base/names.hpp"
#include "model/engine.hpp"

namespace interlock::sim {

class Symmetry {
 public:
  explicit Symmetry(Engine& engine) : engine_(engine), configs_(engine.clients()) {
    if (!engine.merges_identical_clients()) return;
    // Identical clients stand side by side, so neighbours are all that must be compared.
    for (std::size_t client = 1; client < engine.clients(); ++client) {
      if (engine.class_of(client - 1) == engine.class_of(client)) twins_.push_back(client);
    }
  }

  // Puts identical clients in order. `who`, if not null, receives where each of them went. Any
  // order is right; a canonical one merges most. Ties are left as they are: they cost a few states.
  template <class S>
  bool canonicalize(S& state, Permutation* who = nullptr) {
    for (Missing missing; !canonicalize_as_known(state, missing, who);) learn(missing);
    return true;
  }
  std::size_t bytes() const {
    std::size_t bytes = stores_.bytes() + monitors_.bytes() + budgets_.bytes();
    for (const FlatMap<>& of_class : configs_) bytes += of_class.bytes();
    return bytes + (monitor_roles_.capacity() + store_roles_.capacity()) * sizeof(Roles);
  }
  // False if something must be learned first; the state is as it was.
  template <class S>
  bool canonicalize(S& state) const {
    Missing missing;
    return canonicalize_as_known(state, missing, nullptr);
  }

 private:
  enum class MissingKind : std::uint8_t {
    nothing,
    monitor_roles,
    store_roles,
    store,
    monitor,
    budget,
    config
  };

  // Something that must be learned before a state can be arranged.
  class Missing {
   public:
    MissingKind kind = MissingKind::nothing;
    std::uint32_t id = 0;
    std::size_t client = 0;  // of config: the first of its class
    Permutation permutation;
  };
  using Roles = std::array<std::uint16_t, Permutation::count>;

  void learn(const Missing& missing);

  template <class S>
  bool canonicalize_as_known(S& state, Missing& missing, Permutation* who) const {
    missing.kind = MissingKind::nothing;
    if (in_order(state, missing)) return true;
    std::array<std::uint8_t, Permutation::count> order{};
    for (std::size_t i = 0; i < engine_.clients(); ++i) order[i] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 1; i < engine_.clients(); ++i) {
      for (std::size_t at = i; at > 0; --at) {
        if (!out_of_order(state, order[at - 1], order[at], missing)) break;
        std::swap(order[at - 1], order[at]);
      }
    }
    Permutation permutation;
    for (std::size_t at = 0; at < engine_.clients(); ++at) permutation.set(order[at], at);
    const S renamed_state = renamed(state, permutation, missing);
    if (missing.kind != MissingKind::nothing) return false;
    state = renamed_state;
    if (who != nullptr) *who = permutation;
    return true;
  }

  template <class S>
  bool in_order(const S& state, Missing& missing) const {
    for (const std::size_t client : twins_) {
      if (state[client - 1] < state[client]) continue;
      if (state[client - 1] > state[client]) return false;
      if (role(state, client - 1, missing) > role(state, client, missing)) return false;
    }
    return missing.kind == MissingKind::nothing;
  }

  template <class S>
  bool out_of_order(const S& state, std::size_t left, std::size_t right, Missing& missing) const {
    if (engine_.class_of(left) != engine_.class_of(right)) return false;
    if (state[left] != state[right]) return state[left] > state[right];
    return role(state, left, missing) > role(state, right, missing);
  }

  // What store and monitor know about a client, independent of its name.
  template <class S>
  std::uint32_t role(const S& state, std::size_t client, Missing& missing) const {
    const std::uint32_t monitor = state[engine_.monitor_component()];
    const std::uint32_t store = state[engine_.store_component(0)];
    if (monitor >= monitor_roles_.size()) {
      missing.kind = MissingKind::monitor_roles;
      missing.id = monitor;
    } else if (store >= store_roles_.size()) {
      missing.kind = MissingKind::store_roles;
      missing.id = store;
    } else {
      return std::uint32_t{monitor_roles_[monitor][client]} << 16 | store_roles_[store][client];
    }
    return 0;
  }

  template <class S>
  S renamed(const S& state, const Permutation& permutation, Missing& missing) const {
    S next = state;
    for (std::size_t client = 0; client < engine_.clients(); ++client) {
      next.set(permutation[client], renamed_config(client, state[client], permutation, missing));
    }
    for (std::size_t server = 0; server < engine_.servers(); ++server) {
      const std::size_t component = engine_.store_component(server);
      if (!engine_.stores().names_clients(state[component])) continue;
      next.set(component,
               look_up(stores_, MissingKind::store, state[component], permutation, 0, missing));
    }
    const std::size_t monitor = engine_.monitor_component();
    if (engine_.monitor().names_clients(state[monitor])) {
      next.set(monitor,
               look_up(monitors_, MissingKind::monitor, state[monitor], permutation, 0, missing));
    }
    const std::size_t budget = engine_.budget_component();
    if (state[budget] != BudgetTable::initial) {
      next.set(budget,
               look_up(budgets_, MissingKind::budget, state[budget], permutation, 0, missing));
    }
    return next;
  }

  std::uint32_t renamed_config(std::size_t client,
                               std::uint32_t config,
                               const Permutation& permutation,
                               Missing& missing) const {
    const ProcessTable& table = engine_.process(client);
    if (!table.info(config).renamable) return config;
    const std::size_t first = engine_.class_of(client);
    const Permutation back = Permutation::swap(first, permutation[client]);
    const Permutation inside = Permutation::swap(first, client).then(permutation).then(back);
    if (inside.identity()) return config;
    return look_up(configs_[first], MissingKind::config, config, inside, first, missing);
  }

  static std::uint64_t key(std::uint32_t id, const Permutation& permutation) {
    return std::uint64_t{id} << 24 | permutation.key();
  }
  static std::uint32_t look_up(const FlatMap<>& known,
                               MissingKind kind,
                               std::uint32_t id,
                               const Permutation& permutation,
                               std::size_t client,
                               Missing& missing) {
    if (missing.kind != MissingKind::nothing) return id;
    if (const std::uint32_t* at = known.find(key(id, permutation))) return *at;
    missing = Missing{kind, id, client, permutation};
    return id;
  }

  Roles roles_in_monitor(std::uint32_t monitor) const;
  Roles roles_in_store(std::uint32_t store) const;

  Engine& engine_;
  std::vector<std::size_t> twins_;  // clients that are identical to the one before them
  FlatMap<> stores_;
  FlatMap<> monitors_;
  FlatMap<> budgets_;
  std::vector<FlatMap<>> configs_;  // by the first of a class
  std::vector<Roles> monitor_roles_;
  std::vector<Roles> store_roles_;
};

}  // namespace interlock::sim
