// How the core of a client begins and ends, its tasks, and what it does for the leases it keeps.
#include "client_core.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "interlock/detail/assert.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"
#include "offloaded_store.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;

// Throws what the job threw.
void run_on(EventLoop& loop, const std::function<void()>& job) {
  std::promise<void> done;
  loop.post([&] {
    try {
      job();
      done.set_value();
    } catch (...) {
      done.set_exception(std::current_exception());
    }
  });
  done.get_future().get();
}

Result<std::unique_ptr<KeyValueStore>> open_for_loop(Backend& backend,
                                                     EventLoop& loop,
                                                     Duration idle_limit) {
  if (auto store = backend.open_on(loop)) return store;
  return OffloadedStore::open(backend, loop, idle_limit);
}

// The store reserves as many fencing tokens as sections may follow each other.
ClientOptions consistent(ClientOptions options) {
  std::int64_t& block = options.queue_policy.fencing_block;
  block = std::max(block, options.hand_over.sections);
  return options;
}

std::string message_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "of a type without what()";
  }
}

}  // namespace

// --- begin and end -------------------------------------------------------------------------------

Result<std::shared_ptr<Client::Core>> Client::Core::open(std::shared_ptr<Backend> backend,
                                                         ClientOptions options) {
  if (!backend) {
    return Error(Errc::invalid_argument,
                 "cannot make a client: it was given no backend: give one that a store's backend() "
                 "returned");
  }
  if (auto error = options.wrong()) {
    return Error(error->code(), "cannot make a client: " + error->detail());
  }
  if (auto error = SystemTokenSource::check()) return *std::move(error);
  auto loop = EventLoop::open();
  if (!loop) return std::move(loop).error();
  Result<std::unique_ptr<KeyValueStore>> store(nullptr);
  run_on(**loop, [&] { store = open_for_loop(*backend, **loop, options.connection_idle_limit); });
  if (!store) return std::move(store).error();
  auto core = std::make_shared<Core>(std::move(backend), consistent(options), *std::move(loop),
                                     *std::move(store));
  run_on(core->loop(), [&] {
    core->intake_timer_ = core->loop().timer([&core = *core] { core.take_in(); });
    core->look_again_timer_ = core->loop().timer([&core = *core] { core.look_again(); });
    core->sessions_.begin();
  });
  return core;
}

Client::Core::Core(std::shared_ptr<Backend> backend,
                   const ClientOptions& options,
                   std::unique_ptr<EventLoop> loop,
                   std::unique_ptr<KeyValueStore> store)
    : backend_(std::move(backend)),
      options_(options),
      loop_(std::move(loop)),
      store_(std::move(store)),
      protocol_(store_, *loop_, options_.margin),
      lock_client_(store_, protocol_, *loop_, tokens_, options_.events, options_.wait_policy),
      queue_protocol_(store_, *loop_, options_.margin, options_.queue_policy),
      queue_client_(
          store_, queue_protocol_, *loop_, tokens_, options_.events, options_.wait_policy),
      sessions_(*backend_,
                tokens_,
                options_,
                *loop_,
                [this](Lease lease) { finish_on_loop(std::move(lease)); }),
      lines_(options_.hand_over, &mutex_of_lines_) {
  lock_client_.on_left_behind([this](Lease lease) { finish_on_loop(std::move(lease)); });
  queue_client_.on_left_behind([this](Lease lease) { finish_on_loop(std::move(lease)); });
}

Client::Core::~Core() = default;

void Client::Core::close() {
  if (loop_->on_loop_thread()) {
    detail::misused(
        "a Client is destroyed on its own loop, which it would wait for: keep the "
        "last pointer to it in another thread");
  }
  is_closing_ = true;
  closing_.request_stop();
  wait_for_calls(options_.release_limit);
  wait_for_user_tasks();
  wait_for_unfinished_releases();
  // Renewals, releases and waits that still hope for a silent store end with it.
  const auto left = take_all_that_is_held();
  run_on(*loop_, [&] {
    for (const auto& holding : left) holding->leave_behind();
    finishes_no_more_ = true;
    for (Cancellation* const release : finishing_) release->request();
    intake_timer_.reset();
    look_again_timer_.reset();
    sessions_.end();
    store_.close();
  });
  wait_for_calls(std::nullopt);
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return own_tasks_ == 0; });
  }
  sessions_.close_idle();
  loop_.reset();
}

Client::Core::Call::Call(Core& core) noexcept : core_(core) {
  ++core_.calls_;
}

Client::Core::Call::~Call() {
  if (!core_.is_closing_) {
    --core_.calls_;  // the last that is touched: from here on the core may be gone
    return;
  }
  const std::lock_guard lock(core_.mutex_);
  --core_.calls_;
  core_.ended_.notify_all();
}

// Looks from time to time: a call that ended while this began notifies nobody.
void Client::Core::wait_for_calls(std::optional<Duration> limit) {
  constexpr milliseconds looks_after{10};
  const TimePoint began = local_now();
  std::unique_lock lock(mutex_);
  while (calls_ != 0 && (!limit || local_now() - began < *limit)) {
    ended_.wait_for(lock, looks_after);
  }
}

void Client::Core::wait_for_user_tasks() {
  constexpr seconds silent_for{10};
  std::unique_lock lock(mutex_);
  const auto ended = [&] { return user_tasks_ == 0; };
  if (ended_.wait_for(lock, silent_for, ended)) return;
  std::fprintf(stderr,
               "interlock: a Client that is destroyed waits for %d tasks given to Client::spawn(), "
               "since 10 s: end them before\n",
               user_tasks_);
  ended_.wait(lock, ended);
}

std::vector<std::shared_ptr<Holding>> Client::Core::take_all_that_is_held() {
  std::vector<std::shared_ptr<Holding>> all;
  const std::lock_guard lock(mutex_);
  for (auto& [due, holding] : held_) {
    holding->stage = Holding::Stage::ended;
    all.push_back(std::move(holding));
  }
  held_.clear();
  return all;
}

// --- tasks ---------------------------------------------------------------------------------------

void Client::Core::task_begins(int& tasks) {
  const std::lock_guard lock(mutex_);
  ++tasks;
}

void Client::Core::task_is_over(int& tasks) {
  const std::lock_guard lock(mutex_);
  --tasks;
  ended_.notify_all();
}

void Client::Core::spawn(Task<void> task) {
  if (in_child()) throw LockFailure(posix::used_in_child("cannot start a task", "the client"));
  task_begins(user_tasks_);
  loop_->spawn(std::move(task), [this](const std::exception_ptr& thrown) {
    if (thrown) tell(thrown);
    task_is_over(user_tasks_);
  });
}

void Client::Core::spawn_own(Task<void> task) {
  task_begins(own_tasks_);
  loop_->spawn(std::move(task), [this](const std::exception_ptr&) { task_is_over(own_tasks_); });
}

void Client::Core::wait_for_end(Task<void> task) {
  if (in_child()) throw LockFailure(posix::used_in_child("cannot run a task", "the client"));
  if (loop_->on_loop_thread()) {
    throw LockFailure(Error(Errc::invalid_argument,
                            "cannot wait for a task: wait_for() was called on the client's own "
                            "loop, which it would block for ever: co_await the task there"));
  }
  std::promise<void> end;
  task_begins(user_tasks_);
  loop_->spawn(std::move(task), [this, &end](const std::exception_ptr& thrown) {
    if (thrown) {
      end.set_exception(thrown);
    } else {
      end.set_value();
    }
    task_is_over(user_tasks_);
  });
  end.get_future().get();
}

void Client::Core::tell(const std::exception_ptr& thrown) const {
  if (options_.events != nullptr && options_.events->on_exception(thrown)) return;
  std::fprintf(stderr,
               "interlock: an exception left a task given to Client::spawn(): %s: catch it there, "
               "or take it in EventSink::on_exception()\n",
               message_of(thrown).c_str());
}

// --- keeping -------------------------------------------------------------------------------------

void Client::Core::arm_intake(TimePoint due) {
  if (intake_timer_) intake_timer_->arm(std::max(Duration::zero(), due - local_now()));
}

// Takes in the leases whose renewal is due; the others are most likely released before theirs is.
// Before that, those for which their line has waited long enough.
void Client::Core::take_in() {
  std::vector<std::shared_ptr<Holding>> due;
  std::vector<std::shared_ptr<Holding>> to_keep;
  TimePoint next = TimePoint::max();
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = local_now();
    while (!held_.empty() && held_.begin()->first <= now) {
      due.push_back(std::move(held_.begin()->second));
      held_.erase(held_.begin());
      Holding& holding = *due.back();
      const TimePoint renewal = holding.lease().renewal_due();
      const bool is_kept = renewal <= now;
      holding.place = held_.emplace(is_kept ? TimePoint::max() : renewal, due.back());
      if (!is_kept) continue;
      holding.stage = Holding::Stage::kept;
      to_keep.push_back(due.back());
    }
    if (!held_.empty()) next = held_.begin()->first;
    intake_at_ = next;
  }
  if (next != TimePoint::max()) arm_intake(next);
  for (const auto& holding : due) pass_on(*holding, LocalLines::Section::goes_on);
  for (const auto& holding : to_keep) holding->keep();
}

}  // namespace interlock
