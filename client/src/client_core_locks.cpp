// How a client acquires and releases, for threads and for coroutines.
#include <algorithm>
#include <future>
#include <string>
#include <utility>

#include "client_core.hpp"
#include "interlock/detail/frame_allocator.hpp"
#include "interlock/detail/ranges.hpp"
#include "interlock/holder_note.hpp"
#include "interlock/local_clock.hpp"
#include "on_early_exit.hpp"

namespace interlock {
namespace {

Error name_was_moved_from() {
  return {Errc::invalid_argument,
          "acquiring: the lock's name was moved from: give what it moved to"};
}

std::string in_ms(Duration duration) {
  return std::to_string(std::chrono::ceil<milliseconds>(duration).count()) + " ms";
}

Error was_cancelled() {
  return {Errc::cancelled, "the wait was cancelled"};
}

}  // namespace

std::optional<Error> Client::Core::refuses_to_block(const char* what, const LockName& name) const {
  if (in_child()) return posix::used_in_child(what + (" '" + name.text()) + "'", "its client");
  if (!loop_->on_loop_thread()) return std::nullopt;
  return Error(Errc::invalid_argument,
               what + (" '" + name.text()) +
                   "': a blocking call on the client's own loop would wait for itself: co_await "
                   "the one that ends in _async there, or call acquire_then()");
}

std::optional<Error> Client::Core::refuses_task(const char* what, const LockName& name) const {
  if (in_child()) return posix::used_in_child(what + (" '" + name.text()) + "'", "its client");
  if (loop_->on_loop_thread()) return std::nullopt;
  return Error(Errc::invalid_argument,
               what + (" '" + name.text()) +
                   "': a task of the client's was started outside of its loop: start it by spawn() "
                   "or wait_for()");
}

std::optional<Error> Client::Core::refuses_options(const LockName& name,
                                                   const LockOptions& options) const {
  if (name.text().empty()) return name_was_moved_from();
  if (options.shared && options.permits) {
    return Error(Errc::invalid_argument,
                 "acquiring '" + name.text() +
                     "': both shared and permits are asked for: choose one of them");
  }
  if (auto error = HolderNote::wrong(options.note)) {
    return Error(error->code(), "acquiring '" + name.text() + "': " + error->detail());
  }
  if (options.at_least == Duration::zero()) return std::nullopt;
  detail::Ranges ranges("LockOptions");
  ranges.duration("at_least", options.at_least, Duration::zero());
  if (ranges.error()) return ranges.error();
  const std::optional<Quarantine> quarantine = backend_->quarantine();
  // A lease that stays is a lease of the store, too.
  if (!quarantine || options.at_least <= quarantine->longest_ttl.duration()) return std::nullopt;
  return Error(Errc::invalid_argument,
               "at_least of " + in_ms(options.at_least) +
                   " is longer than the longest ttl of this store's quarantine, " +
                   in_ms(quarantine->longest_ttl.duration()) +
                   ": choose a shorter one, or raise the longest for all clients of the store");
}

// --- acquire -------------------------------------------------------------------------------------

AcquireResult Client::Core::acquire(const LockName& name,
                                    const LockOptions& options,
                                    const std::shared_ptr<KeptLease>& keeps) {
  if (auto error = refuses_to_block("acquiring", name)) return *std::move(error);
  if (auto error = refuses_options(name, options)) return *std::move(error);
  const BlockingCalls::Call call(calls_);
  if (!call || options.stop.stop_requested()) return was_cancelled();
  if (keeps) cohort_.begin_keeping();
  const TimePoint began = reports() ? local_now() : TimePoint();
  if (cohort_.serves(options)) {
    return result_of(name, cohort_.acquire(name, options, keeps), options, began);
  }
  if (auto kept = cohort_.stop_keeping(name)) static_cast<void>(release(kept->take()));
  return result_of(name, store_.acquire(name, options, StoreAccess::FirstRequest::tries), options,
                   began);
}

Task<AcquireResult> Client::Core::acquire_until_closing(LockName name, LockOptions options) {
  return acquire_async(std::move(name), std::move(options), calls_.close_token());
}

Task<AcquireResult> Client::Core::acquire_async(LockName name,
                                                LockOptions options,
                                                std::stop_token closing) {
  if (auto error = refuses_task("acquiring", name)) co_return *std::move(error);
  if (auto error = refuses_options(name, options)) co_return *std::move(error);
  const auto cancellation = detail::make_shared_from_frames<Cancellation>();
  const auto give_up = [&] { loop_->post([cancellation] { cancellation->request(); }); };
  const std::stop_callback on_stop(options.stop, give_up);
  const std::stop_callback on_close(closing, give_up);
  if (options.stop.stop_requested() || closing.stop_requested()) co_return was_cancelled();
  const TimePoint began = loop_->now();
  Task<Cohort::Grant> acquiring = cohort_.serves(options)
                                      ? cohort_.acquire_async(name, options, cancellation)
                                      : acquire_alone(name, options, cancellation);
  Cohort::Grant grant = co_await acquiring;
  co_return result_of(name, std::move(grant), options, began);
}

Task<Cohort::Grant> Client::Core::acquire_alone(LockName name,
                                                LockOptions options,
                                                std::shared_ptr<Cancellation> cancellation) {
  if (const auto kept = cohort_.stop_keeping(name)) {
    static_cast<void>(co_await release_async(kept->take()));
  }
  std::optional<QueuedWaiters::QueuedCaller> place;
  Result<AcquireOutcome> outcome =
      co_await store_.acquire_async(place, std::move(name), options, cancellation);
  co_return Cohort::Grant(std::move(outcome));
}

AcquireResult Client::Core::result_of(const LockName& name,
                                      Cohort::Grant grant,
                                      const LockOptions& options,
                                      TimePoint began) {
  report_not_acquired(name, grant.outcome, began);
  if (!grant.outcome) return std::move(grant.outcome).error();
  if (auto* busy = std::get_if<Busy>(&*grant.outcome)) return std::move(*busy);
  const Lease& lease = std::get<Lease>(*grant.outcome);
  try {
    auto held = detail::make_shared_from_frames<ActiveLease>(
        *this, kind_of(options), lease, options.renew, grant.hand_over_until, options.at_least);
    if (loop_->on_loop_thread()) held->note_acquired_by_task();
    renewals_.add(held);
    return Guard(std::move(held));
  } catch (...) {
    // std::bad_alloc. The lock ends with its ttl; the other callers need not wait for that.
    cohort_.pass_on(kind_of(options), lease, LocalQueues::Section::over);
    report([&] { return Event(EventKind::hold_ended, lease); });
    throw;
  }
}

void Client::Core::report_not_acquired(const LockName& name,
                                       const Result<AcquireOutcome>& outcome,
                                       TimePoint began) const {
  if (outcome && std::holds_alternative<Lease>(*outcome)) return;
  report([&] {
    Event event(EventKind::not_acquired, name);
    event.took = local_now() - began;
    if (!outcome) {
      event.error = outcome.error();
    } else {
      event.busy = std::get<Busy>(*outcome);
    }
    return event;
  });
}

void Client::Core::report_hold_ended(ActiveLease& held) const {
  if (!reports()) return;
  const std::optional<Duration> held_for = held.end_hold();
  if (!held_for) return;
  report([&] {
    Event event(EventKind::hold_ended, held.lease_of_section());
    event.took = *held_for;
    return event;
  });
}

// --- release -------------------------------------------------------------------------------------
// On the calling thread while the loop does not keep the lease alive, else on the loop, where its
// renewal is ended first.

using Stage = RenewalSchedule::Stage;

RenewalSchedule::Stage Client::Core::end_renewal(ActiveLease& held) {
  const Stage stage = renewals_.remove(held);
  if (stage == Stage::ended) return stage;
  held.begin_release();
  report_hold_ended(held);
  return stage;
}

// A lock that stays, stays for the rest of its time, which the store counts. This process has
// counted the time since the grant, and its clock may be faster than the store's: hence the margin.
Lease Client::Core::lease_to_release(const ActiveLease& held) const {
  Lease lease = held.lease_of_section();
  const Duration stays = held.stays();
  if (stays == Duration::zero()) return lease;
  const auto since = std::chrono::ceil<milliseconds>(local_now() - held.granted());
  const Ttl counted(std::clamp(since, milliseconds{1}, Ttl::longest));
  const Duration margin = counted.duration() - options_.margin.certain_lifetime(counted);
  return lease.staying_until(held.granted() + stays + margin);
}

Result<ReleaseOutcome> Client::Core::release(const std::shared_ptr<ActiveLease>& held) {
  if (auto error = refuses_to_block("releasing", held->lease().name())) return *std::move(error);
  const BlockingCalls::Call call(calls_);
  if (!call.may_release()) return client_is_gone(held->lease().name());
  // If std::bad_alloc ends the release, the lock ends with its ttl. The other callers of this
  // client need not wait for that.
  OnEarlyExit release([&] { pass_on(*held, LocalQueues::Section::over); });
  Result<ReleaseOutcome> outcome = release_now(held);
  release.has_ended();
  return outcome;
}

Result<ReleaseOutcome> Client::Core::release_now(const std::shared_ptr<ActiveLease>& held) {
  switch (end_renewal(*held)) {
    case Stage::ended:
      return ReleaseOutcome::not_holder;
    case Stage::scheduled:
      if (hand_over(*held)) return ReleaseOutcome::released;
      if (auto outcome = store_.release_here(held->kind(), lease_to_release(*held))) {
        on_released(*held);
        return *std::move(outcome);
      }
      break;
    case Stage::kept_alive:
      break;
  }
  return release_on_loop(held);
}

Task<Result<ReleaseOutcome>> Client::Core::release_async(std::shared_ptr<ActiveLease> held) {
  if (auto error = refuses_task("releasing", held->lease().name())) co_return *std::move(error);
  OnEarlyExit release([&] { pass_on(*held, LocalQueues::Section::over); });
  switch (end_renewal(*held)) {
    case Stage::ended:
      release.has_ended();
      co_return ReleaseOutcome::not_holder;
    case Stage::scheduled:
      if (hand_over(*held)) {
        release.has_ended();
        co_return ReleaseOutcome::released;
      }
      break;
    case Stage::kept_alive:
      held->stop();
      break;
  }
  Result<ReleaseOutcome> outcome =
      co_await store_.release_async(held->kind(), lease_to_release(*held));
  release.has_ended();
  on_released(*held);
  co_return outcome;
}

// The caller does not wait for the answer; only the event sink gets it.
void Client::Core::release_quietly(const std::shared_ptr<ActiveLease>& held) noexcept {
  if (loop_->on_loop_thread()) {
    // Most guards are dropped after their release. Starting a task to find that out would cost a
    // sixth of an acquire and release.
    if (renewals_.has_ended(*held)) return;
    const auto ignore_result = [](Task<Result<ReleaseOutcome>> release,
                                  UnfinishedReleases::UnderWay begun) -> Task<void> {
      const UnfinishedReleases::UnderWay under_way = std::move(begun);
      static_cast<void>(co_await release);
    };
    return spawn_own(ignore_result(release_async(held), store_.release_begins()));
  }
  const BlockingCalls::Call call(calls_);
  if (call.may_release()) give_back(held);
}

void Client::Core::give_back(const std::shared_ptr<ActiveLease>& held) noexcept {
  if (loop_->on_loop_thread()) return release_quietly(held);
  switch (end_renewal(*held)) {
    case Stage::ended:
      return;
    case Stage::scheduled:
      if (hand_over(*held)) return;
      // A thread that acquires by callbacks, another event loop's say, must not wait for a
      // connection of its own.
      if (held->was_acquired_by_task()) break;
      if (store_.release_soon(held->kind(), lease_to_release(*held))) return on_released(*held);
      break;
    case Stage::kept_alive:
      break;
  }
  const auto send = [](Client::Core* core, std::shared_ptr<ActiveLease> of,
                       UnfinishedReleases::UnderWay begun) -> Task<void> {
    const UnfinishedReleases::UnderWay under_way = std::move(begun);
    static_cast<void>(co_await core->release_stopped(of));
  };
  spawn_own(send(this, held, store_.release_begins()));
}

// Its renewal ends before the release is sent, so that none can follow it.
Task<Result<ReleaseOutcome>> Client::Core::release_stopped(std::shared_ptr<ActiveLease> held) {
  held->stop();
  Result<ReleaseOutcome> outcome =
      co_await store_.release_async(held->kind(), lease_to_release(*held));
  on_released(*held);
  co_return outcome;
}

Result<ReleaseOutcome> Client::Core::release_on_loop(const std::shared_ptr<ActiveLease>& held) {
  using Promise = std::promise<Result<ReleaseOutcome>>;
  const auto promise = std::make_shared<Promise>();
  const auto send = [](Client::Core* core, std::shared_ptr<ActiveLease> of,
                       std::shared_ptr<Promise> to) -> Task<void> {
    to->set_value(co_await core->release_stopped(of));
  };
  std::future<Result<ReleaseOutcome>> result = promise->get_future();
  spawn_own(send(this, held, promise));
  if (result.wait_for(options_.release_limit) == std::future_status::ready) return result.get();

  Error error(Errc::indeterminate, "releasing '" + held->lease().name().text() +
                                       "': the store did not answer in time: the lock may stay "
                                       "held until its ttl ends");
  report([&] {
    Event event(EventKind::error, held->lease_of_section());
    event.error = error;
    return event;
  });
  return error;
}

bool Client::Core::hand_over(const ActiveLease& held) {
  return held.may_be_handed_over() && cohort_.hand_over(held.kind(), held.lease_of_section());
}

void Client::Core::pass_on(const ActiveLease& held, LocalQueues::Section section) {
  if (held.may_be_handed_over()) cohort_.pass_on(held.kind(), held.lease_of_section(), section);
}

void Client::Core::stop_handing_over(const ActiveLease& held) {
  if (!held.may_be_handed_over()) return;
  if (const auto kept = cohort_.stop_handing_over(held.kind(), held.lease())) {
    release_quietly(kept->take());
  }
}

void Client::Core::release_kept(LocalQueues::Recall recalls) {
  for (const auto& kept : cohort_.stop_keeping_all(recalls)) release_quietly(kept->take());
}

void Client::Core::end_section(ActiveLease& held, KeptGrant::Fate fate) {
  const std::shared_ptr<ActiveLease> lease = held.shared_from_this();
  if (end_renewal(held) == Stage::kept_alive) loop_->post([lease] { lease->stop(); });
  if (fate == KeptGrant::Fate::is_released) return;
  report([&] { return Event(EventKind::released, held.lease_of_section()); });
}

void Client::Core::on_released(const ActiveLease& held) {
  pass_on(held, LocalQueues::Section::over);
  store_.on_released(held.kind(), held.lease().name());
}

}  // namespace interlock
