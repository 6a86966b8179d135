#include "interlock/sim/property.hpp"

namespace interlock::sim {

Property mutual_exclusion(std::string lock) {
  return {Property::Kind::mutual_exclusion, "mutual exclusion of " + lock, lock};
}

Property owner_only(std::string key) {
  return {Property::Kind::owner_only, "only the owner releases or renews " + key, key};
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

Property always(std::string name, Property::Predicate holds) {
  Property property(Property::Kind::predicate, std::move(name), {});
  property.holds = std::move(holds);
  return property;
}

}  // namespace interlock::sim
