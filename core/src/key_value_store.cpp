#include "interlock/store/key_value_store.hpp"

#include "interlock/detail/assert.hpp"
#include "interlock/store/script.hpp"

namespace interlock {
namespace {

Error unexpected_answer(const Value& value) {
  return {Errc::indeterminate, "the store's answer makes no sense: " + to_string(value) +
                                   ": what it has done is unknown"};
}

Result<std::optional<std::string>> text_or_nil(Value value) {
  if (value.is_nil()) return std::optional<std::string>();
  if (const auto* text = value.text()) return std::optional<std::string>(*text);
  return unexpected_answer(value);
}

Result<std::monostate> anything(Value) {
  return std::monostate();
}

Result<bool> yes_or_no(Value value) {
  const auto* number = value.number();
  if (number == nullptr || *number < 0 || *number > 1) return unexpected_answer(value);
  return *number == 1;
}

Result<Heard> heard(Value value) {
  if (const auto* text = value.text()) {
    Heard heard(true);
    heard.text = *text;
    return heard;
  }
  const Result<bool> something = yes_or_no(std::move(value));
  if (!something) return something.error();
  return Heard(*something);
}

Result<bool> heard_something(Value value) {
  const Result<Heard> all = heard(std::move(value));
  if (!all) return all.error();
  return all->heard;
}

Result<std::int64_t> any_number(Value value) {
  if (const auto* number = value.number()) return *number;
  return unexpected_answer(value);
}

Result<Remaining> time_remaining(Value value) {
  const auto* number = value.number();
  if (number == nullptr || *number < -2) return unexpected_answer(value);
  if (*number == -2) return Remaining(Remaining::Expiry::absent);
  if (*number == -1) return Remaining(Remaining::Expiry::no_expiry);
  return Remaining(milliseconds(*number));
}

std::optional<milliseconds> unless_negative(std::int64_t count) {
  if (count < 0) return std::nullopt;
  return milliseconds(count);
}

Result<ClaimReply> claimed(const Value& value,
                           const Value& token,
                           Claimed::Tokens tokens,
                           bool others_queue = false) {
  const auto* fencing = token.number();
  if (fencing == nullptr || *fencing <= 0) return unexpected_answer(value);
  return ClaimReply(
      Claimed(FencingToken(static_cast<std::uint64_t>(*fencing)), tokens, others_queue));
}

Result<ClaimReply> claimed_or_held(Value value) {
  const auto* list = value.list();
  if (list == nullptr || list->size() < 2) return unexpected_answer(value);
  const auto* granted = (*list)[0].number();
  if (granted == nullptr) return unexpected_answer(value);
  if (*granted == 1) return claimed(value, (*list)[1], Claimed::Tokens::single);
  if (*granted != 0 || list->size() < 4 || list->size() > 5) return unexpected_answer(value);
  const auto* holder = (*list)[1].text();
  const auto* remaining = (*list)[2].number();
  const auto* held_for = (*list)[3].number();
  if (holder == nullptr || remaining == nullptr || held_for == nullptr) {
    return unexpected_answer(value);
  }
  Busy busy(OwnerToken(*holder), unless_negative(*remaining), unless_negative(*held_for));
  if (list->size() == 4) return ClaimReply(std::move(busy));
  const auto* last = (*list)[4].number();
  if (last == nullptr) return unexpected_answer(value);
  if (*last > 0) busy.last_given = FencingToken(static_cast<std::uint64_t>(*last));
  return ClaimReply(std::move(busy));
}

// The answer of a script that grants blocks of tokens.
Result<ClaimReply> block_or_held(Value value) {
  if (value.number() != nullptr) return claimed(value, value, Claimed::Tokens::block);
  const auto* list = value.list();
  if (list != nullptr && list->size() == 2 && (*list)[0] == Value(2)) {
    return claimed(value, (*list)[1], Claimed::Tokens::block, true);
  }
  if (list != nullptr && list->size() == 3 && (*list)[0] == Value(3)) {
    return claimed(value, (*list)[2], Claimed::Tokens::single);
  }
  return claimed_or_held(std::move(value));
}

Result<OwnerCheck> owner_check(Value value) {
  const auto* number = value.number();
  if (number == nullptr) return unexpected_answer(value);
  switch (*number) {
    case 1:
      return OwnerCheck::done;
    case 0:
      return OwnerCheck::absent;
    case -1:
      return OwnerCheck::other;
    default:
      return unexpected_answer(value);
  }
}

Result<Value> as_it_is(Value value) {
  return value;
}

Operation script_run(const Script& script, KeyList keys, ArgumentList arguments) {
  Operation operation(OperationKind::run);
  operation.script = &script;
  operation.keys = std::move(keys);
  operation.arguments = std::move(arguments);
  return operation;
}

}  // namespace

Reply PendingOperation::no_reply() {
  return Error(
      Errc::indeterminate,
      "the task went on before the store had answered: it was started more than once: await "
      "each task once, and none after Task::start()");
}

OperationAwaiter<std::optional<std::string>> KeyValueStore::get(Key key) {
  return {*this, Operation(OperationKind::get, std::move(key)), text_or_nil};
}

OperationAwaiter<std::monostate> KeyValueStore::set(Key key,
                                                    std::string value,
                                                    std::optional<milliseconds> ttl) {
  Operation operation(OperationKind::set, std::move(key));
  operation.value = std::move(value);
  operation.ttl = ttl;
  return {*this, std::move(operation), anything};
}

OperationAwaiter<bool> KeyValueStore::set_if_absent(Key key,
                                                    std::string value,
                                                    std::optional<milliseconds> ttl) {
  Operation operation(OperationKind::set_if_absent, std::move(key));
  operation.value = std::move(value);
  operation.ttl = ttl;
  return {*this, std::move(operation), yes_or_no};
}

OperationAwaiter<std::optional<std::string>> KeyValueStore::exchange(Key key, std::string value) {
  Operation operation(OperationKind::exchange, std::move(key));
  operation.value = std::move(value);
  return {*this, std::move(operation), text_or_nil};
}

OperationAwaiter<bool> KeyValueStore::erase(Key key) {
  return {*this, Operation(OperationKind::erase, std::move(key)), yes_or_no};
}

OperationAwaiter<bool> KeyValueStore::expire(Key key, milliseconds ttl) {
  Operation operation(OperationKind::expire, std::move(key));
  operation.ttl = ttl;
  return {*this, std::move(operation), yes_or_no};
}

OperationAwaiter<Remaining> KeyValueStore::remaining(Key key) {
  return {*this, Operation(OperationKind::remaining, std::move(key)), time_remaining};
}

OperationAwaiter<std::int64_t> KeyValueStore::increment(Key key) {
  return {*this, Operation(OperationKind::increment, std::move(key)), any_number};
}

OperationAwaiter<ClaimReply> KeyValueStore::claim(Key key,
                                                  OwnerToken owner,
                                                  Ttl ttl,
                                                  Retention retention) {
  Operation operation(OperationKind::claim, std::move(key));
  operation.value = owner.shared();
  operation.ttl = ttl.duration();
  operation.retention = retention;
  return {*this, std::move(operation), claimed_or_held};
}

OperationAwaiter<OwnerCheck> KeyValueStore::renew(Key key,
                                                  OwnerToken owner,
                                                  Ttl ttl,
                                                  Retention retention) {
  Operation operation(OperationKind::renew, std::move(key));
  operation.value = owner.shared();
  operation.ttl = ttl.duration();
  operation.retention = retention;
  return {*this, std::move(operation), owner_check};
}

OperationAwaiter<OwnerCheck> KeyValueStore::release(Key key, OwnerToken owner) {
  Operation operation(OperationKind::release, std::move(key));
  operation.value = owner.shared();
  return {*this, std::move(operation), owner_check};
}

OperationAwaiter<ClaimReply> KeyValueStore::claim_by(const Script& script,
                                                     KeyList keys,
                                                     ArgumentList arguments) {
  // Otherwise a store would not check its grants.
  INTERLOCK_ASSERT(script.reply() == ScriptReply::may_grant);
  return {*this, script_run(script, std::move(keys), std::move(arguments)), block_or_held};
}

OperationAwaiter<OwnerCheck> KeyValueStore::release_by(const Script& script,
                                                       KeyList keys,
                                                       ArgumentList arguments) {
  return {*this, script_run(script, std::move(keys), std::move(arguments)), owner_check};
}

OperationAwaiter<Value> KeyValueStore::run(const Script& script,
                                           KeyList keys,
                                           ArgumentList arguments) {
  return {*this, script_run(script, std::move(keys), std::move(arguments)), as_it_is};
}

OperationAwaiter<std::int64_t> KeyValueStore::publish(Channel channel, std::string message) {
  Operation operation(OperationKind::publish, Key(channel.shared()));
  operation.value = std::move(message);
  return {*this, std::move(operation), any_number};
}

OperationAwaiter<SubscriptionId> KeyValueStore::subscribe(Channel channel) {
  return {*this, Operation(OperationKind::subscribe, Key(channel.shared())), any_number};
}

OperationAwaiter<SubscriptionId> KeyValueStore::subscribe_to_texts(Channel channel,
                                                                   KeyList beside) {
  Operation operation(OperationKind::subscribe, Key(channel.shared()));
  operation.texts = true;
  operation.keys = std::move(beside);
  return {*this, std::move(operation), any_number};
}

OperationAwaiter<bool> KeyValueStore::await_message(SubscriptionId subscription, TimePoint until) {
  Operation operation(OperationKind::await_message);
  operation.subscription = subscription;
  operation.until = until;
  return {*this, std::move(operation), heard_something};
}

OperationAwaiter<Heard> KeyValueStore::hear(SubscriptionId subscription, TimePoint until) {
  Operation operation(OperationKind::await_message);
  operation.subscription = subscription;
  operation.until = until;
  return {*this, std::move(operation), heard};
}

OperationAwaiter<std::monostate> KeyValueStore::interrupt(SubscriptionId subscription) {
  Operation operation(OperationKind::interrupt);
  operation.subscription = subscription;
  return {*this, std::move(operation), anything};
}

OperationAwaiter<std::monostate> KeyValueStore::unsubscribe(SubscriptionId subscription) {
  Operation operation(OperationKind::unsubscribe);
  operation.subscription = subscription;
  return {*this, std::move(operation), anything};
}

}  // namespace interlock
