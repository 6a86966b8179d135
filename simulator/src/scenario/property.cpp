#include "interlock/sim/property.hpp"

namespace interlock::sim {

std::string_view to_string(Property::Kind kind) noexcept {
  switch (kind) {
    case Property::Kind::mutual_exclusion:
      return "mutual-exclusion";
    case Property::Kind::lease_exclusion:
      return "lease-exclusion";
    case Property::Kind::owner_only:
      return "owner-only";
    case Property::Kind::no_overwrite:
      return "no-overwrite";
    case Property::Kind::fencing_grows:
      return "fencing-grows";
    case Property::Kind::fenced_writes:
      return "fenced-writes";
    case Property::Kind::no_orphan:
      return "no-orphan";
    case Property::Kind::no_lost_wake_up:
      return "no-lost-wake-up";
    case Property::Kind::no_unheard_grant:
      return "no-unheard-grant";
    case Property::Kind::first_come_first_served:
      return "first-come-first-served";
    case Property::Kind::gone_leave_nothing:
      return "gone-leave-nothing";
    case Property::Kind::predicate:
      return "predicate";
    case Property::Kind::never:
      return "never";
    case Property::Kind::every_waiter_acquires:
      return "every-waiter-acquires";
    case Property::Kind::deadlock:
      return "deadlock";
  }
  return "unknown";
}

Property mutual_exclusion(std::string lock) {
  return {Property::Kind::mutual_exclusion, "mutual exclusion of " + lock, lock};
}

Property lease_exclusion(std::string lock) {
  return {Property::Kind::lease_exclusion, "exclusion within leases of " + lock, lock};
}

Property owner_only(std::string key) {
  return {Property::Kind::owner_only, "only the owner releases or renews " + key, key};
}

Property no_overwrite(std::string key) {
  return {Property::Kind::no_overwrite, "nobody overwrites " + key + " while another has it", key};
}

Property fencing_grows(std::string key) {
  return {Property::Kind::fencing_grows, "fencing tokens of " + key + " grow", key};
}

Property fenced_writes(std::string resource) {
  return {Property::Kind::fenced_writes, "no stale write to " + resource + " after a newer one",
          resource};
}

Property no_orphan(std::string key) {
  return {Property::Kind::no_orphan, "no orphan of " + key, key};
}

Property no_lost_wake_up(std::string key, Duration within) {
  Property property(Property::Kind::no_lost_wake_up, "no lost wake-up on " + key, key);
  property.within = within;
  return property;
}

Property never(std::string event) {
  return {Property::Kind::never, "never " + event, event};
}

Property every_waiter_acquires(std::string lock) {
  return {Property::Kind::every_waiter_acquires, "every waiter acquires " + lock, lock};
}

Property no_deadlock() {
  return {Property::Kind::deadlock, "no deadlock", {}};
}

Property no_unheard_grant(std::string key, Duration within) {
  Property property(Property::Kind::no_unheard_grant, "no unheard grant of " + key, key);
  property.within = within;
  return property;
}

Property first_come_first_served(std::string key) {
  return {Property::Kind::first_come_first_served, "first come, first served on " + key, key};
}

Property gone_leave_nothing(std::string key) {
  return {Property::Kind::gone_leave_nothing, "clients that have gone leave nothing of " + key,
          key};
}

Property always(std::string name, Property::Predicate holds) {
  Property property(Property::Kind::predicate, std::move(name), {});
  property.holds = std::move(holds);
  return property;
}

}  // namespace interlock::sim
