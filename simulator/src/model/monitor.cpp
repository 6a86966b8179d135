#include "model/monitor.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "model/named_facts.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {
namespace {

// One bit for each client.
std::uint32_t renamed(std::uint32_t clients, const Permutation& permutation) {
  std::uint32_t result = 0;
  for (std::size_t client = 0; client < Permutation::count; ++client) {
    if ((clients >> client & 1U) != 0) result |= 1U << permutation[client];
  }
  return result;
}

bool comes_before(const MonitorTable::Ghost& one, const MonitorTable::Ghost& other) {
  return std::tie(one.client, one.name) < std::tie(other.client, other.name);
}

void set_ghost(std::vector<MonitorTable::Ghost>& ghosts, MonitorTable::Ghost to) {
  const auto at = std::lower_bound(ghosts.begin(), ghosts.end(), to, comes_before);
  const bool known = at != ghosts.end() && at->client == to.client && at->name == to.name;
  if (known) {
    at->value = to.value;
  } else {
    ghosts.insert(at, std::move(to));
  }
}

MonitorEventKind event_of(MarkKind mark) {
  switch (mark) {
    case MarkKind::enter:
      return MonitorEventKind::enter;
    case MarkKind::believes_until:
      return MonitorEventKind::believes_until;
    case MarkKind::wants:
      return MonitorEventKind::wants;
    case MarkKind::gives_up:
      return MonitorEventKind::gives_up;
    case MarkKind::ghost:
      return MonitorEventKind::ghost;
    case MarkKind::invokes:
      return MonitorEventKind::invokes;
    case MarkKind::returns:
      return MonitorEventKind::returns;
    case MarkKind::leaves_open:
      return MonitorEventKind::leaves_open;
    case MarkKind::told:
      break;
  }
  return MonitorEventKind::told;
}

// Drift is the only fault that sets Client::time() back.
Beliefs::Setback setback_in(const FaultBudget& faults) {
  const auto most = [&faults](std::size_t count) {
    return static_cast<std::int32_t>(std::min(count, faults.total()));
  };
  Beliefs::Setback setback;
  setback.time = most(faults.limit(Fault::drift));
  setback.wall = most(faults.limit(Fault::drift) + faults.limit(Fault::clock_back));
  return setback;
}

}  // namespace

MonitorTable::MonitorTable(EngineShared& shared)
    : scenario_(shared.scenario),
      predicates_may_look_(scenario_.asks_predicates()),
      capacity_(shared.capacity),
      happenings_(shared.happenings),
      longest_(shared.longest),
      specifications_(shared.specifications),
      beliefs_end_(scenario_.requires_kind(PropertyKind::lease_exclusion)),
      has_histories_(scenario_.requires_kind(PropertyKind::linearizability)),
      has_queues_(scenario_.requires_kind(PropertyKind::first_come_first_served)),
      setback_(setback_in(scenario_.faults())) {
  intern(MonitorContent());
  add_cause(std::vector<MonitorEvent>());
}

std::uint32_t MonitorTable::add_cause(std::vector<MonitorEvent> events) {
  Encoder identity;
  for (const MonitorEvent& event : events) {
    identity.number(static_cast<std::int64_t>(event.kind)).text(event.subject);
    identity.number(static_cast<std::int64_t>(event.fencing));
    identity.number(event.until).number(event.by_wall_clock ? 1 : 0);
    identity.text(event.operation);
    identity.number(event.number ? 1 : 0).number(event.number.value_or(0));
  }
  const std::uint32_t id = causes_.add(std::move(events), identity.take()).first;
  const bool fits = capacity_.fits(causes_.size(), capacity_.widths().causes,
                                   "different things that clients tell in a step");
  return fits ? id : 0;
}

std::uint32_t MonitorTable::add_cause(const std::vector<Mark>& marks) {
  const Instants instants = Instants::of(scenario_);
  std::vector<MonitorEvent> events;
  for (const Mark& mark : marks) {
    if (mark.kind == MarkKind::wants) happenings_.note(HappeningKind::wants, mark.subject);
    const bool waits = mark.kind == MarkKind::wants || mark.kind == MarkKind::gives_up;
    if (waits && !predicates_may_look_ && !has(PropertyKind::every_waiter_acquires, mark.subject)) {
      continue;
    }
    const bool calls = mark.kind == MarkKind::invokes || mark.kind == MarkKind::returns ||
                       mark.kind == MarkKind::leaves_open;
    if (calls && !has(PropertyKind::linearizability, mark.subject)) continue;
    MonitorEvent event{event_of(mark.kind), mark.subject, mark.fencing};
    event.operation = mark.operation;
    event.number = mark.number;
    if (mark.kind == MarkKind::believes_until) {
      if (!has(PropertyKind::lease_exclusion, mark.subject)) continue;
      event.until = instants.at_or_after(mark.until);
      event.by_wall_clock = mark.by == OwnClock::wall_clock;
    }
    events.push_back(std::move(event));
  }
  return add_cause(std::move(events));
}

MonitorTable::Monitor MonitorTable::intern(MonitorContent content) {
  // A fact without content is left out.
  std::erase_if(content.locks, [](const Lock& lock) {
    return lock.inside == 0 && lock.waiting == 0 && lock.granted == 0 && !lock.released &&
           lock.line.empty() && lock.had_turn == 0;
  });
  Encoder identity;
  for (const Lock& lock : content.locks) {
    identity.number(1).text(lock.name).number(lock.inside).number(lock.waiting);
    identity.number(static_cast<std::int64_t>(lock.granted)).number(lock.released ? 1 : 0);
    identity.number(static_cast<std::int64_t>(lock.line.size())).number(lock.had_turn);
    for (const std::uint8_t waiter : lock.line) identity.number(waiter);
    if (beliefs_end_) lock.beliefs.encode(identity);
  }
  for (const Resource& resource : content.resources) {
    identity.number(2).text(resource.name).number(static_cast<std::int64_t>(resource.greatest));
    identity.number(resource.writer);
  }
  for (const Ghost& ghost : content.ghosts) {
    identity.number(3).text(ghost.name).number(static_cast<std::int64_t>(ghost.client));
    identity.number(ghost.value);
  }
  bool named = !content.ghosts.empty();
  for (const Life life : content.lives) {
    if (has_queues_) identity.number(life);
    named = named || life != 0;
  }
  std::size_t size = 0;
  for (const ObjectHistory& history : content.histories) {
    identity.number(4);
    history.encode(identity);
    named = named || !history.pending.empty();
    size += history.size();
  }
  for (const Lock& lock : content.locks) {
    named = named || (lock.inside | lock.waiting | lock.had_turn) != 0 || !lock.line.empty();
  }
  for (const Resource& resource : content.resources) named = named || resource.writer >= 0;
  const auto [id, added] = contents_.add(std::move(content), identity.take());
  if (!added) return id;
  named_.push_back(named);
  // Each takes some 100 bytes.
  constexpr std::size_t most = 4'000'000;
  size_of_histories_ += size;
  capacity_.fits(size_of_histories_, most, "parts of orders of operations in all its states");
  return id;
}

const Property* MonitorTable::find(PropertyKind kind, const std::string& subject) const {
  const auto found = std::find_if(scenario_.properties().begin(), scenario_.properties().end(),
                                  [&](const Property& property) {
                                    return property.kind == kind && property.subject == subject;
                                  });
  return found == scenario_.properties().end() ? nullptr : &*found;
}

void MonitorTable::violate(Reaction& step, PropertyKind kind, const std::string& subject) const {
  if (step.violation != 0) return;
  const std::vector<Property>& properties = scenario_.properties();
  for (std::size_t at = 0; at < properties.size(); ++at) {
    if (properties[at].kind != kind || properties[at].subject != subject) continue;
    step.violation = static_cast<std::uint16_t>(at + 1);
    return;
  }
}

const MonitorTable::Reaction& MonitorTable::learn(std::uint64_t key,
                                                  Monitor monitor,
                                                  std::uint32_t cause,
                                                  std::size_t client) {
  MonitorContent content = contents_[monitor];
  Reaction step;
  for (const MonitorEvent& event : causes_[cause]) happen(content, event, client, step);
  step.next = intern(std::move(content));
  known_.insert(key, static_cast<std::uint32_t>(steps_.size()));
  return steps_.emplace_back(step);
}

void MonitorTable::happen(MonitorContent& content,
                          const MonitorEvent& event,
                          std::size_t client,
                          Reaction& step) {
  const std::uint32_t me = 1U << client;
  switch (event.kind) {
    case MonitorEventKind::enter: {
      Lock& lock = fact_named(content.locks, event.subject);
      if ((lock.inside & ~me) != 0) {
        violate(step, PropertyKind::mutual_exclusion, event.subject);
      }
      lock.inside |= me;
      if (beliefs_end_) lock.beliefs.begin(client);
      lock.waiting &= ~me;
      happenings_.note_of(HappeningKind::enters, event.subject, me);
      break;
    }
    case MonitorEventKind::believes_until: {
      Lock& lock = fact_named(content.locks, event.subject);
      if ((lock.inside & me) != 0) {
        lock.beliefs.set_end(client, event.until, event.by_wall_clock);
      }
      break;
    }
    case MonitorEventKind::leave: {
      Lock& lock = fact_named(content.locks, event.subject);
      lock.inside &= ~me;
      lock.beliefs.stop(client);
      break;
    }
    case MonitorEventKind::wants:
      fact_named(content.locks, event.subject).waiting |= me;
      break;
    case MonitorEventKind::gives_up:
      fact_named(content.locks, event.subject).waiting &= ~me;
      break;
    case MonitorEventKind::crash:
      crash(content, client);
      break;
    case MonitorEventKind::restart:
      crash(content, client);
      for (Lock& lock : content.locks) lock.had_turn &= ~me;
      std::erase_if(content.ghosts, [client](const Ghost& one) { return one.client == client; });
      if (has_queues_) ++content.lives[client];
      break;
    case MonitorEventKind::grant: {
      Lock& lock = fact_named(content.locks, event.subject);
      if (event.fencing <= lock.granted) {
        violate(step, PropertyKind::fencing_grows, event.subject);
      }
      happenings_.note_of(HappeningKind::grants, event.subject, me);
      if (lock.granted != 0) happenings_.note(HappeningKind::grants_differ, event.subject);
      lock.granted = event.fencing;
      break;
    }
    case MonitorEventKind::removed:
      happenings_.note(HappeningKind::removes, event.subject);
      fact_named(content.locks, event.subject).released = true;
      break;
    case MonitorEventKind::stored:
      fact_named(content.locks, event.subject).released = false;
      break;
    case MonitorEventKind::write:
      write(content, event, client, step);
      break;
    case MonitorEventKind::queued: {
      happenings_.note(HappeningKind::queues, event.subject);
      Lock& lock = fact_named(content.locks, event.subject);
      const bool known = std::find(lock.line.begin(), lock.line.end(), client) != lock.line.end();
      const bool is_of_before = event.fencing != content.lives[client];
      if (!known && !is_of_before && (lock.had_turn & me) == 0)
        lock.line.push_back(static_cast<std::uint8_t>(client));
      break;
    }
    case MonitorEventKind::granted: {
      Lock& lock = fact_named(content.locks, event.subject);
      const std::uint64_t to = event.fencing % Permutation::count;
      // An offer to a client that has crashed since passes nobody over: it will end.
      if (event.fencing / Permutation::count != content.lives[to]) break;
      if (!may_be_ghost(lock, to, client)) serve(lock, to, step);
      break;
    }
    case MonitorEventKind::gave_up: {
      if (event.fencing != content.lives[client]) break;
      Lock& lock = fact_named(content.locks, event.subject);
      std::erase(lock.line, client);
      lock.had_turn &= ~me;
      break;
    }
    case MonitorEventKind::told:
      happenings_.note_event(event.subject, event.fencing != 0);
      if (event.fencing != 0) violate(step, PropertyKind::never, event.subject);
      break;
    case MonitorEventKind::ghost:
      set_ghost(content.ghosts,
                Ghost{event.subject, client, static_cast<std::int64_t>(event.fencing)});
      break;
    case MonitorEventKind::invokes:
    case MonitorEventKind::returns:
    case MonitorEventKind::leaves_open:
      call(content, event, client, step);
      break;
  }
}

// A crashed client does not act, and wants nothing.
void MonitorTable::crash(MonitorContent& content, std::size_t client) const {
  const std::uint32_t me = 1U << client;
  for (Lock& lock : content.locks) {
    lock.inside &= ~me;
    lock.waiting &= ~me;
    lock.beliefs.stop(client);
    // An offer to a crashed client passes no waiter over, because the offer will end.
    if (std::erase(lock.line, client) > 0) lock.had_turn |= me;
  }
  for (ObjectHistory& history : content.histories) history.leave_open(client);
}

// An offer to a client that has been granted the lock and has given it up, or has never asked for
// it: what it once sent was carried out twice, or after it had gone.
bool MonitorTable::may_be_ghost(const Lock& lock, std::size_t client, std::size_t offers) const {
  const bool possible = allows_some_of<&FaultKind::applies_late>(scenario_.faults());
  const bool known = (lock.had_turn & 1U << client) != 0 ||
                     std::find(lock.line.begin(), lock.line.end(), client) != lock.line.end();
  return possible && client != offers && !known;
}

void MonitorTable::serve(Lock& lock, std::size_t client, Reaction& step) const {
  const std::uint32_t who = 1U << client;
  const bool queued = std::find(lock.line.begin(), lock.line.end(), client) != lock.line.end();
  if (queued && lock.line.size() > 1) happenings_.note(HappeningKind::serves, lock.name);
  const bool first = lock.line.empty() || lock.line.front() == client;
  if (!first && (lock.had_turn & who) == 0) {
    violate(step, PropertyKind::first_come_first_served, lock.name);
  }
  std::erase(lock.line, client);
  lock.had_turn |= who;
}

void MonitorTable::write(MonitorContent& content,
                         const MonitorEvent& event,
                         std::size_t client,
                         Reaction& step) {
  happenings_.note_of(HappeningKind::writes, event.subject, 1U << client);
  const std::vector<std::string>& checking = scenario_.checking_resources();
  const bool checks = std::find(checking.begin(), checking.end(), event.subject) != checking.end();
  const bool asked_for = predicates_may_look_ || has(PropertyKind::fenced_writes, event.subject);
  if (!checks && !asked_for) return;

  Resource& resource = fact_named(content.resources, event.subject);
  const auto me = static_cast<int>(client);
  const bool another_token = resource.writer != -1 && resource.greatest != event.fencing;
  if (another_token) happenings_.note(HappeningKind::writes_differ, event.subject);
  const bool stale = event.fencing < resource.greatest;
  if (stale && checks) {
    step.accepted = false;
    return;
  }
  const bool twin =
      resource.writer != -1 && resource.writer != me && event.fencing == resource.greatest;
  if (stale || twin) violate(step, PropertyKind::fenced_writes, event.subject);
  resource.greatest = std::max(resource.greatest, event.fencing);
  resource.writer = me;
  happenings_.note(HappeningKind::accepts, event.subject);
}

MonitorTable::Reaction MonitorTable::settle(Monitor monitor, const ClocksOfAll& clocks) {
  Reaction step;
  step.next = monitor;
  const std::vector<Lock>& before = contents_[monitor].locks;
  std::optional<MonitorContent> after;
  for (std::size_t at = 0; at < before.size(); ++at) {
    const Property* const exclusion = find(PropertyKind::lease_exclusion, before[at].name);
    if (exclusion == nullptr) continue;
    Beliefs beliefs = before[at].beliefs;
    const Beliefs::Settled settled = beliefs.settle(clocks, setback_, exclusion->at_most);
    if (settled.too_many) {
      violate(step, PropertyKind::lease_exclusion, before[at].name);
    }
    if (settled.with_an_end != 0) {
      happenings_.note_of(HappeningKind::holds_until, before[at].name, settled.with_an_end);
    }
    note_length(before[at].name, beliefs.longest(clocks));
    if (beliefs == before[at].beliefs) continue;
    if (!after) after = contents_[monitor];
    after->locks[at].beliefs = beliefs;
  }
  if (after) step.next = intern(std::move(*after));
  return step;
}

bool MonitorTable::ends_some_belief(Monitor monitor, std::uint32_t cause, std::size_t client) {
  const Monitor next = apply(monitor, cause, client).next;
  const std::vector<Lock>& after = contents_[next].locks;
  for (const Lock& lock : contents_[monitor].locks) {
    if ((lock.inside >> client & 1U) == 0) continue;
    const auto same = std::find_if(after.begin(), after.end(),
                                   [&](const Lock& one) { return one.name == lock.name; });
    if (same == after.end() || same->beliefs.may_end_before(lock.beliefs, client)) return true;
  }
  return false;
}

void MonitorTable::note_length(const std::string& lock, std::int32_t instants) {
  if (!scenario_.endless()) return;
  // It ends at the first instant that is not before its end; and a clock may have been set back.
  const std::int32_t set_back = std::max(setback_.time, setback_.wall);
  if (scenario_.apart() * (instants - 1 - set_back) < longest_.most()) return;
  longest_.see(scenario_.apart() * (instants - set_back),
               [&lock] { return "somebody's belief to hold " + lock; });
}

MonitorTable::Monitor MonitorTable::aged(Monitor monitor) {
  MonitorContent content = contents_[monitor];
  for (Lock& lock : content.locks) lock.beliefs.age();
  return intern(std::move(content));
}

MonitorTable::Monitor MonitorTable::rename(Monitor monitor, const Permutation& permutation) {
  MonitorContent content = contents_[monitor];
  for (Lock& lock : content.locks) {
    lock.inside = renamed(lock.inside, permutation);
    lock.waiting = renamed(lock.waiting, permutation);
    lock.beliefs = lock.beliefs.renamed(permutation);
    lock.had_turn = renamed(lock.had_turn, permutation);
    for (std::uint8_t& waiter : lock.line) waiter = static_cast<std::uint8_t>(permutation[waiter]);
  }
  for (Resource& resource : content.resources) {
    if (resource.writer >= 0) {
      resource.writer = static_cast<int>(permutation[static_cast<std::size_t>(resource.writer)]);
    }
  }
  for (Ghost& ghost : content.ghosts) ghost.client = permutation[ghost.client];
  const Lives before = content.lives;
  for (std::size_t client = 0; client < before.size(); ++client) {
    content.lives[permutation[client]] = before[client];
  }
  std::sort(content.ghosts.begin(), content.ghosts.end(), comes_before);
  for (ObjectHistory& history : content.histories) history.rename(permutation);
  return intern(std::move(content));
}

}  // namespace interlock::sim
