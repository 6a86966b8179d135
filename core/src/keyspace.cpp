#include "interlock/store/keyspace.hpp"

#include <algorithm>
#include <limits>

#include "interlock/detail/assert.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/store/script.hpp"

namespace interlock {
namespace {

Error wrong_type() {
  return {Errc::rejected, "WRONGTYPE Operation against a key holding the wrong kind of value"};
}

milliseconds whole_milliseconds(StoreTime now) {
  return std::chrono::floor<milliseconds>(now.time_since_epoch());
}

Value number(std::int64_t value) {
  return Value(value);
}
Value yes_or_no(bool yes) {
  return number(yes ? 1 : 0);
}

bool is_other(const std::optional<Entry>& entry) {
  return entry && !entry->is_string();
}

Reply get(Keyspace& keyspace, const Operation& operation) {
  const auto entry = keyspace.find(operation.key);
  if (!entry) return Value();
  if (is_other(entry)) return wrong_type();
  return Value(entry->value);
}

// Whether now + ttl is an instant that can be written down.
bool beyond_all_time(const Keyspace& keyspace, milliseconds ttl) {
  return ttl > milliseconds::max() - std::max(whole_milliseconds(keyspace.now()), milliseconds{0});
}

// Redis refuses SET with an expiry that is not positive, or too large to be added to its clock,
// before it looks at the key.
std::optional<Error> refused_expiry(const Keyspace& keyspace, const Operation& operation) {
  if (!operation.ttl) return std::nullopt;
  if (operation.ttl->count() > 0 && !beyond_all_time(keyspace, *operation.ttl)) return std::nullopt;
  return Error(Errc::rejected, "ERR invalid expire time in 'set' command");
}

Entry entry_from(const Keyspace& keyspace, const Operation& operation) {
  std::optional<milliseconds> expiry;
  if (operation.ttl) expiry = whole_milliseconds(keyspace.now()) + *operation.ttl;
  return {operation.value, expiry};
}

Reply set(Keyspace& keyspace, const Operation& operation) {
  if (auto error = refused_expiry(keyspace, operation)) return *error;
  keyspace.put(operation.key, entry_from(keyspace, operation));
  return Value(std::string("OK"));
}

Reply set_if_absent(Keyspace& keyspace, const Operation& operation) {
  if (auto error = refused_expiry(keyspace, operation)) return *error;
  if (keyspace.find(operation.key)) return yes_or_no(false);
  keyspace.put(operation.key, entry_from(keyspace, operation));
  return yes_or_no(true);
}

Reply exchange(Keyspace& keyspace, const Operation& operation) {
  const auto before = keyspace.find(operation.key);
  if (is_other(before)) return wrong_type();
  keyspace.put(operation.key, Entry(operation.value));
  return before ? Value(before->value) : Value();
}

Reply erase(Keyspace& keyspace, const Operation& operation) {
  const bool existed = keyspace.find(operation.key).has_value();
  keyspace.erase(operation.key);
  return yes_or_no(existed);
}

Reply expire(Keyspace& keyspace, const Operation& operation) {
  if (beyond_all_time(keyspace, *operation.ttl)) {
    return Error(Errc::rejected, "ERR invalid expire time in 'pexpire' command");
  }
  auto entry = keyspace.find(operation.key);
  if (!entry) return yes_or_no(false);
  if (operation.ttl->count() <= 0) {
    keyspace.erase(operation.key);
    return yes_or_no(true);
  }
  entry->expiry = whole_milliseconds(keyspace.now()) + *operation.ttl;
  keyspace.put(operation.key, std::move(*entry));
  return yes_or_no(true);
}

Reply remaining(Keyspace& keyspace, const Operation& operation) {
  const auto entry = keyspace.find(operation.key);
  if (!entry) return number(-2);
  if (!entry->expiry) return number(-1);
  return number((*entry->expiry - whole_milliseconds(keyspace.now())).count());
}

// As strict as Redis' string2ll: digits with an optional minus, no leading zero, nothing else.
std::optional<std::int64_t> parse_integer(const std::string& text) {
  const auto value = detail::parse_number<std::int64_t>(text);
  return value && std::to_string(*value) == text ? value : std::nullopt;
}

Reply increment(Keyspace& keyspace, const Operation& operation) {
  auto entry = keyspace.find(operation.key);
  if (is_other(entry)) return wrong_type();
  if (!entry) entry.emplace("0");
  const auto before = parse_integer(entry->value);
  if (!before) return Error(Errc::rejected, "ERR value is not an integer or out of range");
  if (*before == std::numeric_limits<std::int64_t>::max()) {
    return Error(Errc::rejected, "ERR increment or decrement would overflow");
  }
  entry->value = std::to_string(*before + 1);
  keyspace.put(operation.key, std::move(*entry));
  return number(*before + 1);
}

Reply run_script(Keyspace& keyspace, const Operation& operation) {
  std::string memory;
  const ScriptCall call(operation, memory);
  std::vector<Key> keys;
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < call.keys(); ++at) keys.emplace_back(call.key(at));
  for (std::size_t at = 0; at < call.arguments(); ++at) arguments.push_back(call.argument(at));
  return call.script().run(keyspace, keys, arguments);
}

}  // namespace

Entry Entry::list(const std::vector<std::string>& lines, std::optional<milliseconds> until) {
  if (lines.empty()) detail::misused("a list without lines: erase the key, as Redis does");
  Entry entry(lines.front(), until);
  for (std::size_t n = 1; n < lines.size(); ++n) entry.value.append("\n").append(lines[n]);
  entry.type = Type::list;
  return entry;
}

std::vector<std::string> Entry::lines() const {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('\n', at), value.size());
    lines.push_back(value.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool is_immediate(OperationKind kind) noexcept {
  return kind != OperationKind::subscribe && kind != OperationKind::await_message &&
         kind != OperationKind::interrupt && kind != OperationKind::unsubscribe;
}

Reply apply(Keyspace& keyspace, const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::get:
      return get(keyspace, operation);
    case OperationKind::set:
      return set(keyspace, operation);
    case OperationKind::set_if_absent:
      return set_if_absent(keyspace, operation);
    case OperationKind::exchange:
      return exchange(keyspace, operation);
    case OperationKind::erase:
      return erase(keyspace, operation);
    case OperationKind::expire:
      return expire(keyspace, operation);
    case OperationKind::remaining:
      return remaining(keyspace, operation);
    case OperationKind::increment:
      return increment(keyspace, operation);
    case OperationKind::claim:
    case OperationKind::renew:
    case OperationKind::release:
    case OperationKind::run:
      return run_script(keyspace, operation);
    case OperationKind::publish:
      return number(keyspace.publish(Channel(operation.key.shared()), operation.value));
    case OperationKind::subscribe:
    case OperationKind::await_message:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      break;
  }
  INTERLOCK_ASSERT(is_immediate(operation.kind));
  return Value();
}

std::optional<Entry> MemoryKeyspace::find(const Key& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  if (is_expired(found->second, now_)) {
    entries_.erase(found);
    return std::nullopt;
  }
  return found->second;
}

void MemoryKeyspace::put(const Key& key, Entry entry) {
  entries_.insert_or_assign(key, std::move(entry));
}

void MemoryKeyspace::erase(const Key& key) {
  entries_.erase(key);
}

}  // namespace interlock
