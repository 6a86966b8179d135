// How a client releases: on the calling thread while the loop has not taken the lease in, else on
// the loop, where its renewal is ended first.
#include <utility>

#include "client_core.hpp"
#include "interlock/local_clock.hpp"

namespace interlock {

Client::Core::Ending Client::Core::end(Holding& holding) {
  const std::lock_guard lock(mutex_);
  const Holding::Stage stage = std::exchange(holding.stage, Holding::Stage::ended);
  if (stage == Holding::Stage::ended) return Ending::already_ended;
  held_.erase(holding.place);
  return stage == Holding::Stage::kept ? Ending::kept : Ending::never_kept;
}

bool Client::Core::has_ended(const Holding& holding) {
  const std::lock_guard lock(mutex_);
  return holding.stage == Holding::Stage::ended;
}

Result<ReleaseOutcome> Client::Core::release(const std::shared_ptr<Holding>& holding) {
  if (auto error = refuses_to_block("releasing", holding->lease().name())) return *std::move(error);
  const Call call(*this);
  if (!call) return client_is_gone(holding->lease().name());
  switch (end(*holding)) {
    case Ending::already_ended:
      return ReleaseOutcome::not_holder;
    case Ending::never_kept:
      if (hand_over(*holding)) return ReleaseOutcome::released;
      if (auto outcome = release_here(holding->lease())) {
        released_at_store(*holding);
        return *std::move(outcome);
      }
      break;
    case Ending::kept:
      break;
  }
  return release_on_loop(holding);
}

void Client::Core::released_at_store(const Holding& holding) {
  pass_on(holding, LocalLines::Section::over);
  if (holding.lease().owner().hands_over()) look_again_after_offer(holding.lease().name());
}

std::optional<Result<ReleaseOutcome>> Client::Core::release_here(const Lease& lease) {
  Sessions::Borrowed session = sessions_.borrow();
  if (!session) return std::nullopt;
  return run(session.client(lease.owner().hands_over()).release(lease));
}

Result<ReleaseOutcome> Client::Core::give_back(const Lease& lease) {
  if (auto outcome = release_here(lease)) return *std::move(outcome);
  const auto promise = std::make_shared<std::promise<Result<ReleaseOutcome>>>();
  const auto release = [](LockClient* client, Lease of, decltype(promise) to) -> Task<void> {
    Result<ReleaseOutcome> outcome = co_await client->release(std::move(of));
    to->set_value(std::move(outcome));
  };
  std::future<Result<ReleaseOutcome>> result = promise->get_future();
  spawn_own(release(&client_of(lease), lease, promise));
  return result.get();
}

Task<void> Client::Core::release_task(
    std::shared_ptr<Holding> holding,
    std::shared_ptr<std::promise<Result<ReleaseOutcome>>> promise) {
  // Renewal ends before the release is sent, so that none can follow it.
  holding->stop();
  Result<ReleaseOutcome> outcome = co_await client_of(holding->lease()).release(holding->lease());
  released_at_store(*holding);
  promise->set_value(std::move(outcome));
}

Result<ReleaseOutcome> Client::Core::release_on_loop(const std::shared_ptr<Holding>& holding) {
  const auto promise = std::make_shared<std::promise<Result<ReleaseOutcome>>>();
  std::future<Result<ReleaseOutcome>> result = promise->get_future();
  spawn_own(release_task(holding, promise));
  if (result.wait_for(options_.release_limit) == std::future_status::ready) return result.get();

  Error error(Errc::indeterminate, "releasing '" + holding->lease().name().text() +
                                       "': the store did not answer in time: the lock may stay "
                                       "held until its ttl ends");
  Event event(EventKind::error, holding->lease().name());
  event.owner = holding->lease().owner();
  event.fencing = holding->lease().fencing();
  event.error = error;
  tell(event);
  return error;
}

void Client::Core::finish_on_loop(Lease lease) {
  {
    const std::lock_guard lock(mutex_);
    ++unfinished_releases_;
    last_unfinished_release_ = local_now();
  }
  spawn_own(finish_release(std::move(lease)));
}

Task<void> Client::Core::finish_release(Lease lease) {
  Cancellation cancellation;
  if (finishes_no_more_) cancellation.request();
  const auto place = finishing_.insert(finishing_.end(), &cancellation);
  co_await client_of(lease).finish_release(lease, &cancellation);
  finishing_.erase(place);
  const std::lock_guard lock(mutex_);
  --unfinished_releases_;
  ended_.notify_all();
}

void Client::Core::wait_for_unfinished_releases() {
  std::unique_lock lock(mutex_);
  const auto finished = [&] { return unfinished_releases_ == 0; };
  const Duration left = last_unfinished_release_ + options_.release_limit - local_now();
  if (left > Duration::zero()) ended_.wait_for(lock, left, finished);
}

Task<Result<ReleaseOutcome>> Client::Core::release_async(std::shared_ptr<Holding> holding) {
  if (auto error = refuses_task("releasing", holding->lease().name())) co_return *std::move(error);
  switch (end(*holding)) {
    case Ending::already_ended:
      co_return ReleaseOutcome::not_holder;
    case Ending::never_kept:
      if (hand_over(*holding)) co_return ReleaseOutcome::released;
      break;
    case Ending::kept:
      holding->stop();
      break;
  }
  Result<ReleaseOutcome> outcome = co_await client_of(holding->lease()).release(holding->lease());
  released_at_store(*holding);
  co_return outcome;
}

void Client::Core::release_quietly(const std::shared_ptr<Holding>& holding) noexcept {
  if (!loop_->on_loop_thread()) {
    static_cast<void>(release(holding));
    return;
  }
  const auto ignore_result = [](Task<Result<ReleaseOutcome>> release) -> Task<void> {
    static_cast<void>(co_await release);
  };
  spawn_own(ignore_result(release_async(holding)));
}

}  // namespace interlock
