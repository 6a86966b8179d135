#include "searches.hpp"

#include <array>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/local_queue.hpp"
#include "promises.hpp"
#include "quarantine_searches.hpp"
#include "queue_searches.hpp"

namespace interlock::mutants {
namespace {

using sim::Fault;
using sim::FaultBudget;
using sim::never;
using sim::Scenario;
using sim::catalogue::lease_lock_scenario;
using sim::catalogue::LeaseClientOptions;
using std::chrono::seconds;

// The production lock with everything that it promises.

Scenario waiting() {
  LeaseClientOptions options;
  options.ttl = Ttl(seconds{1});
  return lease_lock_scenario(2, options, 4);
}
// A ttl of two instants: with one, the lease has ended when its renewal falls due.
Scenario renewing() {
  LeaseClientOptions options;
  options.ttl = Ttl(seconds{2});
  options.renews = true;
  return lease_lock_scenario(2, options, 4);
}
Scenario with(Scenario scenario, Fault fault) {
  return scenario.faults(FaultBudget().allow(fault));
}

// One promise at a time.

Scenario one(sim::Program program, std::size_t instants) {
  Scenario scenario("promise");
  return scenario.client(std::move(program)).instants(instants);
}

Terms terms(milliseconds ttl, SafetyMargin margin = SafetyMargin()) {
  Terms terms;
  terms.ttl = Ttl(ttl);
  terms.margin = margin;
  return terms;
}

Scenario lease_truth() {
  Scenario scenario("lease truth");
  scenario.clients(2, holder(terms(seconds{2}))).instants(5);
  return scenario.require(never(broken::lease_truth)).require(never(broken::false_release));
}

// A ttl of 4 ms of which 2 ms are certain, at a clock that falls 3 ms behind: the last millisecond
// is the one that a store gives away, because a key ends strictly after its expiry.
Scenario drifting_clock() {
  const SafetyMargin half(250'000, milliseconds{1});
  Terms looks = terms(milliseconds{4}, half);
  looks.renews = false;
  return one(holder(looks), 8)
      .instants(8, milliseconds{1})
      .require(never(broken::lease_truth))
      .faults(FaultBudget().allow(Fault::drift, 3));
}

// Leases that end at an instant of the search.
Scenario late_answers() {
  const SafetyMargin none(0, Duration{0});
  return one(taker(terms(seconds{1}, none)), 5).require(never(broken::dead_on_arrival));
}

Scenario alone(Fault fault) {
  return one(loner(terms(seconds{3})), 4)
      .require(never(broken::own_ghost))
      .require(never(broken::one_answer))
      .require(never(broken::one_grant_one_number))
      .faults(FaultBudget().allow(fault));
}

// An answer is lost, and what is sent next never leaves.
FaultBudget answer_then_line() {
  return FaultBudget().allow(Fault::lost_reply).allow(Fault::unreachable);
}
Scenario doubted() {
  return one(doubter(terms(seconds{3})), 3)
      .require(never(broken::known_failure))
      .faults(answer_then_line());
}
Scenario withdrawn() {
  return one(withdrawer(terms(seconds{3})), 3)
      .require(never(broken::left_behind))
      .faults(answer_then_line());
}

Scenario releasing() {
  return one(releaser(terms(seconds{3})), 3)
      .require(never(broken::false_alarm))
      .require(never(broken::false_release))
      .faults(FaultBudget().allow(Fault::lost_reply).allow(Fault::lost_request, 3));
}

// Without pauses, so that a client is late only by its own decision.
Scenario waits(const char* holder, std::optional<milliseconds> until, Patience patience) {
  return one(waiter(patience), 8)
      .initially(Key(lock_name), Entry(holder, until))
      .require(never(broken::waits_on))
      .faults(FaultBudget().pauses(0));
}
// The holder is gone and has announced nothing: the end of its ttl is what there is to wait for.
Scenario silent_holder() {
  Patience patience;
  patience.must_end_after = seconds{3};
  return waits("il1:gone", seconds{2}, patience);
}
Scenario limited_wait() {
  Patience patience;
  patience.wait = seconds{2};
  patience.must_end_after = seconds{2};
  return waits("il1:other", seconds{5}, patience);
}
Scenario cancelled_wait(const char* holder) {
  Patience patience;
  patience.cancelled_at = milliseconds{1500};
  patience.must_end_after = seconds{2};
  return waits(holder, std::nullopt, patience);
}

// --- a store that is away at a release -----------------------------------------------------------

FaultBudget blips(std::size_t unreachable) {
  return FaultBudget()
      .allow(Fault::unreachable, unreachable)
      .allow(Fault::lost_request)
      .allow(Fault::lost_reply);
}
Scenario finishing() {
  return one(finisher(terms(seconds{3})), 9)
      .require(never(broken::unfinished))
      .require(never(broken::releases_on))
      .faults(blips(6).pauses(0));
}
// A lock that is free although nobody has said so.
Scenario removed(const char* holder, Noticing noticing, std::optional<OwnerToken> releases = {}) {
  Scenario scenario("removed");
  return scenario.client(noticer(noticing))
      .client(remover(std::move(releases)))
      .instants(8)
      .initially(Key(lock_name), Entry(holder, milliseconds{seconds{6}}))
      .late_arrivals_are_pauses()
      .require(never(broken::waits_on))
      .faults(FaultBudget().pauses(0));
}
Noticing in_two_seconds(bool fair) {
  Noticing noticing;
  noticing.fair = fair;
  noticing.recheck = seconds{2};
  noticing.must_end_after = seconds{2};
  return noticing;
}
Scenario removed_plain() {
  return removed("il1:gone", in_two_seconds(false));
}
Scenario removed_fair() {
  return removed("il1:gone/fair", in_two_seconds(true));
}
// The waiter would not look in time, but the holder's release finds the key gone and notifies it.
Scenario removed_and_released() {
  Noticing noticing;
  noticing.recheck = seconds{5};
  return removed("il1:gone", noticing, OwnerToken("il1:gone"));
}

Scenario hand_over() {
  Scenario scenario("hand-over");
  return scenario.clients(2, visitor()).instants(2).require(sim::no_lost_wake_up(lock_name));
}
// A foreigner announces nothing, so that nobody may wait for a message from it. Where the other
// client is no foreigner, somebody does wait.
Scenario foreign_holder() {
  Scenario scenario("foreign holder");
  return scenario.client(visitor())
      .client(visitor_or_foreigner())
      .instants(2)
      .require(sim::no_lost_wake_up(lock_name))
      .require(sim::no_orphan(lock_name));
}

Scenario keeping(sim::Program program, std::size_t instants) {
  return one(std::move(program), instants)
      .require(never(broken::told_after_stop))
      .require(never(broken::revival))
      .require(never(broken::dead_renewal))
      .require(never(broken::empty_renewal));
}
Scenario kept() {
  return keeping(keeper(Keeping()), 4).require(never(broken::back_from_release));
}
// Nothing is sent, so that only the clock can tell.
Scenario watched() {
  Keeping alone;
  alone.renews = false;
  return keeping(overstayer(alone), 5)
      .require(never(broken::not_told))
      .faults(FaultBudget().pauses(0));
}
Scenario lost_on_the_way() {
  return keeping(loser(Keeping()), 5).require(never(broken::keeps_out));
}

// Threads that queue up for what the store grants to one of them.

using sim::catalogue::LocalQueueOptions;

Scenario local_queues() {
  LocalQueueOptions options;
  options.tells = true;
  return sim::catalogue::local_queue_scenario(2, options, 3).sometimes(sim::catalogue::handed_over);
}
// Time passes only while nobody can move: who waits then waits for nothing.
Scenario alone_in_local_queue(LocalQueueOptions options) {
  options.alone = true;
  Scenario scenario = sim::catalogue::local_queue_scenario(1, std::move(options), 5);
  return scenario.faults(FaultBudget().pauses(0));
}
Scenario local_queue_of_three() {
  LocalQueueOptions options;
  options.threads.resize(3);
  return alone_in_local_queue(options);
}
Scenario local_queue_without_hand_over() {
  LocalQueueOptions options;
  options.policy.sections = 1;
  return alone_in_local_queue(options);
}
Scenario local_queue_of(milliseconds first_ttl, milliseconds second_ttl, Duration stays) {
  LocalQueueOptions options;
  options.watched = false;
  options.threads[0].ttl = Ttl(first_ttl);
  options.threads[0].stays = stays;
  options.threads[1].ttl = Ttl(second_ttl);
  return alone_in_local_queue(options);
}
Scenario local_queue_with_one_who_gives_up(std::int64_t sections) {
  LocalQueueOptions options;
  options.policy.sections = sections;
  options.threads.resize(3);
  for (sim::catalogue::LocalQueueThread& thread : options.threads) thread.ttl = Ttl(seconds{5});
  options.threads[0].stays = milliseconds{1500};
  options.threads[1].wait = milliseconds{500};
  return alone_in_local_queue(options);
}

// A thread that keeps its grant, and one that comes while it is kept.
using sim::catalogue::LocalQueueThread;
LocalQueueOptions keeping(int sections, Duration rests) {
  LocalQueueOptions options;
  options.policy.sections = 3;
  options.is_recalled = false;
  for (LocalQueueThread& thread : options.threads) thread.ttl = Ttl(seconds{5});
  options.threads[0].keeps = true;
  options.threads[0].sections = sections;
  options.threads[0].rests = rests;
  options.threads[1].comes_after = milliseconds{500};
  options.threads[1].sections = 2;
  return options;
}
Scenario kept_and_taken() {
  return alone_in_local_queue(keeping(2, Duration{0})).sometimes(sim::catalogue::begun_with_kept);
}
Scenario kept_alone() {
  LocalQueueOptions options = keeping(4, Duration{0});
  options.threads.resize(1);
  return alone_in_local_queue(options).sometimes(sim::catalogue::begun_with_kept);
}
Scenario kept_for_too_long() {
  LocalQueueOptions options = keeping(2, seconds{2});
  options.threads.resize(1);
  options.watched = false;
  options.alone = false;
  Scenario scenario = sim::catalogue::local_queue_scenario(1, options, 5);
  scenario.require(never(sim::catalogue::begun_with_kept));
  return scenario.faults(FaultBudget().pauses(0));
}
Scenario kept_and_recalled(Ttl ttl, Duration rests) {
  LocalQueueOptions keeper;
  keeper.policy.sections = 3;
  keeper.threads.resize(1);
  keeper.threads[0].keeps = true;
  keeper.threads[0].sections = 2;
  keeper.threads[0].ttl = ttl;
  keeper.threads[0].rests = rests;
  keeper.looks = true;
  LocalQueueOptions stranger;
  stranger.threads.resize(1);
  Scenario scenario = sim::catalogue::local_queue_scenario(1, keeper, 3);
  scenario.client(sim::catalogue::local_queue_process(stranger));
  return scenario.sometimes(sim::catalogue::begun_with_kept).sometimes(sim::catalogue::recalled);
}

const std::array searches{
    Search{"waiting", waiting},
    Search{"renewing", renewing},
    Search{"waiting-crash", [] { return with(waiting(), Fault::crash); }},
    Search{"renewing-crash", [] { return with(renewing(), Fault::crash); }},
    Search{"waiting-cut-off",
           [] {
             FaultBudget faults;
             faults.allow(Fault::restart).allow(Fault::unreachable).at_most(1);
             return waiting().faults(faults.let_requests_survive());
           }},
    Search{"waiting-failover", [] { return with(waiting(), Fault::failover); }},
    Search{"queueing", [] { return queueing(); }},
    Search{"queueing-crash", [] { return queueing(FaultBudget().allow(Fault::crash)); }},
    Search{"queueing-lost-reply", [] { return queueing(FaultBudget().allow(Fault::lost_reply)); }},
    Search{"queueing-with-pauses", [] { return queueing_with_pauses(); }},
    Search{"queueing-with-pauses-crash",
           [] { return queueing_with_pauses(FaultBudget().allow(Fault::crash)); }},
    Search{"queueing-for-a-while", queueing_for_a_while},
    Search{"giving-up-in-the-queue", giving_up_in_the_queue},
    Search{"cancelled-in-the-queue", cancelled_in_the_queue},
    Search{"refused-in-the-queue", refused_in_the_queue},
    Search{"inside-and-not-queued", inside_and_not_queued},
    Search{"offers", offers},
    Search{"offers-said-twice", offers_said_twice},
    Search{"offers-beyond-the-ttl", offers_beyond_the_ttl},
    Search{"asked-twice", asked_twice},
    Search{"cut-off-in-the-queue", cut_off_in_the_queue},
    Search{"beside-the-queue", beside_the_queue},
    Search{"quarantine-failover",
           [] { return quarantine(sim::catalogue::WithQueue::no, Fault::failover); }},
    Search{"queued-quarantine-failover",
           [] { return quarantine(sim::catalogue::WithQueue::yes, Fault::failover); }},
    Search{"queued-quarantine-restart-empty",
           [] { return quarantine(sim::catalogue::WithQueue::yes, Fault::restart_empty); }},
    Search{"lease-truth", lease_truth},
    Search{"drifting-clock", drifting_clock},
    Search{"late-answers", late_answers},
    Search{"alone-lost-reply", [] { return alone(Fault::lost_reply); }},
    Search{"alone-duplicate", [] { return alone(Fault::duplicate); }},
    Search{"doubted", doubted},
    Search{"withdrawn", withdrawn},
    Search{"releasing", releasing},
    Search{"silent-holder", silent_holder},
    Search{"limited-wait", limited_wait},
    Search{"cancelled-wait", [] { return cancelled_wait("il1:other"); }},
    Search{"cancelled-poll", [] { return cancelled_wait("foreign"); }},
    Search{"finishing", finishing},
    Search{"removed", removed_plain},
    Search{"removed-fair", removed_fair},
    Search{"removed-and-released", removed_and_released},
    Search{"hand-over", hand_over},
    Search{"foreign-holder", foreign_holder},
    Search{"kept", kept},
    Search{"watched", watched},
    Search{"lost-on-the-way", lost_on_the_way},
    Search{"local-queues", local_queues},
    Search{"local-queue-of-three", local_queue_of_three},
    Search{"local-queue-without-hand-over", local_queue_without_hand_over},
    Search{"local-queue-of-long-sections",
           [] { return local_queue_of(seconds{3}, seconds{3}, seconds{1}); }},
    Search{"local-queue-of-two-ttls",
           [] { return local_queue_of(seconds{2}, seconds{3}, Duration{0}); }},
    Search{"local-queue-with-one-who-gives-up",
           [] { return local_queue_with_one_who_gives_up(2); }},
    Search{"local-queue-with-one-who-leads-in-vain",
           [] { return local_queue_with_one_who_gives_up(1); }},
    Search{"kept-and-taken", kept_and_taken},
    Search{"kept-alone", kept_alone},
    Search{"kept-for-too-long", kept_for_too_long},
    Search{"kept-and-recalled", [] { return kept_and_recalled(Ttl(seconds{1}), Duration{0}); }},
    Search{"kept-until-recalled", [] { return kept_and_recalled(Ttl(seconds{8}), seconds{1}); }},
};

}  // namespace

const Search* find_search(std::string_view name) {
  for (const Search& search : searches) {
    if (search.name == name) return &search;
  }
  return nullptr;
}

}  // namespace interlock::mutants
