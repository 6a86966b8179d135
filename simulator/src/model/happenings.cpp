#include "model/happenings.hpp"

#include <algorithm>
#include <bit>

#include "interlock/detail/nearest_word.hpp"
#include "model/state_properties.hpp"

namespace interlock::sim {
namespace {

using Kind = HappeningKind;

// `did you mean 'lock'? Else raise the bounds`.
std::string advice(const std::string& meant, std::string else_do) {
  if (meant.empty()) return else_do;
  return "did you mean '" + meant + "'? Else " + else_do;
}

// Only the scenario's own goals say that an event, or what a predicate forbids, could happen.
// Other kinds of properties have goals of their own: chosen alone, they need no other.
bool goals_guard_something(const Scenario& scenario) {
  return scenario.chosen_kinds().empty() || scenario.requires_kind(PropertyKind::never) ||
         scenario.requires_own();
}

// The text of the goal if different clients must do it.
Kind of_different_clients(Kind kind) {
  switch (kind) {
    case Kind::enters:
      return Kind::all_enter;
    case Kind::holds_until:
      return Kind::all_hold;
    case Kind::grants:
      return Kind::grants_differ;
    case Kind::writes:
      return Kind::writes_differ;
    case Kind::changes:
      return Kind::all_change;
    default:
      return kind;
  }
}

// The advice for a goal that was missed, if no other name may be meant.
std::string how_to_reach(const Scenario& scenario, const Happening& missed) {
  const bool takes_two = missed.kind == Kind::all_enter || missed.kind == Kind::all_hold ||
                         missed.kind == Kind::all_change || missed.kind == Kind::serves ||
                         missed.kind == Kind::overlaps;
  if (takes_two && scenario.processes().size() == 1) {
    return "take two clients or more, or ask for other properties";
  }
  return "raise the bounds or mend the scenario";
}

}  // namespace

std::string describe(const Happening& happening) {
  const std::string& on = happening.subject;
  switch (happening.kind) {
    case Kind::enters:
      return "some client enters " + on;
    case Kind::all_enter:
      return "different clients enter " + on;
    case Kind::holds_until:
      return "some client holds " + on + " until an instant to come";
    case Kind::all_hold:
      return "different clients hold " + on + " until an instant to come";
    case Kind::wants:
      return "some client wants " + on;
    case Kind::grants:
      return "a fencing token for " + on + " is granted";
    case Kind::grants_differ:
      return "fencing tokens for " + on + " are granted to different clients, or twice";
    case Kind::accepts:
      return "a write to " + on + " is accepted";
    case Kind::writes_differ:
      return "writes to " + on + " differ in client or fencing token";
    case Kind::writes:
      return "some client writes to " + on;
    case Kind::puts:
      return "some client writes " + on;
    case Kind::changes:
      return "some client asks to change " + on;
    case Kind::all_change:
      return "different clients ask to change " + on;
    case Kind::is_there:
      return on + " is there";
    case Kind::removes:
      return "an operation removes " + on;
    case Kind::releases:
      return "an operation releases " + on;
    case Kind::listens:
      return "some client waits for a message";
    case Kind::hears:
      return on + " is granted to a client that waits for a message";
    case Kind::one_ends:
      return "some client ends";
    case Kind::ends:
      return "every client ends";
    case Kind::queues:
      return "some client queues for " + on;
    case Kind::serves:
      return "one of several clients that queue for " + on + " is granted it";
    case Kind::returns:
      return "some operation on " + on + " returns";
    case Kind::overlaps:
      return "operations of different clients on " + on + " overlap";
    case Kind::event:
      return on;
    case Kind::applies:
      return "some step is one that '" + on + "' is about";
    case Kind::comes:
      return "some step is '" + on + "', whose fairness is chosen";
    case Kind::is_owed:
      return "the first condition of '" + on + "' holds, and its second does not";
    case Kind::looks:
      return "some client checks for '" + on + "'";
  }
  return on;
}

Happenings::Happenings(const Scenario& scenario) : scenario_(scenario) {
  const std::vector<Scenario::ClientProgram>& all = scenario.processes();
  for (std::size_t one = 0; one < all.size(); ++one) {
    for (std::size_t other = 0; other < all.size(); ++other) {
      const bool alike = scenario.symmetry() && all[one].same_as == all[other].same_as;
      if (alike || one == other) alike_[one] |= 1U << other;
    }
  }
  for (const Property& property : scenario.properties()) want_for(property);
  for (const ChosenFairness& chosen : scenario.all_fairness()) {
    const bool counts = chosen.steps.are && scenario.requires_liveness();
    if (counts) want(Kind::comes, chosen.steps.name);
  }
  for (const std::string& resource : scenario.checking_resources()) {
    if (!wants(Happening{Kind::accepts, resource})) want(Kind::writes, resource);
  }
  for (const std::string& goal : scenario.goals()) {
    if (goals_guard_something(scenario)) want(Kind::event, goal);
    announced_.insert(goal);
  }
  // Properties that were left aside announce their events all the same.
  for (const Property& property : scenario.offered()) {
    if (property.kind == PropertyKind::never) announced_.insert(property.subject);
  }
}

// First the goals that show that a name is misspelt.
void Happenings::want_for(const Property& property) {
  const std::string& on = property.subject;
  switch (property.kind) {
    case PropertyKind::mutual_exclusion:
      want_by(property, Kind::enters, on);
      return want_by(property, Kind::all_enter, on);
    case PropertyKind::lease_exclusion:
      want_by(property, Kind::holds_until, on);
      return want_by(property, Kind::all_hold, on);
    case PropertyKind::owner_only:
    case PropertyKind::no_overwrite:
      want_by(property, Kind::puts, on);
      return want_by(property, Kind::all_change, on);
    case PropertyKind::gone_leave_nothing:
      want_by(property, Kind::puts, on);
      if (may_take_last_requests(scenario_.faults())) return want_by(property, Kind::releases, on);
      return want_by(property, Kind::one_ends);
    case PropertyKind::fencing_grows:
      want_by(property, Kind::grants, on);
      return want_by(property, Kind::grants_differ, on);
    case PropertyKind::fenced_writes:
      want_by(property, Kind::accepts, on);
      return want_by(property, Kind::writes_differ, on);
    case PropertyKind::no_orphan:
      want_by(property, Kind::is_there, on);
      return want_by(property, Kind::ends);
    case PropertyKind::no_lost_wake_up:
      want_by(property, Kind::removes, on);
      return want_by(property, Kind::listens);
    case PropertyKind::no_unheard_grant:
      want_by(property, Kind::puts, on);
      want_by(property, Kind::listens);
      return want_by(property, Kind::hears, on);
    case PropertyKind::first_come_first_served:
      want_by(property, Kind::queues, on);
      return want_by(property, Kind::serves, on);
    case PropertyKind::every_waiter_acquires:
      return want_by(property, Kind::wants, on);
    case PropertyKind::never:
      nevers_.push_back(on);
      announced_.insert(on);
      return;
    case PropertyKind::step_predicate:
      return want_by(property, Kind::applies, property.name);
    case PropertyKind::leads_to:
      return want_by(property, Kind::is_owed, property.name);
    case PropertyKind::linearizability:
      want_by(property, Kind::returns, on);
      return want_by(property, Kind::overlaps, on);
    case PropertyKind::predicate:
    case PropertyKind::deadlock:
      return;
  }
}

bool Happenings::wants(const Happening& what) const {
  return std::any_of(wanted_.begin(), wanted_.end(),
                     [&what](const Wanted& one) { return one.what == what; });
}

void Happenings::want(Kind kind, const std::string& subject) {
  Happening what{kind, subject};
  if (!wants(what)) wanted_.push_back(Wanted{std::move(what), {}});
}

void Happenings::want_by(const Property& property, Kind kind, const std::string& subject) {
  want(kind, subject);
  const auto at = std::find_if(wanted_.begin(), wanted_.end(), [&](const Wanted& one) {
    return one.what.kind == kind && one.what.subject == subject;
  });
  at->by.push_back(&property);
}

bool Happenings::has(Kind kind, const std::string& subject) const {
  return seen_.count(Happening{kind, subject}) > 0;
}

void Happenings::note(Kind kind, const std::string& subject) {
  std::optional<std::string>& last = last_[static_cast<std::size_t>(kind)];
  if (last == subject) return;
  last = subject;
  seen_.insert(Happening{kind, subject});
}

void Happenings::note_of(Kind kind, const std::string& subject, std::uint32_t clients) {
  std::uint32_t& known = by_clients_[Happening{kind, subject}];
  if ((clients & ~known) == 0) return;
  for (std::size_t client = 0; client < alike_.size(); ++client) {
    if ((clients >> client & 1U) != 0) known |= alike_[client];
  }
  note(kind, subject);
  if (std::has_single_bit(known)) return;
  note(of_different_clients(kind), subject);
}

void Happenings::note_event(const std::string& event, bool happened) {
  note(Kind::looks, event);
  if (!happened) return;
  note(Kind::event, event);
  if (announced_.count(event) == 0) unannounced_ = event;
}

void Happenings::leave_out_liveness() {
  std::erase_if(wanted_, [](const Wanted& one) {
    return one.what.kind == Kind::is_owed || one.what.kind == Kind::comes;
  });
}

std::vector<Goal> Happenings::goals() const {
  std::vector<Goal> goals;
  for (const Wanted& one : wanted_) {
    Goal goal;
    goal.name = describe(one.what);
    goal.reached = seen_.count(one.what) > 0;
    goals.push_back(std::move(goal));
  }
  return goals;
}

std::string Happenings::failure() const {
  if (unannounced_.empty()) return {};
  const std::vector<std::string> known(announced_.begin(), announced_.end());
  const std::string meant = detail::nearest_word(unannounced_, known);
  return "a client reports '" + unannounced_ + "', which the scenario does not name: " +
         advice(meant, "add it with Scenario::sometimes, or require never() of it");
}

std::vector<std::string> Happenings::subjects_of(Kind kind) const {
  std::vector<std::string> subjects;
  for (const Happening& one : seen_) {
    if (one.kind == kind && !one.subject.empty()) subjects.push_back(one.subject);
  }
  return subjects;
}

// Tries names of the same kind first.
std::string Happenings::meant_by(const Happening& missed) const {
  constexpr Kind others[] = {Kind::enters, Kind::wants, Kind::queues, Kind::is_there, Kind::writes};
  std::string meant = detail::nearest_word(missed.subject, subjects_of(missed.kind));
  for (const Kind other : others) {
    if (meant.empty()) meant = detail::nearest_word(missed.subject, subjects_of(other));
  }
  return meant == missed.subject ? "" : meant;
}

// Events for which programs check and that the scenario does not name.
std::vector<std::string> Happenings::left_over() const {
  std::vector<std::string> events = subjects_of(Kind::looks);
  std::erase_if(events, [this](const auto& event) { return announced_.count(event) > 0; });
  return events;
}

// No program reports the event of a never(): it may be misspelt, or be the name of a lock.
std::string Happenings::no_event(const std::string& name) const {
  const std::string event = detail::nearest_word(name, left_over());
  if (!event.empty()) {
    return "no run checks for '" + name + "', so nothing was proved: " +
           advice(event, "report it with reach(event, whether it has happened)");
  }
  // Short names are often alike and mean different things: `e1` and `k1`.
  const std::size_t mistakes = name.size() < 4 ? 0 : 1;
  for (const Kind kind : {Kind::enters, Kind::wants, Kind::is_there, Kind::writes}) {
    const std::string meant = detail::nearest_word(name, subjects_of(kind), mistakes);
    if (meant.empty()) continue;
    return "never() is about events that programs report with Client::reach, and none reports '" +
           name + "', which looks like the lock, key or resource '" + meant +
           "': name an event, or report it with reach(event, whether it has happened)";
  }
  return {};
}

const Happenings::Wanted* Happenings::first_missed() const {
  const auto missed = std::find_if(wanted_.begin(), wanted_.end(), [this](const Wanted& one) {
    return seen_.count(one.what) == 0;
  });
  return missed == wanted_.end() ? nullptr : &*missed;
}

std::string Happenings::why_nothing_is_proved() const {
  if (const Wanted* const missed = first_missed()) {
    return "no run reaches the goal '" + describe(missed->what) + "', so nothing was proved: " +
           advice(meant_by(missed->what), how_to_reach(scenario_, missed->what));
  }
  for (const std::string& name : nevers_) {
    std::string why = has(Kind::looks, name) ? "" : no_event(name);
    if (!why.empty()) return why;
  }
  return {};
}

std::vector<Vacuous> Happenings::vacuous() const {
  std::vector<Vacuous> all;
  for (const Wanted& one : wanted_) {
    if (seen_.count(one.what) > 0) continue;
    for (const Property* property : one.by) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Vacuous& other) {
        return other.property == property->name;
      });
      if (!known) all.push_back(Vacuous{property->kind, property->name, describe(one.what)});
    }
  }
  return all;
}

std::vector<std::string> Happenings::trusts() const {
  std::vector<std::string> trusts;
  for (const std::string& name : nevers_) {
    if (has(Kind::looks, name)) continue;
    trusts.push_back("a program would report '" + name + "': none checks for it");
  }
  return trusts;
}

}  // namespace interlock::sim
