#include "interlock/sim/catalogue/group_lock.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "interlock/protocols/group_lock.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/protocols/queue_lock.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock::sim::catalogue {
namespace {

using Wants = GroupClientOptions::Wants;

bool is_alone(const GroupClientOptions& options) {
  return options.wants == Wants::alone || options.wants == Wants::without_queue;
}

bool exclude(const GroupClientOptions& one, const GroupClientOptions& other) {
  if (is_alone(one) || is_alone(other) || one.wants != other.wants) return true;
  if (one.wants == Wants::shared) return false;
  return one.permits.wanted() + other.permits.wanted() > one.permits.all();
}

// What one client shows of itself: it believes that it has these, and reads or writes these.
class Shown {
 public:
  Shown() = default;
  std::set<std::string> beliefs;
  std::set<std::string> beliefs_of_reader;  // those that are left to a reader
  std::vector<std::string> pages;
  std::vector<std::string> pages_of_reader;
};

std::unique_ptr<LockProtocol> protocol_of(Client& me, const GroupClientOptions& options) {
  const QueuePolicy policy = simulated_queue_policy();
  switch (options.wants) {
    case Wants::shared:
      return std::make_unique<SharedLock>(me.store(), me.time(), SafetyMargin(), policy,
                                          options.quarantine);
    case Wants::permits: {
      auto lock = std::make_unique<PermitLock>(me.store(), me.time(), SafetyMargin(), policy,
                                               options.quarantine);
      lock->wants(options.permits);
      return lock;
    }
    case Wants::without_queue:
      return std::make_unique<LeaseLock>(me.store(), me.time(), SafetyMargin(), options.quarantine);
    case Wants::alone:
      break;
  }
  return std::make_unique<QueueLock>(me.store(), me.time(), SafetyMargin(), policy,
                                     options.quarantine);
}

class Visitor {
 public:
  Visitor(Client& me, const GroupClientOptions& options, const Shown& shown)
      : me_(me),
        options_(options),
        shown_(shown),
        lock_(protocol_of(me, options)),
        client_(me.store(), *lock_, me.time(), me.tokens(), nullptr, simulated_wait_policy()) {}

  Task<void> visit() {
    if (options_.begins_after > Duration::zero()) {
      co_await me_.time().sleep_until(me_.time().now() + options_.begins_after);
    }
    me_.wants(group_lock_name);
    const TimePoint began = me_.time().now();
    AcquireOptions acquire(options_.ttl);
    acquire.wait = options_.wait;
    const Result<AcquireOutcome> outcome =
        co_await client_.acquire(*LockName::parse(group_lock_name), acquire);
    const Lease* const granted = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
    const Duration took = me_.time().now() - began;
    me_.reach(broken_group::served_late,
              options_.served_within && (granted == nullptr || took > *options_.served_within));
    if (granted == nullptr) me_.gives_up(group_lock_name);
    if (granted == nullptr) co_return;
    Lease lease = *granted;
    me_.enter(group_lock_name, lease.fencing());
    for (const std::string& belief : shown_.beliefs) {
      me_.enter(belief, lease.fencing(), lease.certain_until());
    }
    co_await stay(lease, shown_.pages);
    for (int renewal = 0; renewal < options_.renewals; ++renewal) {
      const Result<RenewOutcome> renewed = co_await lock_->renew(lease);
      const Lease* const later = renewed ? std::get_if<Lease>(&*renewed) : nullptr;
      if (later == nullptr) break;
      lease = *later;
      for (const std::string& belief : shown_.beliefs) {
        me_.believes_until(belief, lease.certain_until());
      }
      co_await stay(lease, shown_.pages);
    }
    if (options_.downgrades) {
      co_await downgrade(&lease);
      for (const std::string& belief : shown_.beliefs_of_reader) co_await me_.leave(belief);
    } else {
      for (const std::string& belief : shown_.beliefs) co_await me_.leave(belief);
    }
    co_await me_.leave(group_lock_name);
    if (downgraded_) {
      static_cast<void>(co_await downgraded_->release(lease));
    } else {
      static_cast<void>(co_await client_.release(lease));
    }
  }

 private:
  Task<void> stay(Lease lease, std::vector<std::string> pages) {
    if (options_.stays > Duration::zero()) {
      co_await me_.time().sleep_until(me_.time().now() + options_.stays);
    }
    for (const std::string& page : pages) {
      const WriteAnswer answer = co_await me_.write(page, lease.fencing());
      const bool refused = answer.is_known() && !answer;
      me_.reach(broken_group::refused, refused && me_.time().now() < lease.certain_until());
    }
  }

  // It no longer excludes readers from the moment when it asks, and others from no moment on.
  Task<void> downgrade(Lease* lease) {
    for (const std::string& belief : shown_.beliefs) {
      if (!shown_.beliefs_of_reader.contains(belief)) co_await me_.leave(belief);
    }
    downgraded_ = std::make_unique<SharedLock>(me_.store(), me_.time(), SafetyMargin(),
                                               simulated_queue_policy(), options_.quarantine);
    const bool was_valid = lease->state(me_.time().now()) != LeaseState::lost;
    const OwnerToken reader = me_.tokens().fresh_with(downgraded_->owner_mark());
    const Result<AcquireOutcome> outcome = co_await downgraded_->downgrade(*lease, reader);
    const Lease* const shared = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
    me_.reach(broken_group::downgrade_fails,
              shared == nullptr && was_valid && outcome &&
                  lease->state(me_.time().now()) != LeaseState::lost);
    if (shared == nullptr) {
      // It does not know which of the two owners has the lock.
      static_cast<void>(co_await downgraded_->release(Lease(
          lease->name(), reader, lease->fencing(), lease->ttl(), lease->sent(), SafetyMargin())));
      downgraded_.reset();
      co_return;
    }
    *lease = *shared;
    for (const std::string& belief : shown_.beliefs_of_reader) {
      me_.believes_until(belief, lease->certain_until());
    }
    std::vector<std::string> own = shown_.pages_of_reader;
    co_await stay(*lease, std::move(own));
  }

  Client& me_;
  const GroupClientOptions& options_;
  const Shown& shown_;
  const std::unique_ptr<LockProtocol> lock_;
  std::unique_ptr<SharedLock> downgraded_;
  LockClient client_;
};

Task<void> visit_group(Client& me, GroupClientOptions options, Shown shown) {
  for (const char* broken : {broken_group::refused, broken_group::downgrade_fails}) {
    me.reach(broken, false);
  }
  Visitor visitor(me, options, shown);
  co_await visitor.visit();
}

constexpr const char* together = "more permits than there are";

// All of them, and no two of them, want more permits than there are.
bool only_all_want_too_many(const std::vector<GroupClientOptions>& clients) {
  std::int64_t wanted = 0;
  std::int64_t all = Permits::most;
  for (std::size_t at = 0; at < clients.size(); ++at) {
    if (clients[at].wants != Wants::permits) return false;
    wanted += clients[at].permits.wanted();
    all = clients[at].permits.all();
    for (std::size_t other = 0; other < at; ++other) {
      if (exclude(clients[at], clients[other])) return false;
    }
  }
  return wanted > all;
}

std::string pair_of(std::size_t one, std::size_t other) {
  return std::to_string(std::min(one, other) + 1) + " beside " +
         std::to_string(std::max(one, other) + 1);
}

Shown shown_by(std::size_t at, const std::vector<GroupClientOptions>& clients) {
  Shown shown;
  const bool reads = clients[at].wants == Wants::shared || clients[at].downgrades;
  for (std::size_t other = 0; other < clients.size(); ++other) {
    if (other == at) continue;
    const bool is_reader = clients[other].wants == Wants::shared;
    if (exclude(clients[at], clients[other])) {
      shown.beliefs.insert(pair_of(at, other));
      if (!is_reader) shown.beliefs_of_reader.insert(pair_of(at, other));
    }
    const std::string page = "page " + std::to_string(other + 1);
    if (is_alone(clients[at]) && is_reader) shown.pages.push_back(page);
  }
  if (reads) shown.pages_of_reader.push_back("page " + std::to_string(at + 1));
  shown.pages.insert(shown.pages.end(), shown.pages_of_reader.begin(), shown.pages_of_reader.end());
  if (only_all_want_too_many(clients)) shown.beliefs.insert(together);
  return shown;
}

}  // namespace

Scenario group_lock_scenario(std::vector<GroupClientOptions> clients,
                             std::size_t instants,
                             Duration within) {
  Scenario scenario("group-lock");
  std::set<std::string> beliefs;
  std::set<std::string> pages;
  for (std::size_t at = 0; at < clients.size(); ++at) {
    const Shown shown = shown_by(at, clients);
    beliefs.insert(shown.beliefs.begin(), shown.beliefs.end());
    pages.insert(shown.pages.begin(), shown.pages.end());
    const GroupClientOptions& options = clients[at];
    scenario.client([options, shown](Client& me) { return visit_group(me, options, shown); });
  }
  scenario.instants(instants).long_lived_keys_stay();
  const bool all = beliefs.erase(together) != 0;
  if (all) scenario.require(lease_exclusion(together, clients.size() - 1));
  for (const std::string& pair : beliefs) scenario.require(lease_exclusion(pair));
  const bool is_written = std::any_of(clients.begin(), clients.end(), is_alone);
  for (const std::string& page : pages) {
    scenario.resource_checks_fencing(page);
    require_if(is_written, scenario, fenced_writes(page));
  }
  // Who waits for one without a queue polls.
  const bool polls = std::any_of(clients.begin(), clients.end(), [](const auto& each) {
    return each.wants == Wants::without_queue;
  });
  const bool waits = std::any_of(clients.begin(), clients.end(),
                                 [](const auto& each) { return each.wait != Duration::zero(); });
  return require_if(waits && !polls, scenario, no_lost_wake_up(group_lock_name, within))
      .require(never(broken_group::refused))
      .require(gone_leave_nothing(group_lock_name))
      .require(no_orphan(group_lock_name))
      .require(no_orphan(holders_key(Key(group_lock_name)).text()))
      .offer(never(broken_group::downgrade_fails))
      .require(never(broken_group::served_late))
      .offer(every_waiter_acquires(group_lock_name));
}

}  // namespace interlock::sim::catalogue
