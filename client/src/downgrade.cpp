// A lock that is held alone becomes a reader's. All of it happens on the loop, where renewals end.
#include <algorithm>
#include <future>
#include <utility>

#include "client_core.hpp"
#include "interlock/detail/frame_allocator.hpp"
#include "interlock/holder_note.hpp"
#include "interlock/protocols/group_lock.hpp"

namespace interlock {
namespace {

Error refused(const std::string& lock, const std::string& why) {
  return {Errc::invalid_argument, "downgrading" + lock + ": " + why};
}

// Why nobody can downgrade this guard.
std::optional<Error> refuses(const Client::Core& core,
                             const std::shared_ptr<ActiveLease>& held,
                             bool has_left) {
  if (!held || has_left) return refused("", "the guard holds nothing");
  const std::string lock = " '" + held->lease().name().text() + "'";
  const bool is_alone = held->kind() == LockKind::fair || held->kind() == LockKind::plain;
  if (!is_alone) return refused(lock, "its guard does not hold it alone");
  if (held->is_shared()) return refused(lock, "another guard of the same grant is there: end it");
  if (held->core().get() != &core) return refused(lock, "its guard is that of another client");
  if (!core.has_ended(*held)) return std::nullopt;
  return refused(lock, "its guard has been released");
}

}  // namespace

std::optional<Error> Client::Core::refuses_downgrade(const std::shared_ptr<ActiveLease>& held,
                                                     bool has_left) const {
  if (in_child()) return posix::used_in_child("downgrading", "its client");
  if (auto error = refuses(*this, held, has_left)) return error;
  return refuses_to_block("downgrading", held->lease().name());
}

std::optional<Error> Client::Core::refuses_downgrade_task(const std::shared_ptr<ActiveLease>& held,
                                                          bool has_left) const {
  if (in_child()) return posix::used_in_child("downgrading", "its client");
  if (auto error = refuses(*this, held, has_left)) return error;
  return refuses_task("downgrading", held->lease().name());
}

AcquireResult Client::Core::downgrade(std::shared_ptr<ActiveLease> held) {
  const BlockingCalls::Call call(calls_);
  if (!call) return client_is_gone(held->lease().name());
  const auto send = [](Core* core, std::shared_ptr<ActiveLease> of,
                       std::shared_ptr<std::promise<AcquireResult>> to) -> Task<void> {
    to->set_value(co_await core->downgrade_async(std::move(of)));
  };
  std::future<AcquireResult> result;
  try {
    const auto promise = std::make_shared<std::promise<AcquireResult>>();
    result = promise->get_future();
    spawn_own(send(this, held, promise));
  } catch (...) {
    // std::bad_alloc. Nobody else would end its renewals.
    give_back(held);
    throw;
  }
  held.reset();
  return result.get();
}

Task<AcquireResult> Client::Core::downgrade_async(std::shared_ptr<ActiveLease> held) {
  const Lease alone = held->lease_of_section();
  stop_handing_over(*held);
  const RenewalSchedule::Stage stage = end_renewal(*held);
  if (stage == RenewalSchedule::Stage::ended) {
    co_return refused(" '" + alone.name().text() + "'", "its guard has been released");
  }
  if (stage == RenewalSchedule::Stage::kept_alive) held->stop();
  LockOptions options(alone.ttl());
  options.shared = true;
  options.renew = held->is_renewed();
  options.note = HolderNote::of(alone.owner());
  const TimePoint began = loop_->now();
  // What is left of the time for which the lock stays held.
  if (held->stays() > Duration::zero()) {
    options.at_least = std::max(held->granted() + held->stays() - began, Duration::zero());
  }
  const OwnerToken reader = store_.fresh_owner(options, StoreAccess::Keeps::no);
  auto& lock = static_cast<SharedLock&>(store_.protocol(LockKind::shared));
  Result<AcquireOutcome> outcome = co_await lock.downgrade(alone, reader);
  if (outcome && std::holds_alternative<Lease>(*outcome)) {
    report([&] { return Event(EventKind::released, alone); });
    report([&] { return Event(EventKind::acquired, std::get<Lease>(*outcome)); });
  } else if (!outcome) {
    // Either owner may have the lock.
    static_cast<void>(co_await store_.release_async(held->kind(), alone));
    const Lease unconfirmed(alone.name(), reader, FencingToken(), alone.ttl(), began,
                            SafetyMargin());
    static_cast<void>(co_await store_.release_async(LockKind::shared, unconfirmed));
  }
  // Other callers of this client queue at the store from now on.
  pass_on(*held, LocalQueues::Section::over);
  co_return result_of(alone.name(), Cohort::Grant(std::move(outcome)), options, began);
}

}  // namespace interlock
