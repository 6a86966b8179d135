#include "interlock/leader.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "fencing_counter.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/store/lock_keys.hpp"
#include "lua/scripts.hpp"

namespace interlock {
namespace {

// 1: it is the owner's; 0: nobody's; -1: another's.
Result<std::int64_t> holds(Keyspace& keyspace, const Key& lock, const std::string& owner) {
  const auto holder = keyspace.find(lock);
  if (!holder) return 0;
  if (!holder->is_string()) return wrong_type();
  return holder->value == owner ? 1 : -1;
}

// `<fencing token> <bytes of the owner> <owner><value>`.
std::string noted(const std::string& token, const std::string& owner, const std::string& value) {
  return token + ' ' + std::to_string(owner.size()) + ' ' + owner + value;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  const auto blank = text.find(' ');
  const auto number = detail::parse_number<std::int64_t>(text.substr(0, blank), 0);
  if (blank == std::string_view::npos || !number) return std::nullopt;
  text.remove_prefix(blank + 1);
  return static_cast<std::uint64_t>(*number);
}

// None also for what no proclamation can have written.
std::optional<Leader> parse(std::string_view text) {
  const auto token = take_number(text);
  const auto size = take_number(text);
  if (!token || !size || *size > text.size()) return std::nullopt;
  return Leader(OwnerToken(std::string(text.substr(0, *size))), FencingToken(*token),
                std::string(text.substr(*size)));
}

Reply proclaim_native(Keyspace& keyspace,
                      const std::vector<Key>& keys,
                      const std::vector<std::string>& arguments) {
  const auto is_mine = holds(keyspace, keys[0], arguments[0]);
  if (!is_mine) return is_mine.error();
  if (*is_mine != 1) return Value(*is_mine);
  keyspace.put(keys[1], Entry(noted(arguments[1], arguments[0], arguments[2]),
                              now_ms(keyspace) + parse_ms(arguments[4])));
  keyspace.publish(Channel(arguments[3]), "");
  return Value(1);
}

Reply withdraw_native(Keyspace& keyspace,
                      const std::vector<Key>& keys,
                      const std::vector<std::string>& arguments) {
  const auto is_mine = holds(keyspace, keys[0], arguments[0]);
  if (!is_mine) return is_mine.error();
  if (*is_mine == 1) keyspace.erase(keys[1]);
  return Value(*is_mine);
}

Reply look_native(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& /*arguments*/) {
  const auto holder = keyspace.find(keys[0]);
  if (holder && !holder->is_string()) return wrong_type();
  if (!holder)
    return Value(std::vector<Value>{Value(std::string()), Value(-1), Value(std::string())});
  const auto note = keyspace.find(keys[1]);
  if (note && !note->is_string()) return wrong_type();
  return Value(std::vector<Value>{Value(holder->value), Value(remaining_ms(keyspace, *holder)),
                                  Value(note ? note->value : std::string())});
}

// A connection through which nothing comes any more is noticed by a request.
constexpr Duration idle_look = std::chrono::minutes{1};

KeyList keys_of(const LockName& name) {
  return {name.keys().lock(), leader_key(name.keys().lock())};
}

Error unreadable(const Value& answer) {
  return {Errc::indeterminate, "the store's answer cannot be read: " + to_string(answer)};
}

Result<OwnerCheck> check(const Result<Value>& answer) {
  if (!answer) return answer.error();
  const std::int64_t* const number = answer->number();
  if (number == nullptr || *number < -1 || *number > 1) return unreadable(*answer);
  if (*number == 1) return OwnerCheck::done;
  return *number == 0 ? OwnerCheck::absent : OwnerCheck::other;
}

}  // namespace

// --- of the leader -------------------------------------------------------------------------------

Task<Result<OwnerCheck>> proclaim(KeyValueStore& store, LockName name, Leader leader) {
  if (leader.value.size() > Leader::value_max) {
    co_return Error(Errc::invalid_argument,
                    "proclaiming the leader of '" + name.text() + "': a value of " +
                        std::to_string(leader.value.size()) + " bytes: choose one of at most " +
                        std::to_string(Leader::value_max));
  }
  const std::string kept = std::to_string(Ttl::longest.count());
  ArgumentList arguments{leader.owner.text(), std::to_string(leader.epoch.value()), leader.value,
                         name.keys().released().text(), kept};
  // It may be repeated, and a connection that broke meanwhile is made anew.
  constexpr int tries_max = 3;
  Result<Value> answer = co_await store.run(proclaim_script(), keys_of(name), arguments);
  for (int tries = 1; tries < tries_max && !answer && is_out_of_reach(answer.error()); ++tries) {
    answer = co_await store.run(proclaim_script(), keys_of(name), arguments);
  }
  co_return check(answer);
}

Task<Result<OwnerCheck>> withdraw(KeyValueStore& store, LockName name, OwnerToken owner) {
  ArgumentList arguments{owner.text()};
  const Result<Value> answer =
      co_await store.run(withdraw_script(), keys_of(name), std::move(arguments));
  co_return check(answer);
}

// --- of the observers ----------------------------------------------------------------------------

LeaderObserver::LeaderObserver(KeyValueStore& store, TimeSource& time, LockName name)
    : store_(store), time_(time), name_(std::move(name)) {}

Task<Result<std::optional<Leader>>> LeaderObserver::look() {
  ArgumentList none;
  const Result<Value> answer =
      co_await store_.run(look_for_leader_script(), keys_of(name_), std::move(none));
  if (!answer) co_return answer.error();
  const auto* const list = answer->list();
  const bool is_well_formed = list != nullptr && list->size() == 3 &&
                              (*list)[0].text() != nullptr && (*list)[1].number() != nullptr &&
                              (*list)[2].text() != nullptr;
  if (!is_well_formed) co_return unreadable(*answer);

  lease_left_.reset();
  if (*(*list)[1].number() >= 0) lease_left_ = milliseconds{*(*list)[1].number()};
  std::optional<Leader> leader = parse(*(*list)[2].text());
  // What a leader before this holder has said.
  if (leader && leader->owner.text() != *(*list)[0].text()) leader.reset();
  co_return leader;
}

Task<Result<SubscriptionId>> LeaderObserver::subscribe() {
  if (subscription_) co_return *subscription_;
  Result<SubscriptionId> subscribed = co_await store_.subscribe(name_.keys().released());
  if (subscribed) subscription_ = *subscribed;
  co_return subscribed;
}

Task<Result<bool>> LeaderObserver::wait(TimePoint until) {
  // First, so that no change falls between the look and the wait.
  const Result<SubscriptionId> subscribed = co_await subscribe();
  if (!subscribed) co_return subscribed.error();
  for (;;) {
    Result<std::optional<Leader>> leader = co_await look();
    if (!leader) co_return std::move(leader).error();
    if (!has_told_ || told_ != *leader) {
      has_told_ = true;
      told_ = *std::move(leader);
      co_return true;
    }
    const TimePoint now = time_.now();
    if (now >= until) co_return false;
    // A leader that dies sends no message. A key expires when the clock is strictly past its end.
    TimePoint wake_up = std::min(until, now + idle_look);
    if (lease_left_) wake_up = std::min(wake_up, now + *lease_left_ + milliseconds{1});
    const Result<bool> heard = co_await store_.await_message(*subscribed, wake_up);
    if (!heard) {
      subscription_.reset();
      co_return heard.error();
    }
    if (!*heard && time_.now() < wake_up) co_return false;
  }
}

Task<void> LeaderObserver::end() {
  if (!subscription_) co_return;
  const SubscriptionId ending = *subscription_;
  subscription_.reset();
  static_cast<void>(co_await store_.unsubscribe(ending));
}

// --- scripts: made before main() begins, and never destroyed; see owner_scripts.cpp
// ----------------

const Script& proclaim_script() {
  static const Script& script = *new Script("proclaim", lua::proclaim, proclaim_native);
  return script;
}

const Script& withdraw_script() {
  static const Script& script = *new Script("withdraw", lua::withdraw, withdraw_native);
  return script;
}

const Script& look_for_leader_script() {
  static const Script& script = *new Script("look_for_leader", lua::look_for_leader, look_native);
  return script;
}

namespace {

[[maybe_unused]] const std::array made_early{&proclaim_script(), &withdraw_script(),
                                             &look_for_leader_script()};

}  // namespace

}  // namespace interlock
