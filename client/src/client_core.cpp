// How the core of a client begins and ends, and the tasks of its users.
#include "client_core.hpp"

#include <cstdio>
#include <functional>
#include <future>
#include <utility>

#include "interlock/detail/assert.hpp"
#include "interlock/detail/safe_text.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/system_token_source.hpp"
#include "offloaded_store.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;

// Throws what the job threw. A loop without a thread is turned until then.
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
  std::future<void> result = done.get_future();
  if (!loop.has_thread()) {
    static_cast<void>(loop.turn_until(
        [&result] { return result.wait_for(seconds{0}) == std::future_status::ready; }));
  }
  result.get();
}

Result<std::unique_ptr<KeyValueStore>> open_for_loop(Backend& backend,
                                                     EventLoop& loop,
                                                     Duration idle_limit) {
  if (auto store = backend.open_on(loop)) return store;
  return OffloadedStore::open(backend, loop, idle_limit);
}

// The text may come from a server, and must not steer a terminal.
std::string message_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return detail::safe_text(exception.what());
  } catch (...) {
    return "of a type without what()";
  }
}

}  // namespace

// --- begin and end -------------------------------------------------------------------------------

Result<std::shared_ptr<Client::Core>> Client::Core::open(std::shared_ptr<Backend> backend,
                                                         const ClientOptions& options) {
  if (!backend) {
    return Error(Errc::invalid_argument,
                 "cannot make a client: it was given no backend: give one that a store's backend() "
                 "returned");
  }
  if (auto error = options.wrong()) {
    return Error(error->code(), "cannot make a client: " + error->detail());
  }
  if (auto error = SystemTokenSource::check()) return *std::move(error);
  const bool has_thread = options.own_thread && options.reactor == nullptr;
  auto loop = has_thread ? EventLoop::open() : EventLoop::open_without_thread();
  if (!loop) return std::move(loop).error();
  Result<std::unique_ptr<KeyValueStore>> store(nullptr);
  run_on(**loop, [&] { store = open_for_loop(*backend, **loop, options.connection_idle_limit); });
  if (!store) return std::move(store).error();
  auto core =
      std::make_shared<Core>(std::move(backend), options, *std::move(loop), *std::move(store));
  if (auto error = core->begin()) return *std::move(error);
  return core;
}

std::optional<Error> Client::Core::begin() {
  if (options_.reactor != nullptr) {
    auto turned_by = options_.reactor->watch(loop_->descriptor(),
                                             [loop = loop_.get()](bool, bool) { loop->turn(); });
    if (!turned_by) return std::move(turned_by).error();
    turned_by_ = *std::move(turned_by);
    turned_by_->interest(true, false);
  }
  run_on(*loop_, [this] {
    renewals_.begin();
    store_.begin();
  });
  return std::nullopt;
}

Client::Core::Core(std::shared_ptr<Backend> backend,
                   const ClientOptions& options,
                   std::unique_ptr<EventLoop> loop,
                   std::unique_ptr<KeyValueStore> store)
    : backend_(std::move(backend)),
      options_(options),
      loop_(std::move(loop)),
      user_tasks_(*loop_),
      own_tasks_(*loop_),
      store_(*backend_,
             std::move(store),
             *loop_,
             own_tasks_,
             calls_,
             options_,
             [this] { release_kept(LocalQueues::Recall::now); }),
      cohort_(store_, *loop_, calls_, options_),
      renewals_(*loop_) {}

// The last owner may be a guard that another thread destroys while close() is under way: it still
// asks whether it is on the loop.
Client::Core::~Core() {
  loop_.reset();
}

void Client::Core::close() {
  if (loop_->in_turn()) {
    detail::misused(loop_->has_thread()
                        ? "a Client is destroyed on its own loop, which it would wait for: keep "
                          "the last pointer to it in another thread"
                        : "a Client is destroyed in a callback or a task of its own, which it "
                          "would wait for: destroy it when turn() has returned");
  }
  turned_by_.reset();
  loop_->turn();  // a loop without a thread is this thread's from here on
  release_kept(LocalQueues::Recall::for_good);
  calls_.begin_to_close();
  wait_for_user_tasks();
  // Until here guards may end on other threads: a task may wait for their locks.
  calls_.close();
  wait_for_calls(options_.release_limit);
  store_.wait_for_unfinished_releases(options_.release_limit);
  // Renewals, releases and waits that still hope for a silent store end with it.
  const auto left = renewals_.remove_all();
  run_on(*loop_, [&] {
    for (const auto& held : left) static_cast<ActiveLease&>(*held).leave_behind();
    renewals_.end();
    store_.end();
  });
  wait_for_calls(std::nullopt);
  own_tasks_.wait();
  store_.close_idle_connections();
  // Waits for the jobs that are left on the loop. One of them may own this, and the last owner ends
  // the loop, which it cannot do on the loop's own thread.
  run_on(*loop_, [] {});
}

void Client::Core::wait_for_calls(std::optional<Duration> limit) {
  if (loop_->has_thread()) return calls_.wait(limit);
  // Some of them wait for what the loop does.
  static_cast<void>(loop_->turn_until([this] { return calls_.under_way() == 0; }, limit));
  calls_.wait(Duration::zero());
}

void Client::Core::wait_for_user_tasks() {
  if (user_tasks_.wait_for(seconds{10})) return;
  std::fprintf(stderr,
               "interlock: a Client that is destroyed waits for %d tasks given to Client::spawn() "
               "or Client::wait_for(), since 10 s: end them before\n",
               user_tasks_.running());
  user_tasks_.wait();
}

// --- tasks ---------------------------------------------------------------------------------------

void Client::Core::spawn(Task<void> task) {
  if (in_child()) throw LockFailure(posix::used_in_child("cannot start a task", "the client"));
  user_tasks_.spawn(std::move(task), [this](const std::exception_ptr& thrown) {
    if (thrown) report_thrown(thrown);
  });
}

void Client::Core::wait_for_end(Task<void> task) {
  if (in_child()) throw LockFailure(posix::used_in_child("cannot run a task", "the client"));
  if (loop_->on_loop_thread()) {
    throw LockFailure(Error(Errc::invalid_argument,
                            "cannot wait for a task: wait_for() was called on the client's own "
                            "loop, which it would block for ever: co_await the task there"));
  }
  std::promise<void> end;
  user_tasks_.spawn(std::move(task), [&end](const std::exception_ptr& thrown) {
    if (thrown) {
      end.set_exception(thrown);
    } else {
      end.set_value();
    }
  });
  end.get_future().get();
}

void Client::Core::report_thrown(const std::exception_ptr& thrown) const {
  if (options_.events != nullptr && options_.events->on_exception(thrown)) return;
  std::fprintf(stderr,
               "interlock: an exception left a task or a callback of a Client: %s: catch it there, "
               "or take it in EventSink::on_exception()\n",
               message_of(thrown).c_str());
}

}  // namespace interlock
