#include "lock/inspect.hpp"

#include "interlock/detail/number.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "interlock/store/script.hpp"
#include "interlock/task.hpp"
#include "lock/lua/scripts.hpp"

namespace interlock::cli {
namespace {

constexpr std::int64_t absent = -2;  // as PTTL says it
constexpr std::int64_t no_expiry = -1;

std::int64_t remaining_ms(const Keyspace& keyspace, const std::optional<Entry>& entry) {
  if (!entry) return absent;
  if (!entry->expiry) return no_expiry;
  return (*entry->expiry - std::chrono::floor<milliseconds>(keyspace.now().time_since_epoch()))
      .count();
}

Reply look_native(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& /*arguments*/) {
  const auto lock = keyspace.find(keys[0]);
  const auto counter = keyspace.find(keys[1]);
  const auto queue = keyspace.find(keys[2]);
  if ((lock && !lock->is_string()) || (counter && !counter->is_string()) ||
      (queue && queue->type != Entry::Type::list)) {
    return Error(Errc::rejected,
                 "WRONGTYPE Operation against a key holding the wrong kind of value");
  }
  std::size_t queued = 0;
  if (queue) {
    const std::vector<std::string> lines = queue->lines();
    const bool holder_is_first = lock && lines.front().starts_with(lock->value + " ");
    queued = lines.size() - (holder_is_first ? 1 : 0);
  }
  return Value(std::vector<Value>{
      Value(lock ? lock->value : std::string()), Value(remaining_ms(keyspace, lock)),
      Value(counter ? counter->value : std::string()), Value(remaining_ms(keyspace, counter)),
      Value(static_cast<std::int64_t>(queued))});
}

const Script& look_script() {
  static const Script script("look", lua::look, look_native);
  return script;
}

Result<LockView> decode(const Value& value) {
  const auto* const list = value.list();
  if (list == nullptr || list->size() != 5 || (*list)[0].text() == nullptr ||
      (*list)[1].number() == nullptr || (*list)[2].text() == nullptr ||
      (*list)[3].number() == nullptr || (*list)[4].number() == nullptr) {
    return Error(Errc::indeterminate, "the store's answer cannot be read: " + to_string(value));
  }
  LockView view;
  const auto counter = detail::parse_number<std::int64_t>(*(*list)[2].text());
  if (counter) view.fencing = FencingToken(static_cast<std::uint64_t>(*counter));
  view.queued = static_cast<std::size_t>(*(*list)[4].number());
  const std::int64_t remaining = *(*list)[1].number();
  if (remaining == absent) return view;
  view.holder = OwnerToken(*(*list)[0].text());
  if (remaining != no_expiry) view.remaining = milliseconds{remaining};
  const std::int64_t counter_left = *(*list)[3].number();
  if (counter_left >= 0 && view.holder->announces_release()) {
    view.held_for = held_for(milliseconds{counter_left});
  }
  return view;
}

Task<Result<Value>> ask(KeyValueStore& store, Key lock) {
  std::vector<Key> keys{lock, fencing_key(lock), queue_key(lock)};
  const std::vector<std::string> arguments;
  co_return co_await store.run(look_script(), std::move(keys), arguments);
}

}  // namespace

std::optional<FencingToken> LockView::holders_token() const {
  return holder && holder->announces_release() ? fencing : std::nullopt;
}

Result<LockView> inspect_lock(KeyValueStore& store, const Key& lock) {
  const Result<Value> answer = run(ask(store, lock));
  if (!answer) return answer.error();
  return decode(*answer);
}

}  // namespace interlock::cli
