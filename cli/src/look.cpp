#include "look.hpp"

#include <algorithm>
#include <charconv>

#include "interlock/lock_keys.hpp"
#include "interlock/script.hpp"
#include "interlock/task.hpp"

namespace interlock::cli {
namespace {

constexpr std::int64_t absent = -2;  // as PTTL says it
constexpr std::int64_t no_expiry = -1;

// KEYS lock, fencing counter. [holder, remaining ms or -1 or -2, fencing counter, now in us]; what
// is not there is "". Numbers of more than 53 bits pass Lua as text.
constexpr std::string_view look_lua = R"lua(
local time = redis.call('TIME')
return {redis.call('GET', KEYS[1]) or '', redis.call('PTTL', KEYS[1]),
        redis.call('GET', KEYS[2]) or '', string.format('%.0f', time[1] * 1000000 + time[2])}
)lua";

Reply look_native(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& /*arguments*/) {
  const auto lock = keyspace.find(keys[0]);
  const auto counter = keyspace.find(keys[1]);
  for (const auto* entry : {&lock, &counter}) {
    if (*entry && (*entry)->type == Entry::Type::other) {
      return Error(Errc::rejected,
                   "WRONGTYPE Operation against a key holding the wrong kind of value");
    }
  }
  const auto now = keyspace.now().time_since_epoch();
  std::int64_t remaining = lock ? no_expiry : absent;
  if (lock && lock->expiry) {
    remaining = (*lock->expiry - std::chrono::floor<milliseconds>(now)).count();
  }
  return Value(std::vector<Value>{Value(lock ? lock->value : std::string()), Value(remaining),
                                  Value(counter ? counter->value : std::string()),
                                  Value(std::to_string(now.count()))});
}

const Script& look_script() {
  static const Script script("look", look_lua, look_native);
  return script;
}

std::optional<std::int64_t> parse_number(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Result<Sight> decode(const Value& value) {
  const auto* const list = value.list();
  if (list == nullptr || list->size() != 4 || (*list)[0].text() == nullptr ||
      (*list)[1].number() == nullptr || (*list)[2].text() == nullptr ||
      (*list)[3].text() == nullptr) {
    return Error(Errc::indeterminate, "the store's answer makes no sense: " + to_string(value));
  }
  Sight sight;
  const auto counter = parse_number(*(*list)[2].text());
  if (counter) sight.fencing = FencingToken(static_cast<std::uint64_t>(*counter));
  const std::int64_t remaining = *(*list)[1].number();
  if (remaining == absent) return sight;
  sight.holder = OwnerToken(*(*list)[0].text());
  if (remaining != no_expiry) sight.remaining = milliseconds{remaining};
  const auto now = parse_number(*(*list)[3].text());
  // A fencing token is the time of its grant, unless clocks went wrong.
  if (counter && now && sight.holder->announces_release()) {
    sight.held_for = milliseconds{std::max<std::int64_t>(0, (*now - *counter) / 1000)};
  }
  return sight;
}

Task<Result<Value>> ask(KeyValueStore& store, Key lock) {
  std::vector<Key> keys{lock, fencing_key(lock)};
  std::vector<std::string> arguments;
  co_return co_await store.run(look_script(), std::move(keys), std::move(arguments));
}

}  // namespace

std::optional<FencingToken> Sight::holders_token() const {
  return holder && holder->announces_release() ? fencing : std::nullopt;
}

Result<Sight> look_at(KeyValueStore& store, const Key& lock) {
  const Result<Value> answer = run(ask(store, lock));
  if (!answer) return answer.error();
  return decode(*answer);
}

}  // namespace interlock::cli
