#include "symmetry.hpp"

namespace interlock::sim {
namespace {

// One more fact about a client. What does not fit into 16 bits only costs some merging.
std::uint16_t with(std::uint16_t role, bool fact) {
  return static_cast<std::uint16_t>(std::uint32_t{role} * 2 + (fact ? 1 : 0));
}

}  // namespace

std::uint32_t Symmetry::monitor_role(std::uint32_t monitor, std::size_t client) {
  while (monitor_roles_.size() <= monitor) {
    const auto id = static_cast<std::uint32_t>(monitor_roles_.size());
    Roles roles{};
    for (std::size_t one = 0; one < Names::count; ++one) {
      for (const MonitorTable::Lock& lock : engine_.monitor().locks(id)) {
        roles[one] = with(roles[one], (lock.inside >> one & 1) != 0);
      }
      for (const MonitorTable::Resource& resource : engine_.monitor().resources(id)) {
        const bool wrote = resource.writer == static_cast<int>(one);
        roles[one] = with(roles[one], wrote);
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
        roles[one] = with(with(roles[one], (named >> one & 1) != 0), wrote);
      }
    }
    store_roles_.push_back(roles);
  }
  return store_roles_[store][client];
}

}  // namespace interlock::sim
