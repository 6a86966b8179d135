#include "model/store_table.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"
#include "model/recording_keyspace.hpp"
#include "process/wait.hpp"

namespace interlock::sim {
namespace {

milliseconds whole(StoreTime::duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration);
}

// The client whose owner token a value is.
std::optional<int> owner_in(const std::string& value) {
  if (!value.starts_with(OwnerToken::mark)) return std::nullopt;
  const std::uint32_t who = mentions(value);
  if (!std::has_single_bit(who)) return std::nullopt;
  return std::countr_zero(who);
}

// The life in which its client has made the request; 0 if no argument is an owner token.
Life life_of_asker(const Operation& operation) {
  for (const std::string& argument : operation.arguments) {
    if (mentions(argument) != 0) return life_of_token(argument);
  }
  return 0;
}

// Whether the property depends on which client wrote the value of a key.
bool is_about_writers(const Property& property) {
  return property.kind == PropertyKind::owner_only || property.kind == PropertyKind::no_overwrite;
}

void sort_by_key(std::vector<StoreTable::Stored>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& one, const auto& other) { return one.key < other.key; });
}

bool is_script_on(const Operation& operation, const std::string& key) {
  return operation.kind == OperationKind::run && !operation.keys.empty() &&
         operation.keys.front().text() == key;
}

// Whether the operation would change the key if the key met its condition.
bool may_change(const Operation& operation, const Key& key) {
  switch (operation.kind) {
    case OperationKind::set:
    case OperationKind::set_if_absent:
    case OperationKind::exchange:
    case OperationKind::erase:
    case OperationKind::expire:
    case OperationKind::increment:
    case OperationKind::claim:
    case OperationKind::renew:
    case OperationKind::release:
      return operation.key == key;
    case OperationKind::run:
      return std::find(operation.keys.begin(), operation.keys.end(), key) != operation.keys.end();
    case OperationKind::get:
    case OperationKind::remaining:
    case OperationKind::publish:
    case OperationKind::subscribe:
    case OperationKind::await_message:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      break;
  }
  return false;
}

// Scripts that do what core's do have names with the same words: core's own, and copies of them.
bool is_called(const Operation& operation, std::string_view word) {
  return operation.script->name().find(word) != std::string::npos;
}

// The owner whose claim on the key the operation releases; null: it releases none.
const std::string* owner_released(const Operation& operation, const std::string& key) {
  if (operation.kind == OperationKind::release && operation.key.text() == key) {
    return &operation.value.text();
  }
  const bool releases = is_script_on(operation, key) && is_called(operation, "release");
  return releases && !operation.arguments.empty() ? &operation.arguments.front() : nullptr;
}

}  // namespace

StoreTable::StoreTable(EngineShared& shared, MonitorTable& monitor)
    : scenario_(shared.scenario),
      instants_(Instants::of(scenario_)),
      capacity_(shared.capacity),
      vocabulary_(shared.vocabulary),
      channels_(shared.channels),
      published_(shared.messages),
      monitor_(monitor),
      happenings_(shared.happenings),
      longest_(shared.longest),
      script_check_(shared.scenario) {
  for (const Property& property : scenario_.properties()) {
    keeps_writers_ = keeps_writers_ || is_about_writers(property);
  }
  if (scenario_.faults().limit(Fault::failover) > 0) {
    changes_kept_ = scenario_.replica().missed_writes;
  }
  intern(StoreContent());
  message_lists_.add({}, "");
}

StoreTable::Store StoreTable::intern(StoreContent content) {
  Encoder identity;
  identity.number(content.before);
  identity.number(content.incarnation ? *content.incarnation + 1 : 0);
  for (const Stored& stored : content.entries) {
    identity.text(stored.key.text()).text(stored.entry.value);
    identity.number(stored.entry.expiry ? stored.entry.expiry->count() : -1);
    identity.number(stored.entry.expiry ? 1 : 0).number(static_cast<int>(stored.entry.type));
    identity.number(stored.writer);
  }
  bool named = content.before != unknown && named_[content.before];
  for (const Stored& stored : content.entries) {
    const std::uint32_t who = mentions(stored.key.text()) | mentions(stored.entry.value);
    named = named || stored.writer != nobody || who != 0;
  }
  const auto [id, added] = contents_.add(std::move(content), identity.take());
  if (added) named_.push_back(named);
  return id;
}

StoreTable::Store StoreTable::empty() {
  return intern(StoreContent());
}

StoreTable::Store StoreTable::initial(std::size_t server) {
  StoreContent content;
  for (const Scenario::InitialKey& key : scenario_.initial_keys()) {
    if (key.server != server) continue;
    content.entries.push_back(Stored{key.key, key.entry, nobody});
    happenings_.note(HappeningKind::is_there, key.key.text());
  }
  const StoreTime began(std::chrono::duration_cast<StoreTime::duration>(scenario_.first()));
  for (Stored& stored : content.entries) {
    if (stored.entry.expiry) *stored.entry.expiry += whole(instants_.store(0) - began);
    see_expiry(stored.entry, instants_.store(0), "the initial key " + stored.key.text());
  }
  sort_by_key(content.entries);
  return at_time(intern(std::move(content)), 0);
}

std::uint32_t StoreTable::add_operation(Operation operation) {
  std::string identity = encode(operation);
  const std::uint32_t id = operations_.add(std::move(operation), std::move(identity)).first;
  const bool fits =
      capacity_.fits(operations_.size(), capacity_.widths().operations, "different operations");
  return fits ? id : 0;
}

const StoreTable::Effect& StoreTable::learn(
    std::uint64_t key, Store store, std::uint32_t operation, std::size_t client, std::int32_t now) {
  const Effect step = compute(store, operation, client, now);
  const auto at = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back(step);
  const std::uint32_t* known = known_.find(key);
  const std::uint32_t group = known != nullptr ? *known : at;
  if (known == nullptr) known_.insert(key, at);
  if (step.reads_clock) {
    timed_.insert(std::uint64_t{group} << 32 | static_cast<std::uint32_t>(now), at);
  }
  return steps_.back();
}

StoreTable::Effect StoreTable::compute(Store store,
                                       std::uint32_t operation_id,
                                       std::size_t client,
                                       std::int32_t now) {
  const StoreContent before = contents_[store];
  const Operation operation = operations_[operation_id];
  const StoreTime present = ServerTicks::time(instants_, now);
  RecordingKeyspace space;
  space.set_now(present);
  space.is_in(before.incarnation);
  for (const Stored& stored : before.entries) space.has(stored.key, stored.entry);
  const Reply reply = interlock::apply(space, operation);
  if (script_of(operation) != nullptr) {
    CheckedCall::Entries entries;
    for (const Stored& stored : before.entries) entries.emplace_back(stored.key, stored.entry);
    script_check_.look(CheckedCall{entries, operation, space, reply, present});
  }
  for (const Key& key : space.written()) {
    happenings_.note(HappeningKind::puts, key.text());
    happenings_.note(HappeningKind::is_there, key.text());
    const auto at = space.entries().find(key);
    if (at != space.entries().end()) see_expiry(at->second, present, request_text(operation));
  }

  const Deed deed{operation, space.written(), static_cast<int>(client)};
  StoreContent after;
  for (const auto& [key, entry] : space.entries()) {
    int writer = keeps_writers_ ? static_cast<int>(client) : nobody;
    for (const Stored& stored : before.entries) {
      const bool same = stored.key == key && stored.entry.value == entry.value;
      if (same && !writes_value(deed, key)) writer = stored.writer;
    }
    // An owner token counts as written by its owner, whichever client has written it.
    if (writer != nobody) writer = owner_in(entry.value).value_or(writer);
    after.entries.push_back(Stored{key, entry, writer});
  }
  Effect step;
  step.reads_clock = space.read_clock();
  step.reply = vocabulary_.reply(reply);
  step.violation = owner_violation(before, after, deed);
  if (step.violation == 0) step.violation = release_violation(after, operation);
  step.cause = cause(before, after, operation, reply, client);
  std::vector<std::uint32_t> messages;
  Encoder identity;
  for (const auto& [channel, text] : space.published()) {
    const std::uint32_t on = channels_.add(channel.text(), channel.text()).first;
    messages.push_back(published_.add(on, vocabulary_.reply(Value(text))));
    identity.number(messages.back());
  }
  step.messages = message_lists_.add(std::move(messages), identity.take()).first;
  if (!capacity_.fits(message_lists_.size(), capacity_.widths().messages,
                      "different lists of messages")) {
    step.messages = 0;
  }

  if (changes_kept_ > 0) {
    const Store was = as_past(before, 0);
    const bool unchanged = as_past(after, 0) == was;
    after.before = unchanged ? before.before : as_past(before, changes_kept_ - 1);
  }
  after.incarnation = space.known_incarnation();
  step.next = intern(std::move(after));
  return step;
}

bool StoreTable::writes_value(const Deed& deed, const Key& key) {
  switch (deed.operation.kind) {
    case OperationKind::set:
    case OperationKind::set_if_absent:
    case OperationKind::exchange:
    case OperationKind::increment:
      return deed.written.count(key) > 0;
    case OperationKind::get:
    case OperationKind::erase:
    case OperationKind::expire:
    case OperationKind::remaining:
    case OperationKind::claim:
    case OperationKind::renew:
    case OperationKind::release:
    case OperationKind::run:
    case OperationKind::publish:
    case OperationKind::subscribe:
    case OperationKind::await_message:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      break;
  }
  return false;
}

std::uint16_t StoreTable::owner_violation(const StoreContent& before,
                                          const StoreContent& after,
                                          Deed deed) const {
  const std::vector<Property>& properties = scenario_.properties();
  for (std::size_t at = 0; at < properties.size(); ++at) {
    if (!is_about_writers(properties[at])) continue;
    const Key key(properties[at].subject);
    if (may_change(deed.operation, key)) {
      happenings_.note_of(HappeningKind::changes, key.text(), 1U << deed.client);
    }
    const auto named = [&](const Stored& stored) { return stored.key == key; };
    const auto was = std::find_if(before.entries.begin(), before.entries.end(), named);
    if (was == before.entries.end() || was->writer == nobody || was->writer == deed.client) {
      continue;
    }
    const auto is = std::find_if(after.entries.begin(), after.entries.end(), named);
    const bool removed = is == after.entries.end();
    const bool changed = !removed && is->entry.value != was->entry.value;
    const bool overwritten = changed || writes_value(deed, key);
    const bool prolonged = !removed && !overwritten && deed.written.count(key) > 0;
    const bool is_violated =
        properties[at].kind == PropertyKind::no_overwrite ? overwritten : removed || prolonged;
    if (is_violated) return static_cast<std::uint16_t>(at + 1);
  }
  return 0;
}

// Whether a release, or the withdrawal of a claim, has left the key to its owner.
std::uint16_t StoreTable::release_violation(const StoreContent& after,
                                            const Operation& operation) const {
  const std::vector<Property>& properties = scenario_.properties();
  for (std::size_t at = 0; at < properties.size(); ++at) {
    if (properties[at].kind != PropertyKind::gone_leave_nothing) continue;
    const std::string& key = properties[at].subject;
    const std::string* const owner = owner_released(operation, key);
    if (owner == nullptr) continue;
    happenings_.note(HappeningKind::releases, key);
    const std::string* const is = value_at(after, key);
    if (is != nullptr && *is == *owner) return static_cast<std::uint16_t>(at + 1);
  }
  return 0;
}

// A claim that was granted to a client which did not hold the key already.
bool StoreTable::grants(const StoreContent& before,
                        const Operation& operation,
                        const Reply& reply) {
  if (operation.kind != OperationKind::claim || !reply || reply->list() == nullptr) return false;
  const std::vector<Value>& list = *reply->list();
  if (list.size() != 2 || *list[0].number() != 1) return false;
  return std::none_of(before.entries.begin(), before.entries.end(), [&](const Stored& stored) {
    return stored.key == operation.key && stored.entry.value == operation.value;
  });
}

std::uint32_t StoreTable::cause(const StoreContent& before,
                                const StoreContent& after,
                                const Operation& operation,
                                const Reply& reply,
                                std::size_t client) {
  std::vector<MonitorEvent> events;
  for (const Property& property : scenario_.properties()) {
    const std::string& key = property.subject;
    if (property.kind == PropertyKind::fencing_grows && key == operation.key.text() &&
        grants(before, operation, reply)) {
      const auto fencing = static_cast<std::uint64_t>(*(*reply->list())[1].number());
      events.push_back(MonitorEvent{MonitorEventKind::grant, key, fencing});
    } else if (is_script_on(operation, key) && property.kind == PropertyKind::fencing_grows) {
      const std::string* const was = value_at(before, key);
      const std::string* const is = value_at(after, key);
      if (is == nullptr || (was != nullptr && *was == *is)) continue;
      const std::string* const counter = value_at(after, fencing_key(Key(key)).text());
      const std::uint64_t fencing = counter != nullptr ? std::stoull(*counter) : 0;
      events.push_back(MonitorEvent{MonitorEventKind::grant, key, fencing});
    } else if (is_script_on(operation, key) &&
               property.kind == PropertyKind::first_come_first_served) {
      queue_events(before, after, operation, client, events);
    } else if (property.kind == PropertyKind::no_lost_wake_up) {
      const bool was = contains(before, key);
      const bool is = contains(after, key);
      if (was == is) continue;
      const auto kind = is ? MonitorEventKind::stored : MonitorEventKind::removed;
      events.push_back(MonitorEvent{kind, key, 0});
    }
  }
  return monitor_.add_cause(std::move(events));
}

std::uint32_t StoreTable::cause_of_change(Store before, Store after) {
  std::vector<MonitorEvent> events;
  for (const Property& property : scenario_.properties()) {
    if (property.kind != PropertyKind::no_lost_wake_up) continue;
    if (has_key(before, property.subject) || !has_key(after, property.subject)) continue;
    events.push_back(MonitorEvent{MonitorEventKind::stored, property.subject, 0});
  }
  return monitor_.add_cause(std::move(events));
}

const std::string* StoreTable::value_at(const StoreContent& content, const std::string& key) {
  const auto at = std::find_if(content.entries.begin(), content.entries.end(),
                               [&](const Stored& stored) { return stored.key.text() == key; });
  return at == content.entries.end() ? nullptr : &at->entry.value;
}

// Finds the waiters, and the client that was granted the lock, from the lock's key and from the
// mover of the step. It does not read the scripts' queue, because that is what is to be proved.
void StoreTable::queue_events(const StoreContent& before,
                              const StoreContent& after,
                              const Operation& operation,
                              std::size_t client,
                              std::vector<MonitorEvent>& events) {
  const std::string& key = operation.keys.front().text();
  const std::string* const was = value_at(before, key);
  const std::string* const is = value_at(after, key);
  const bool claims = is_called(operation, "claim");
  const Life asked = life_of_asker(operation);
  const bool mine =
      is != nullptr && owner_in(*is) == static_cast<int>(client) && life_of_token(*is) == asked;
  constexpr std::size_t of_one_try = 5;  // a claim that does not wait has no more arguments
  const bool waits = claims && !mine && operation.arguments.size() > of_one_try;
  if (waits) events.push_back(MonitorEvent{MonitorEventKind::queued, key, asked});
  if (!claims) events.push_back(MonitorEvent{MonitorEventKind::gave_up, key, asked});
  if (is == nullptr || (was != nullptr && *was == *is)) return;
  if (const auto owner = owner_in(*is)) {
    const auto granted =
        static_cast<std::uint64_t>(*owner) + life_of_token(*is) * Permutation::count;
    events.push_back(MonitorEvent{MonitorEventKind::granted, key, granted});
  }
}

StoreTable::Store StoreTable::at_time(Store store, std::int32_t now) {
  const std::uint64_t key = std::uint64_t{store} << 32 | static_cast<std::uint32_t>(now);
  if (const std::uint32_t* known = aged_.find(key)) return *known;
  StoreContent content = contents_[store];
  const StoreTime time = ServerTicks::time(instants_, now);
  std::erase_if(content.entries,
                [time](const Stored& stored) { return is_expired(stored.entry, time); });
  const Store next = intern(std::move(content));
  aged_.insert(key, next);
  return next;
}

StoreTable::Store StoreTable::aged(Store store, std::int32_t now) {
  return at_time(shifted(store), now);
}

bool StoreTable::is_long_lived(const Entry& entry, StoreTime now) const {
  const Duration most = scenario_.apart() * Scenario::longest_max;
  return *entry.expiry - whole(now.time_since_epoch()) > most;
}

// Where time has no end, the search does not see a key expire that is kept for longer than the
// longest time it tells apart. So that time must be raised, unless such keys may stay.
void StoreTable::see_expiry(const Entry& entry, StoreTime now, const std::string& what) {
  if (!scenario_.endless() || !entry.expiry) return;
  if (scenario_.keeps_long_lived_keys() && is_long_lived(entry, now)) return;
  longest_.see(*entry.expiry - whole(now.time_since_epoch()), [&what] { return what; });
}

StoreTable::Store StoreTable::shifted(Store store) {
  if (const std::uint32_t* known = shifted_.find(store)) return *known;
  StoreContent content = contents_[store];
  const milliseconds instant = whole(instants_.store(1) - instants_.store(0));
  for (Stored& stored : content.entries) {
    std::optional<milliseconds>& expiry = stored.entry.expiry;
    // The expiry of a longer-lived key stays as it is: else the search would count its days.
    if (expiry && !is_long_lived(stored.entry, instants_.store(0))) *expiry -= instant;
  }
  // What a replica has must not grow older for ever: it has expired by each clock that may come.
  const FaultBudget& faults = scenario_.faults();
  std::size_t back = faults.limit(Fault::clock_back);
  if (scenario_.replica().instants_ahead < 0) back += faults.limit(Fault::failover);
  const StoreTime earliest = instants_.store(-static_cast<std::int64_t>(back));
  std::erase_if(content.entries,
                [earliest](const Stored& stored) { return is_expired(stored.entry, earliest); });
  if (content.before != unknown) content.before = shifted(content.before);
  const Store next = intern(std::move(content));
  shifted_.insert(store, next);
  return next;
}

StoreTable::Store StoreTable::rename(Store store, const Permutation& permutation) {
  StoreContent content = contents_[store];
  for (Stored& stored : content.entries) {
    stored.key = Key(renamed(stored.key.text(), permutation));
    stored.entry.value = renamed(stored.entry.value, permutation);
    if (stored.writer >= 0) {
      stored.writer = static_cast<int>(permutation[static_cast<std::size_t>(stored.writer)]);
    }
  }
  sort_by_key(content.entries);
  if (content.before != unknown) content.before = rename(content.before, permutation);
  return intern(std::move(content));
}

bool StoreTable::contains(const StoreContent& content, const std::string& key) {
  return std::any_of(content.entries.begin(), content.entries.end(),
                     [&](const Stored& stored) { return stored.key.text() == key; });
}

bool StoreTable::stays(Store store, const std::string& key) const {
  const std::vector<Stored>& entries = contents_[store].entries;
  return std::any_of(entries.begin(), entries.end(), [&](const Stored& stored) {
    return stored.key.text() == key && !stored.entry.expiry;
  });
}

}  // namespace interlock::sim
