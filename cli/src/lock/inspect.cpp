#include "lock/inspect.hpp"

#include <algorithm>
#include <span>

#include "interlock/detail/number.hpp"
#include "interlock/group.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/noted_incarnation.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "interlock/store/script.hpp"
#include "interlock/task.hpp"
#include "lock/lua/scripts.hpp"
#include "lock/native_script.hpp"

namespace interlock::cli {
namespace {

constexpr std::int64_t absent = -2;  // as PTTL says it
constexpr std::int64_t no_expiry = -1;
constexpr std::size_t keys_of_a_lock = 3;
// How many locks one command looks at: on Redis others wait for it, 0.3 ms on one server.
constexpr std::size_t locks_of_a_look = 100;

std::int64_t remaining_ms(const Keyspace& keyspace, const std::optional<Entry>& entry) {
  if (!entry) return absent;
  if (!entry->expiry) return no_expiry;
  return (*entry->expiry - store_time(keyspace)).count();
}

Reply look_at_one(Keyspace& keyspace, const Key& name, const Key& fence, const Key& waits) {
  const auto lock = keyspace.find(name);
  const auto counter = keyspace.find(fence);
  const auto queue = keyspace.find(waits);
  if ((lock && !lock->is_string()) || (counter && !counter->is_string()) ||
      (queue && queue->type != Entry::Type::list)) {
    return wrong_type();
  }
  std::size_t queued = 0;
  if (queue) {
    const std::vector<std::string> lines = queue->lines();
    const bool holder_is_first = lock && lines.front().starts_with(lock->value + " ");
    queued = lines.size() - (holder_is_first ? 1 : 0);
  }
  return Value(std::vector<Value>{Value(lock ? lock->value : std::string()),
                                  Value(remaining_ms(keyspace, lock)),
                                  Value(counter ? counter->value : std::string()),
                                  Value(lock ? held_ms(keyspace, *lock, counter) : -1),
                                  Value(static_cast<std::int64_t>(queued))});
}

Reply look_native(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& /*arguments*/) {
  std::vector<Value> seen;
  for (std::size_t first = 0; first + 2 < keys.size(); first += keys_of_a_lock) {
    Reply one = look_at_one(keyspace, keys[first], keys[first + 1], keys[first + 2]);
    if (!one) return one;
    seen.push_back(*std::move(one));
  }
  return Value(std::move(seen));
}

const Script& look_script() {
  static const Script script("look", lua::look, look_native);
  return script;
}

Error unreadable(const Value& value) {
  return {Errc::indeterminate, "the store's answer cannot be read: " + to_string(value)};
}

Result<LockView> decode(const Value& value) {
  const auto* const list = value.list();
  if (list == nullptr || list->size() != 5 || (*list)[0].text() == nullptr ||
      (*list)[1].number() == nullptr || (*list)[2].text() == nullptr ||
      (*list)[3].number() == nullptr || (*list)[4].number() == nullptr) {
    return unreadable(value);
  }
  LockView view;
  const auto counter = detail::parse_number<std::int64_t>(*(*list)[2].text(), 1);
  if (counter) view.fencing = FencingToken(static_cast<std::uint64_t>(*counter));
  view.queued = static_cast<std::size_t>(*(*list)[4].number());
  const std::int64_t remaining = *(*list)[1].number();
  if (remaining == absent) return view;
  view.holder = OwnerToken(*(*list)[0].text());
  if (remaining != no_expiry) view.remaining = milliseconds{remaining};
  const std::int64_t held = *(*list)[3].number();
  if (held >= 0) view.held_for = milliseconds{held};
  return view;
}

Reply look_for_quarantine_native(Keyspace& keyspace,
                                 const std::vector<Key>& keys,
                                 const std::vector<std::string>& /*arguments*/) {
  const auto noted = keyspace.find(keys[0]);
  if (noted && !noted->is_string()) return wrong_type(": " + keys[0].text());
  return Value(std::vector<Value>{Value(noted ? noted->value : std::string()),
                                  Value(keyspace.incarnation()),
                                  Value(store_time(keyspace).count())});
}

const Script& look_for_quarantine_script() {
  static const Script script("look_for_quarantine", lua::look_for_quarantine,
                             look_for_quarantine_native);
  return script;
}

Result<std::optional<milliseconds>> time_left(const Value& value, Quarantine quarantine) {
  const auto* const list = value.list();
  if (list == nullptr || list->size() != 3 || (*list)[0].text() == nullptr ||
      (*list)[1].text() == nullptr || (*list)[2].number() == nullptr) {
    return Error(Errc::indeterminate, "the store's answer cannot be read: " + to_string(value));
  }
  const auto noted = NotedIncarnation::parse(*(*list)[0].text());
  if (!noted || noted->incarnation != *(*list)[1].text()) return std::optional(quarantine.lasts());
  const milliseconds left = noted->ends - milliseconds{*(*list)[2].number()};
  return left > milliseconds{0} ? std::optional(left) : std::nullopt;
}

Task<Result<Value>> ask_for_quarantine(KeyValueStore& store) {
  std::vector<Key> keys{incarnation_key()};
  const std::vector<std::string> arguments;
  co_return co_await store.run(look_for_quarantine_script(), std::move(keys), arguments);
}

Task<Result<Value>> ask(KeyValueStore& store, std::vector<Key> keys) {
  const std::vector<std::string> arguments;
  co_return co_await store.run(look_script(), std::move(keys), arguments);
}

std::optional<Error> look_at(KeyValueStore& store,
                             std::span<const Key> locks,
                             std::vector<LockView>& views) {
  std::vector<Key> keys;
  for (const Key& lock : locks) {
    for (const Key& key : {lock, fencing_key(lock), queue_key(lock)}) keys.push_back(key);
  }
  const Result<Value> answer = run(ask(store, std::move(keys)));
  // A cluster takes no keys of different slots in one command.
  if (!answer && locks.size() > 1 && answer.error().detail().starts_with("CROSSSLOT")) {
    for (std::size_t at = 0; at < locks.size(); ++at) {
      if (auto error = look_at(store, locks.subspan(at, 1), views)) return error;
    }
    return std::nullopt;
  }
  if (!answer) return answer.error();
  if (answer->list() == nullptr || answer->list()->size() != locks.size()) {
    return unreadable(*answer);
  }
  for (const Value& one : *answer->list()) {
    auto view = decode(one);
    if (!view) return std::move(view).error();
    views.push_back(*std::move(view));
  }
  return std::nullopt;
}

}  // namespace

bool LockView::is_of_group() const {
  return holder && GroupOfHolders::parse(*holder);
}

std::optional<FencingToken> LockView::holders_token() const {
  if (!holder) return std::nullopt;
  if (const auto group = GroupOfHolders::parse(*holder)) return group->token;
  return holder->announces_release() ? fencing : std::nullopt;
}

Result<std::optional<milliseconds>> look_for_quarantine(KeyValueStore& store,
                                                        std::optional<Quarantine> quarantine) {
  if (!quarantine) return std::optional<milliseconds>();
  const Result<Value> answer = run(ask_for_quarantine(store));
  if (!answer) return answer.error();
  return time_left(*answer, *quarantine);
}

Result<std::vector<LockView>> inspect_locks(KeyValueStore& store, const std::vector<Key>& locks) {
  std::vector<LockView> views;
  const std::span<const Key> all(locks);
  for (std::size_t at = 0; at < all.size(); at += locks_of_a_look) {
    const auto some = all.subspan(at, std::min(locks_of_a_look, all.size() - at));
    if (auto error = look_at(store, some, views)) return *std::move(error);
  }
  return views;
}

Result<std::vector<OneOfGroup>> inspect_group(KeyValueStore& store,
                                              const LockName& name,
                                              const LockView& view) {
  constexpr std::size_t most = 10'000;
  if (!view.is_of_group()) return std::vector<OneOfGroup>();
  return run(look_at_group(store, name, most));
}

Result<LockView> inspect_lock(KeyValueStore& store, const Key& lock) {
  auto views = inspect_locks(store, {lock});
  if (!views) return std::move(views).error();
  return std::move(views->front());
}

}  // namespace interlock::cli
