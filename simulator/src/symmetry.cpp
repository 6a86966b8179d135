#include "symmetry.hpp"

namespace interlock::sim {

std::uint32_t Symmetry::monitor_role(std::uint32_t monitor, std::size_t client) {
  while (monitor_roles_.size() <= monitor) {
    const auto id = static_cast<std::uint32_t>(monitor_roles_.size());
    Roles roles{};
    for (std::size_t one = 0; one < Names::count; ++one) {
      for (const MonitorTable::Lock& lock : engine_.monitor().locks(id)) {
        roles[one] = static_cast<std::uint16_t>(roles[one] << 1 | (lock.inside >> one & 1));
      }
      for (const MonitorTable::Resource& resource : engine_.monitor().resources(id)) {
        const bool wrote = resource.writer == static_cast<int>(one);
        roles[one] = static_cast<std::uint16_t>(roles[one] << 1 | (wrote ? 1 : 0));
      }
    }
    monitor_roles_.push_back(roles);
  }
  return monitor_roles_[monitor][client];
}

std::uint32_t Symmetry::store_role(std::uint32_t store, std::size_t client) {
  while (store_roles_.size() <= store) {
    const auto id = static_cast<std::uint32_t>(store_roles_.size());
    Roles roles{};
    for (const StoreTable::Stored& stored : engine_.stores().entries(id)) {
      const std::uint32_t named = mentions(stored.entry.value);
      for (std::size_t one = 0; one < Names::count; ++one) {
        const bool wrote = stored.writer == static_cast<int>(one);
        roles[one] = static_cast<std::uint16_t>(roles[one] << 2 | (named >> one & 1) << 1 |
                                                (wrote ? 1U : 0U));
      }
    }
    store_roles_.push_back(roles);
  }
  return store_roles_[store][client];
}

}  // namespace interlock::sim
