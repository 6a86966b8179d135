#include "model/symmetry.hpp"

namespace interlock::sim {
namespace {

// Adds a fact about a client. If a fact does not fit into 16 bits, only some states are not merged.
std::uint16_t with(std::uint16_t role, bool fact) {
  return static_cast<std::uint16_t>(std::uint32_t{role} * 2 + (fact ? 1 : 0));
}

// Mixes a value in: clients of which one has set it and another has not mostly get other roles.
std::uint16_t with_ghost(std::uint16_t role, const MonitorTable::Ghost& ghost) {
  constexpr std::uint32_t odd = 31;
  return static_cast<std::uint16_t>(role * odd + static_cast<std::uint32_t>(ghost.value) + 1U);
}

std::uint16_t with_call(std::uint16_t role, std::uint16_t call) {
  constexpr std::uint32_t odd = 37;
  return static_cast<std::uint16_t>(role * odd + call);
}

}  // namespace

void Symmetry::learn(const Missing& missing) {
  const std::uint64_t as = key(missing.id, missing.permutation);
  switch (missing.kind) {
    case MissingKind::nothing:
      break;
    case MissingKind::monitor_roles:
      while (monitor_roles_.size() <= missing.id) {
        monitor_roles_.push_back(
            roles_in_monitor(static_cast<std::uint32_t>(monitor_roles_.size())));
      }
      break;
    case MissingKind::store_roles:
      while (store_roles_.size() <= missing.id) {
        store_roles_.push_back(roles_in_store(static_cast<std::uint32_t>(store_roles_.size())));
      }
      break;
    case MissingKind::store:
      stores_.insert(as, engine_.stores().rename(missing.id, missing.permutation));
      break;
    case MissingKind::monitor:
      monitors_.insert(as, engine_.monitor().rename(missing.id, missing.permutation));
      break;
    case MissingKind::budget:
      budgets_.insert(as, engine_.budgets().rename(missing.id, missing.permutation));
      break;
    case MissingKind::config:
      configs_[missing.client].insert(
          as, engine_.process(missing.client).rename(missing.id, missing.permutation));
      break;
  }
}

Symmetry::Roles Symmetry::roles_in_monitor(std::uint32_t monitor) const {
  Roles roles{};
  for (std::size_t client = 0; client < Permutation::count; ++client) {
    for (const MonitorTable::Lock& lock : engine_.monitor().locks(monitor)) {
      roles[client] = with(roles[client], (lock.inside >> client & 1) != 0);
      if (!engine_.monitor().beliefs_end()) continue;
      roles[client] = static_cast<std::uint16_t>(roles[client] << 4 | lock.beliefs.role(client));
    }
    for (const MonitorTable::Resource& resource : engine_.monitor().resources(monitor)) {
      const bool wrote = resource.writer == static_cast<int>(client);
      roles[client] = with(roles[client], wrote);
    }
    for (const MonitorTable::Ghost& ghost : engine_.monitor().ghosts(monitor)) {
      if (ghost.client == client) roles[client] = with_ghost(roles[client], ghost);
    }
    for (const ObjectHistory& history : engine_.monitor().histories(monitor)) {
      roles[client] = with_call(roles[client], history.role(client));
    }
  }
  return roles;
}

Symmetry::Roles Symmetry::roles_in_store(std::uint32_t store) const {
  Roles roles{};
  for (const StoreTable::Stored& stored : engine_.stores().entries(store)) {
    const std::uint32_t named = mentions(stored.key.text()) | mentions(stored.entry.value);
    for (std::size_t client = 0; client < Permutation::count; ++client) {
      const bool wrote = stored.writer == static_cast<int>(client);
      roles[client] = with(with(roles[client], (named >> client & 1) != 0), wrote);
    }
  }
  return roles;
}

}  // namespace interlock::sim
