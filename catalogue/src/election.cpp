#include "interlock/sim/catalogue/election.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "interlock/leader.hpp"
#include "interlock/protocols/queue_lock.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

LockName name_of_election() {
  return *LockName::parse(election_name);
}

std::string ms_of(TimePoint now) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count());
}

// What a leader says of itself: when it says so, and who it is. So an observer can check both.
Leader leader_of(Client& me, const Lease& lease) {
  return {lease.owner(), lease.fencing(), ms_of(me.time().now()) + " " + lease.owner().text()};
}

bool is_mixed_up(const Leader& leader) {
  return !leader.value.ends_with(" " + leader.owner.text());
}

// Whether more time has passed since than this.
bool is_older_than(const Leader& leader, TimePoint now, Duration age) {
  return std::stoll(leader.value) <
         std::chrono::duration_cast<milliseconds>((now - age).time_since_epoch()).count();
}

Task<void> campaign(Client& me, ElectionOptions options) {
  const std::unique_ptr<LockProtocol> lock = options.lock(me.store(), me.time());
  LockClient client(me.store(), *lock, me.time(), me.tokens(), nullptr, simulated_wait_policy());
  AcquireOptions acquire(options.ttl);
  acquire.wait = options.wait;
  const Result<AcquireOutcome> outcome = co_await client.acquire(name_of_election(), acquire);
  const Lease* const granted = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (granted == nullptr) co_return;
  const Lease lease = *granted;
  const Result<OwnerCheck> said =
      co_await proclaim(me.store(), name_of_election(), leader_of(me, lease));
  me.reach(broken_election::unsaid, !said);
  if (said && *said == OwnerCheck::done) {
    me.enter(election_name, lease.fencing(), lease.certain_until());
    if (options.leads > Duration::zero()) {
      co_await me.time().sleep_until(me.time().now() + options.leads);
    }
    if (options.proclaims_again) {
      static_cast<void>(co_await proclaim(me.store(), name_of_election(), leader_of(me, lease)));
    }
    co_await me.leave(election_name);
    static_cast<void>(co_await withdraw(me.store(), name_of_election(), lease.owner()));
  }
  static_cast<void>(co_await client.release(lease));
}

Task<void> observe(Client& me, ElectionOptions options) {
  LeaderObserver observer(me.store(), me.time(), name_of_election());
  const TimePoint until = me.time().now() + options.observes;
  FencingToken last;
  bool has_looked = false;
  for (;;) {
    const Result<bool> is_new = co_await observer.wait(until);
    if (!is_new) continue;
    if (!*is_new && me.time().now() >= until) break;
    const std::optional<Leader>& leader = observer.leader();
    const bool is_first = !std::exchange(has_looked, true);
    if (!leader) continue;
    me.reach(broken_election::goes_back, leader->epoch < last);
    me.reach(broken_election::mixed_up, is_mixed_up(*leader));
    me.reach(broken_election::out_of_date,
             !is_first && is_older_than(*leader, me.time().now(), options.told_within));
    last = std::max(last, leader->epoch);
  }
  const Result<std::optional<Leader>> now = co_await observer.look();
  const bool another_leads = now && *now && *now != observer.leader();
  me.reach(broken_election::out_of_date,
           another_leads && is_older_than(**now, me.time().now(), options.told_within));
  co_await observer.end();
}

}  // namespace

ElectionOptions::ElectionOptions()
    : lock([](KeyValueStore& store, TimeSource& time) -> std::unique_ptr<LockProtocol> {
        return std::make_unique<QueueLock>(store, time, SafetyMargin(), simulated_queue_policy());
      }) {}

Program candidate(ElectionOptions options) {
  return [options = std::move(options)](Client& me) { return campaign(me, options); };
}

Program observer(ElectionOptions options) {
  return [options = std::move(options)](Client& me) { return observe(me, options); };
}

Scenario election_scenario(std::size_t candidates,
                           std::size_t observers,
                           ElectionOptions options,
                           std::size_t instants) {
  Scenario scenario("election");
  scenario.clients(candidates, candidate(options));
  scenario.clients(observers, observer(std::move(options)));
  scenario.instants(instants).long_lived_keys_stay();
  if (candidates > 1) scenario.require(lease_exclusion(election_name));
  return scenario.require(never(broken_election::goes_back))
      .require(never(broken_election::mixed_up))
      .require(never(broken_election::out_of_date))
      .offer(never(broken_election::unsaid));
}

}  // namespace interlock::sim::catalogue
