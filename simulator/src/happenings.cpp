#include "happenings.hpp"

#include <algorithm>

#include "interlock/detail/nearest_word.hpp"

namespace interlock::sim {
namespace {

using Kind = Happening::Kind;

// `did you mean 'lock'? Else raise the bounds`.
std::string advice(const std::string& meant, std::string else_do) {
  if (meant.empty()) return else_do;
  return "did you mean '" + meant + "'? Else " + else_do;
}

// Only the scenario's own goals say that an event, or what a predicate forbids, could happen.
// Other kinds of properties have goals of their own: chosen alone, they need no other.
bool goals_guard_something(const Scenario& scenario) {
  return scenario.chosen_kinds().empty() || scenario.requires_kind(Property::Kind::never) ||
         scenario.requires_kind(Property::Kind::predicate);
}

bool is_about_messages(Property::Kind kind) {
  return kind == Property::Kind::no_lost_wake_up || kind == Property::Kind::no_unheard_grant;
}

// Where a property about messages is asked for by name, or nothing else is asked for, a search in
// which nobody waits for a message proves nothing. Beside other properties it proves these.
bool some_client_must_wait(const Scenario& scenario) {
  const auto& chosen = scenario.chosen_kinds();
  if (std::any_of(chosen.begin(), chosen.end(), is_about_messages)) return true;
  bool asked_for = false;
  for (const Property& property : scenario.properties()) {
    if (property.kind == Property::Kind::deadlock) continue;
    if (!is_about_messages(property.kind)) return false;
    asked_for = true;
  }
  return asked_for;
}

}  // namespace

std::string describe(const Happening& happening) {
  const std::string& on = happening.subject;
  switch (happening.kind) {
    case Kind::enters:
      return "some client enters " + on;
    case Kind::holds_until:
      return "some client holds " + on + " until an instant to come";
    case Kind::wants:
      return "some client wants " + on;
    case Kind::grants:
      return "a fencing token for " + on + " is granted";
    case Kind::accepts:
      return "a write to " + on + " is accepted";
    case Kind::writes:
      return "some client writes to " + on;
    case Kind::puts:
      return "some client writes " + on;
    case Kind::is_there:
      return on + " is there";
    case Kind::removes:
      return "an operation removes " + on;
    case Kind::listens:
      return "some client waits for a message";
    case Kind::ends:
      return "every client ends";
    case Kind::queues:
      return "some client queues for " + on;
    case Kind::serves:
      return "a client that queues for " + on + " is granted it";
    case Kind::event:
      return on;
    case Kind::looks:
      return "some client checks for '" + on + "'";
  }
  return on;
}

Happenings::Happenings(const Scenario& scenario) {
  if (some_client_must_wait(scenario)) want(Kind::listens);
  for (const Property& property : scenario.properties()) want_for(property);
  for (const std::string& resource : scenario.checking_resources()) {
    if (!wants(Happening{Kind::accepts, resource})) want(Kind::writes, resource);
  }
  for (const std::string& goal : scenario.goals()) {
    if (goals_guard_something(scenario)) want(Kind::event, goal);
    announced_.insert(goal);
  }
  // Properties that were left aside announce their events all the same.
  for (const Property& property : scenario.offered()) {
    if (property.kind == Property::Kind::never) announced_.insert(property.subject);
  }
}

void Happenings::want_for(const Property& property) {
  const std::string& on = property.subject;
  switch (property.kind) {
    case Property::Kind::mutual_exclusion:
      return want(Kind::enters, on);
    case Property::Kind::lease_exclusion:
      return want(Kind::holds_until, on);
    case Property::Kind::owner_only:
    case Property::Kind::no_overwrite:
    case Property::Kind::gone_leave_nothing:
      return want(Kind::puts, on);
    case Property::Kind::fencing_grows:
      return want(Kind::grants, on);
    case Property::Kind::fenced_writes:
      return want(Kind::accepts, on);
    case Property::Kind::no_orphan:
      want(Kind::is_there, on);
      return want(Kind::ends);
    case Property::Kind::no_lost_wake_up:
      want(Kind::removes, on);
      return want(Kind::listens, {}, false);
    case Property::Kind::no_unheard_grant:
      want(Kind::puts, on);
      return want(Kind::listens, {}, false);
    case Property::Kind::first_come_first_served:
      want(Kind::queues, on);
      return want(Kind::serves, on);
    case Property::Kind::every_waiter_acquires:
      return want(Kind::wants, on);
    case Property::Kind::never:
      nevers_.push_back(on);
      announced_.insert(on);
      return;
    case Property::Kind::predicate:
    case Property::Kind::deadlock:
      return;
  }
}

bool Happenings::wants(const Happening& what) const {
  return std::any_of(wanted_.begin(), wanted_.end(),
                     [&what](const Wanted& one) { return one.what == what; });
}

void Happenings::want(Kind kind, const std::string& subject, bool required) {
  Happening what{kind, subject};
  if (!wants(what)) wanted_.push_back(Wanted{std::move(what), required});
}

bool Happenings::has(Kind kind, const std::string& subject) const {
  return seen_.count(Happening{kind, subject}) > 0;
}

void Happenings::note(Kind kind, const std::string& subject) {
  seen_.insert(Happening{kind, subject});
}

void Happenings::note_event(const std::string& event, bool happened) {
  note(Kind::looks, event);
  if (!happened) return;
  note(Kind::event, event);
  if (announced_.count(event) == 0) unannounced_ = event;
}

std::vector<Goal> Happenings::goals() const {
  std::vector<Goal> goals;
  for (const Wanted& one : wanted_) {
    Goal goal;
    goal.name = describe(one.what);
    goal.reached = seen_.count(one.what) > 0;
    goal.required = one.required;
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

// A name of the same kind first.
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

std::string Happenings::why_nothing_is_proved() const {
  for (const Wanted& one : wanted_) {
    if (!one.required || seen_.count(one.what) > 0) continue;
    return "no run reaches the goal '" + describe(one.what) + "', so nothing was proved: " +
           advice(meant_by(one.what), "raise the bounds or mend the scenario");
  }
  for (const std::string& name : nevers_) {
    const std::string why = has(Kind::looks, name) ? "" : no_event(name);
    if (!why.empty()) return why;
  }
  return {};
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
