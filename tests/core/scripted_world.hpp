// A world that does nothing by itself: time stands until a test advances it, and the store does to
// each operation what the test has written down for it. One thread, no sleep, no chance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/events.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/renewal.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/store/keyspace.hpp"
#include "interlock/time_source.hpp"
#include "interlock/token_source.hpp"

namespace interlock::scripted {

inline LockName lock_name(std::string_view text) {
  return LockName::parse(text).value();
}
inline Ttl ttl_of(std::int64_t ms) {
  return Ttl(milliseconds{ms});
}

// A clock that a test moves. What is due at the same instant runs in the order in which it was
// parked, or in the opposite order if the test asks for that.
class FakeTime final : public TimeSource {
 public:
  FakeTime() = default;
  FakeTime(const FakeTime&) = delete;
  FakeTime& operator=(const FakeTime&) = delete;

  TimePoint now() override { return now_; }

  bool park(PendingSleep& sleep) override {
    const TimePoint end = uses_slack ? sleep.until() - sleep.slack() : sleep.until();
    if (end <= now_) return false;
    ++parked_;
    const std::int64_t id = at(end, [this, &sleep] { resume(sleep); });
    sleeping_.emplace(&sleep, id);
    return true;
  }

  void wake(PendingSleep& sleep) override {
    const auto found = sleeping_.find(&sleep);
    if (found == sleeping_.end()) return;
    cancel(found->second);
    found->second = at(now_, [this, &sleep] { resume(sleep); });
  }

  // Runs `job` when the clock has come to `instant`: now at the earliest, never inside this call.
  std::int64_t at(TimePoint instant, std::function<void()> job) {
    const std::int64_t id = ++last_id_;
    const TimePoint due = std::max(instant, now_);
    agenda_.emplace(std::pair(due, newest_first ? -id : id), std::move(job));
    due_of_.emplace(id, due);
    return id;
  }
  void cancel(std::int64_t id) {
    const auto due = due_of_.find(id);
    if (due == due_of_.end()) return;
    // `newest_first` may have changed since.
    agenda_.erase(std::pair(due->second, id));
    agenda_.erase(std::pair(due->second, -id));
    due_of_.erase(due);
  }

  // Runs what is due by then, each at its own instant.
  void advance_to(TimePoint instant) {
    while (!agenda_.empty() && agenda_.begin()->first.first <= instant) {
      const auto [due, id] = agenda_.begin()->first;
      now_ = std::max(now_, due);
      const std::function<void()> job = std::move(agenda_.begin()->second);
      agenda_.erase(agenda_.begin());
      due_of_.erase(id < 0 ? -id : id);
      job();
    }
    now_ = std::max(now_, instant);
  }
  void advance(Duration by) { advance_to(now_ + by); }
  // Runs what is due already.
  void settle() { advance_to(now_); }

  // As if the process had been stopped for so long: what was due meanwhile runs late, at the end.
  void stall(Duration by) {
    now_ += by;
    settle();
  }

  std::size_t sleepers() const { return sleeping_.size(); }
  // How often anybody went to sleep.
  int parked() const { return parked_; }

  bool uses_slack = false;  // ends each sleep as soon as it may
  bool newest_first = false;

 private:
  void resume(PendingSleep& sleep) {
    sleeping_.erase(&sleep);
    sleep.resume();
  }

  TimePoint now_{std::chrono::hours{1000}};
  std::int64_t last_id_ = 0;
  int parked_ = 0;
  std::map<std::pair<TimePoint, std::int64_t>, std::function<void()>> agenda_;
  std::map<std::int64_t, TimePoint> due_of_;
  std::map<PendingSleep*, std::int64_t> sleeping_;
};

class FakeTokens final : public TokenSource {
 public:
  OwnerToken fresh() override { return OwnerToken("il1:" + std::to_string(++made_)); }
  std::uint64_t below(std::uint64_t bound) override { return draw % bound; }

  std::uint64_t draw = 0;

 private:
  int made_ = 0;
};

// What becomes of one operation.
enum class Fate : std::uint8_t {
  served,
  unavailable,   // never sent
  rejected,      // refused
  request_lost,  // sent, never applied; `indeterminate`
  reply_lost,    // applied; `indeterminate`
  late,          // `indeterminate` at once; applied when the test calls run_late()
  held_back,     // neither applied nor answered until release_parked()
  reply_held,    // applied at once, answered with release_parked()
};

// Redis in one thread, over the keyspace that all stores share.
class ScriptedStore final : public KeyValueStore {
 public:
  explicit ScriptedStore(FakeTime& time) : time_(time), keyspace_(*this) {}
  ScriptedStore(const ScriptedStore&) = delete;
  ScriptedStore& operator=(const ScriptedStore&) = delete;

  // The next operation of this kind for which nothing has been written down yet.
  ScriptedStore& next(OperationKind kind, Fate fate) {
    plans_.push_back(Plan{kind, fate, nullptr, std::nullopt});
    return *this;
  }
  // `job` runs just before the next operation of this kind is carried out: another client's move.
  ScriptedStore& before_next(OperationKind kind, std::function<void()> job) {
    plans_.push_back(Plan{kind, Fate::served, std::move(job), std::nullopt});
    return *this;
  }
  // The next operation of this kind is answered so, and not carried out.
  ScriptedStore& answer_next(OperationKind kind, Reply reply) {
    plans_.push_back(Plan{kind, Fate::served, nullptr, std::move(reply)});
    return *this;
  }
  // Where all keys are, for a store of several servers.
  std::uint32_t keys_are_at = 0;
  std::uint32_t server_of(const Key&) override { return keys_are_at; }

  // What becomes of everything that is sent and has no plan of its own.
  Fate weather = Fate::served;

  Submitted submit(PendingOperation& pending) override {
    const Operation& operation = pending.operation();
    log_.push_back(operation);
    Plan plan = take_plan(operation.kind);
    if (plan.before) plan.before();
    if (plan.reply) return complete(pending, *plan.reply);
    switch (plan.fate) {
      case Fate::served:
        return serve(pending);
      case Fate::unavailable:
        return complete(pending, Error(Errc::unavailable, "scripted: not connected"));
      case Fate::rejected:
        return complete(pending, Error(Errc::rejected, "scripted: refused"));
      case Fate::request_lost:
        return complete(pending, Error(Errc::indeterminate, "scripted: no answer"));
      case Fate::reply_lost:
        static_cast<void>(carry_out(operation));
        return complete(pending, Error(Errc::indeterminate, "scripted: no answer"));
      case Fate::late:
        late_.push_back(operation);
        return complete(pending, Error(Errc::indeterminate, "scripted: no answer"));
      case Fate::held_back:
        parked_.push_back(Parked{&pending, std::nullopt});
        return Submitted::pending;
      case Fate::reply_held:
        parked_.push_back(Parked{&pending, carry_out(operation)});
        return Submitted::pending;
    }
    return Submitted::pending;
  }

  std::size_t parked() const { return parked_.size(); }
  // Carries out the operation that has been parked longest, if that has not happened, and answers.
  void release_parked() {
    const Parked parked = std::move(parked_.front());
    parked_.pop_front();
    parked.pending->complete(parked.reply ? *parked.reply : carry_out(parked.pending->operation()));
  }
  void fail_parked(Errc code) {
    const Parked parked = std::move(parked_.front());
    parked_.pop_front();
    parked.pending->complete(Error(code, "scripted: failed while parked"));
  }
  // Carries out what nobody waits for any more.
  void run_late() {
    for (const Operation& operation : std::exchange(late_, {})) {
      static_cast<void>(carry_out(operation));
    }
  }

  // One operation by somebody else, at once; not in the log.
  Reply carry_out(const Operation& operation) {
    keyspace_.set_now(store_now());
    return apply(keyspace_, operation);
  }
  std::optional<Entry> entry(const Key& key) {
    keyspace_.set_now(store_now());
    return keyspace_.find(key);
  }
  std::optional<std::string> text_at(std::string_view key) {
    const auto found = entry(Key(std::string(key)));
    return found ? std::optional<std::string>(found->value) : std::nullopt;
  }
  void put(std::string_view key, std::string value, std::optional<milliseconds> ttl = {}) {
    Operation operation(OperationKind::set, Key(std::string(key)));
    operation.value = std::move(value);
    operation.ttl = ttl;
    static_cast<void>(carry_out(operation));
  }
  void lose_key(std::string_view key) {
    static_cast<void>(carry_out(Operation(OperationKind::erase, Key(std::string(key)))));
  }

  // The store's clock runs beside the local one, this much ahead of it.
  Duration clock_ahead = std::chrono::hours{24 * 365 * 50};
  StoreTime store_now() { return StoreTime(time_.now().time_since_epoch()) + clock_ahead; }

  const std::vector<Operation>& log() const { return log_; }
  int count(OperationKind kind) const {
    return static_cast<int>(std::count_if(
        log_.begin(), log_.end(), [kind](const Operation& each) { return each.kind == kind; }));
  }
  // What went over the wire and costs the server something.
  int commands() const {
    return static_cast<int>(log_.size()) - count(OperationKind::await_message) -
           count(OperationKind::interrupt);
  }

  std::size_t subscriptions() const { return subscriptions_.size(); }
  std::size_t listeners() const {
    std::size_t waiting = 0;
    for (const auto& [id, each] : subscriptions_) waiting += each.waiter != nullptr ? 1 : 0;
    return waiting;
  }
  // Ends every subscription, and the waits for messages with an error.
  void drop_subscriptions() {
    for (auto& [id, each] : std::exchange(subscriptions_, {})) {
      time_.cancel(each.timer);
      if (each.waiter != nullptr) {
        each.waiter->complete(Error(Errc::unavailable, "scripted: connection closed"));
      }
    }
  }

 private:
  struct Plan {
    OperationKind kind;
    Fate fate;
    std::function<void()> before;
    std::optional<Reply> reply;
  };
  struct Parked {
    PendingOperation* pending;
    std::optional<Reply> reply;
  };
  struct Subscription {
    Channel channel;
    bool wants_texts = false;
    std::optional<Value> heard = std::nullopt;  // the answer to the next wait
    bool interrupted = false;
    PendingOperation* waiter = nullptr;
    std::int64_t timer = 0;
  };
  class ScriptedKeyspace final : public MemoryKeyspace {
   public:
    explicit ScriptedKeyspace(ScriptedStore& store) : store_(store) {}
    std::int64_t publish(const Channel& channel, const std::string& text) override {
      return store_.tell_subscribers(channel, text);
    }

   private:
    ScriptedStore& store_;
  };

  Plan take_plan(OperationKind kind) {
    for (auto plan = plans_.begin(); plan != plans_.end(); ++plan) {
      if (plan->kind != kind) continue;
      Plan taken = std::move(*plan);
      plans_.erase(plan);
      return taken;
    }
    // An interruption never leaves the process.
    const bool sheltered = kind == OperationKind::interrupt || kind == OperationKind::await_message;
    return Plan{kind, sheltered ? Fate::served : weather, nullptr, std::nullopt};
  }

  static Submitted complete(PendingOperation& pending, Reply reply) {
    pending.complete(std::move(reply));
    return Submitted::completed;
  }

  Submitted serve(PendingOperation& pending) {
    const Operation& operation = pending.operation();
    switch (operation.kind) {
      case OperationKind::subscribe:
        subscriptions_.emplace(++last_subscription_,
                               Subscription{Channel(operation.key.text()), operation.texts});
        return complete(pending, Value(last_subscription_));
      case OperationKind::await_message:
        return await(pending);
      case OperationKind::interrupt:
        if (auto* subscription = find(operation.subscription)) {
          subscription->interrupted = true;
          rouse(operation.subscription);
        }
        return complete(pending, Value());
      case OperationKind::unsubscribe:
        subscriptions_.erase(operation.subscription);
        return complete(pending, Value());
      default:
        return complete(pending, carry_out(operation));
    }
  }

  Subscription* find(SubscriptionId id) {
    const auto found = subscriptions_.find(id);
    return found == subscriptions_.end() ? nullptr : &found->second;
  }

  static std::optional<Value> outcome(Subscription& subscription) {
    if (std::exchange(subscription.interrupted, false)) return nothing();
    return std::exchange(subscription.heard, std::nullopt);
  }
  static Value nothing() { return Value(std::int64_t{0}); }

  Submitted await(PendingOperation& pending) {
    const Operation& operation = pending.operation();
    auto* subscription = find(operation.subscription);
    if (subscription == nullptr) {
      return complete(pending, Error(Errc::unavailable, "scripted: no such subscription"));
    }
    auto heard = outcome(*subscription);
    if (!heard && operation.until <= time_.now()) heard = nothing();
    if (heard) return complete(pending, *heard);
    subscription->waiter = &pending;
    subscription->timer =
        time_.at(operation.until, [this, id = operation.subscription] { answer(id, nothing()); });
    return Submitted::pending;
  }

  std::int64_t tell_subscribers(const Channel& channel, const std::string& text) {
    std::int64_t count = 0;
    for (auto& [id, subscription] : subscriptions_) {
      if (subscription.channel != channel) continue;
      ++count;
      subscription.heard = subscription.wants_texts ? Value(text) : Value(std::int64_t{1});
      rouse(id);
    }
    return count;
  }

  // Later, as a message travels: never inside the operation that caused it.
  void rouse(SubscriptionId id) {
    time_.at(time_.now(), [this, id] {
      auto* subscription = find(id);
      if (subscription == nullptr || subscription->waiter == nullptr) return;
      if (auto heard = outcome(*subscription)) answer(id, *std::move(heard));
    });
  }

  void answer(SubscriptionId id, Value heard) {
    auto* subscription = find(id);
    if (subscription == nullptr || subscription->waiter == nullptr) return;
    time_.cancel(subscription->timer);
    std::exchange(subscription->waiter, nullptr)->complete(std::move(heard));
  }

  FakeTime& time_;
  ScriptedKeyspace keyspace_;
  std::deque<Plan> plans_;
  std::deque<Parked> parked_;
  std::vector<Operation> late_;
  std::vector<Operation> log_;
  std::map<SubscriptionId, Subscription> subscriptions_;
  SubscriptionId last_subscription_ = 0;
};

class RecordingSink final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override { events.push_back(event); }

  // `waiting, waiting, acquired`
  std::string kinds() const {
    std::string line;
    for (const Event& event : events) {
      if (!line.empty()) line += ", ";
      line += to_string(event.kind);
    }
    return line;
  }
  int count(EventKind kind) const {
    return static_cast<int>(std::count_if(events.begin(), events.end(),
                                          [kind](const Event& each) { return each.kind == kind; }));
  }

  std::vector<Event> events;
};

}  // namespace interlock::scripted
