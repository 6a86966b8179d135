#include "interlock/store/owner_scripts.hpp"

#include <algorithm>
#include <array>

#include "fencing_counter.hpp"
#include "interlock/group.hpp"
#include "lua/scripts.hpp"
#include "quarantine.hpp"
#include "queue.hpp"

namespace interlock {
namespace {

Value busy(Keyspace& keyspace, const Entry& holder, const Key& counter_key) {
  const std::int64_t held = held_ms(keyspace, holder, keyspace.find(counter_key));
  return Value(std::vector<Value>{Value(0), Value(holder.value),
                                  Value(remaining_ms(keyspace, holder)), Value(held)});
}

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  const std::string& owner = arguments[0];
  const milliseconds ttl = parse_ms(arguments[1]);
  const milliseconds kept = parse_ms(arguments[2]);
  const milliseconds now = now_ms(keyspace);

  const auto holder = keyspace.find(keys[0]);
  if (holder && !holder->is_string()) return wrong_type();
  if (holder && holder->value != owner) return busy(keyspace, *holder, keys[1]);

  const auto counter = keyspace.find(keys[1]);
  if (counter && !counter->is_string()) return wrong_type();
  keyspace.put(keys[0], Entry(owner, now + ttl));
  const auto previous = parse_counter(counter);
  // If the holder itself claims, the reply to its claim was lost: it gets the same grant with the
  // same number.
  if (holder && previous) return Value(std::vector<Value>{Value(1), Value(*previous)});

  const std::int64_t clock = keyspace.now().time_since_epoch().count();
  std::int64_t fencing = std::max<std::int64_t>(1, clock);
  if (previous && *previous >= fencing && *previous < largest_fencing) fencing = *previous + 1;
  keyspace.put(keys[1], Entry(std::to_string(fencing), now + kept));
  return Value(std::vector<Value>{Value(1), Value(fencing)});
}

// Answers a grant as the Lua does, by the fencing token alone.
Reply quarantined_claim_native(Keyspace& keyspace,
                               const std::vector<Key>& keys,
                               const std::vector<std::string>& arguments) {
  const auto left = quarantine_left(keyspace, keys[2], parse_ms(arguments[3]));
  if (!left) return left.error();
  if (*left) {
    const auto holder = keyspace.find(keys[0]);
    if (holder && !holder->is_string()) return wrong_type();
    if (!holder || holder->value != arguments[0]) {
      return Value(std::vector<Value>{Value(0), Value(std::string(OwnerToken::quarantine)),
                                      Value((*left)->count()), Value(-1)});
    }
  }
  Reply reply = claim_native(keyspace, keys, arguments);
  if (!reply || *(*reply->list())[0].number() == 0) return reply;
  return (*reply->list())[1];
}

Reply renew_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  auto holder = keyspace.find(keys[0]);
  if (!holder) return Value(0);
  if (!holder->is_string()) return wrong_type();
  if (holder->value != arguments[0]) return Value(-1);
  const milliseconds now = now_ms(keyspace);
  const milliseconds ttl = parse_ms(arguments[1]);
  const milliseconds kept = parse_ms(arguments[2]);
  holder->expiry = now + ttl;
  keyspace.put(keys[0], std::move(*holder));
  keep_counter(keyspace, keys[1], ttl, kept);
  return Value(1);
}

Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  const auto holder = keyspace.find(keys[0]);
  if (holder && !holder->is_string()) return wrong_type();
  if (holder && holder->value != arguments[0]) return Value(-1);
  if (holder) keyspace.erase(keys[0]);
  keyspace.publish(Channel(arguments[1]), "");
  return Value(holder ? 1 : 0);
}

// The Lua of a claim answers a grant with the bare fencing token: this gives the whole reply.
Value granted_or_busy(Value reply) {
  if (reply.number() == nullptr) return reply;
  std::vector<Value> granted;
  granted.reserve(2);
  granted.emplace_back(std::int64_t{1});
  granted.push_back(std::move(reply));
  return Value(std::move(granted));
}

// Later readers, and holders of permits, have raised the counter, so the group has its own token.
std::optional<std::int64_t> granted_to_group(const Entry& holder) {
  const auto group = GroupOfHolders::parse(OwnerToken(holder.value));
  if (!group || !group->token) return std::nullopt;
  return static_cast<std::int64_t>(group->token->value());
}

}  // namespace

std::int64_t ms_since(const Keyspace& keyspace,
                      const Entry& holder,
                      std::optional<std::int64_t> granted) {
  if (is_group(holder.value)) granted = granted_to_group(holder);
  if (!granted || !holder.value.starts_with(OwnerToken::mark)) return -1;
  const std::int64_t now = keyspace.now().time_since_epoch().count();
  return std::max<std::int64_t>(0, now - *granted) / 1000;
}

std::int64_t held_ms(const Keyspace& keyspace,
                     const Entry& holder,
                     const std::optional<Entry>& counter) {
  return ms_since(keyspace, holder, parse_counter(counter));
}

// Never destroyed: a client that is a global object uses them while the program ends.

const Script& claim_script() {
  static const Script& script =
      *new Script("claim", lua::claim, claim_native, ScriptBatch(3, {1, 2}, granted_or_busy),
                  ScriptReply::may_grant);
  return script;
}

const Script& quarantined_claim_script() {
  static const Script& script = *new Script("quarantined_claim", lua::quarantined_claim,
                                            quarantined_claim_native, ScriptReply::may_grant);
  return script;
}

const Script& renew_script() {
  static const Script& script =
      *new Script("renew", lua::renew, renew_native, ScriptBatch(3, {1, 2}));
  return script;
}

const Script& release_script() {
  static const Script& script =
      *new Script("release", lua::release, release_native, ScriptBatch(2, {}));
  return script;
}

namespace {

// Makes them before main() begins. If one thread made one while another calls fork(), the child
// would wait for ever for a thread that it does not have.
[[maybe_unused]] const std::array made_early{&claim_script(), &quarantined_claim_script(),
                                             &renew_script(), &release_script()};

}  // namespace

}  // namespace interlock
