#include "interlock/sim/property.hpp"

namespace interlock::sim {

std::string_view to_string(PropertyKind kind) noexcept {
  switch (kind) {
    case PropertyKind::mutual_exclusion:
      return "mutual-exclusion";
    case PropertyKind::lease_exclusion:
      return "lease-exclusion";
    case PropertyKind::owner_only:
      return "owner-only";
    case PropertyKind::no_overwrite:
      return "no-overwrite";
    case PropertyKind::fencing_grows:
      return "fencing-grows";
    case PropertyKind::fenced_writes:
      return "fenced-writes";
    case PropertyKind::no_orphan:
      return "no-orphan";
    case PropertyKind::no_lost_wake_up:
      return "no-lost-wake-up";
    case PropertyKind::no_unheard_grant:
      return "no-unheard-grant";
    case PropertyKind::first_come_first_served:
      return "first-come-first-served";
    case PropertyKind::gone_leave_nothing:
      return "gone-leave-nothing";
    case PropertyKind::predicate:
      return "predicate";
    case PropertyKind::step_predicate:
      return "step-predicate";
    case PropertyKind::linearizability:
      return "linearizability";
    case PropertyKind::never:
      return "never";
    case PropertyKind::every_waiter_acquires:
      return "every-waiter-acquires";
    case PropertyKind::leads_to:
      return "leads-to";
    case PropertyKind::deadlock:
      return "deadlock";
  }
  return "unknown";
}

Property mutual_exclusion(std::string lock) {
  return {PropertyKind::mutual_exclusion, "mutual exclusion of " + lock, lock};
}

Property lease_exclusion(std::string lock, std::size_t at_most) {
  const std::string how_many =
      at_most > 1 ? "at most " + std::to_string(at_most) : std::string("exclusion");
  Property property(PropertyKind::lease_exclusion, how_many + " within leases of " + lock, lock);
  property.at_most = at_most;
  return property;
}

Property owner_only(std::string key) {
  return {PropertyKind::owner_only, "only the owner releases or renews " + key, key};
}

Property no_overwrite(std::string key) {
  return {PropertyKind::no_overwrite, "nobody overwrites " + key + " while another has it", key};
}

Property fencing_grows(std::string key) {
  return {PropertyKind::fencing_grows, "fencing tokens of " + key + " grow", key};
}

Property fenced_writes(std::string resource) {
  return {PropertyKind::fenced_writes, "no stale write to " + resource + " after a newer one",
          resource};
}

Property no_orphan(std::string key) {
  return {PropertyKind::no_orphan, "no orphan of " + key, key};
}

Property no_lost_wake_up(std::string key, Duration within) {
  Property property(PropertyKind::no_lost_wake_up, "no lost wake-up on " + key, key);
  property.within = within;
  return property;
}

Property never(std::string event, std::string goal) {
  Property property(PropertyKind::never, "never " + event, event);
  property.goal = std::move(goal);
  return property;
}

Property every_waiter_acquires(std::string lock) {
  return {PropertyKind::every_waiter_acquires, "every waiter acquires " + lock, lock};
}

Property no_deadlock() {
  return {PropertyKind::deadlock, "no deadlock", {}};
}

Property no_unheard_grant(std::string key, Duration within) {
  Property property(PropertyKind::no_unheard_grant, "no unheard grant of " + key, key);
  property.within = within;
  return property;
}

Property first_come_first_served(std::string key) {
  return {PropertyKind::first_come_first_served, "first come, first served on " + key, key};
}

Property gone_leave_nothing(std::string key) {
  return {PropertyKind::gone_leave_nothing, "clients that have gone leave nothing of " + key, key};
}

Property always(std::string name, Property::Predicate holds, std::string goal) {
  Property property(PropertyKind::predicate, std::move(name), {});
  property.holds = std::move(holds);
  property.goal = std::move(goal);
  return property;
}

Property each_step(std::string name,
                   Property::StepPredicate is_about,
                   Property::StepPredicate step_holds,
                   std::string goal) {
  Property property(PropertyKind::step_predicate, std::move(name), {});
  property.is_about = std::move(is_about);
  property.step_holds = std::move(step_holds);
  property.goal = std::move(goal);
  return property;
}

Property never_decreases(std::string name,
                         std::function<std::optional<std::int64_t>(const Snapshot&)> number,
                         std::string goal) {
  if (!number) return each_step(std::move(name), nullptr, nullptr, std::move(goal));
  const auto changes = [number](const StepView& step) {
    const std::optional<std::int64_t> before = number(step.before);
    const std::optional<std::int64_t> after = number(step.after);
    return before && after && *before != *after;
  };
  const auto grows = [number](const StepView& step) {
    return number(step.after) > number(step.before);
  };
  return each_step(std::move(name), changes, grows, std::move(goal));
}

Property leads_to(std::string name,
                  Property::Predicate from,
                  Property::Predicate to,
                  std::string goal) {
  Property property(PropertyKind::leads_to, std::move(name), {});
  property.from = std::move(from);
  property.to = std::move(to);
  property.goal = std::move(goal);
  return property;
}

Property linearizable(std::string object, Sequential specification) {
  Property property(PropertyKind::linearizability, "linearizability of " + object, object);
  property.specification = std::move(specification);
  return property;
}

}  // namespace interlock::sim
