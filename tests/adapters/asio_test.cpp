// Locks in a program whose event loop is Asio.
#include "interlock/asio.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#if defined(INTERLOCK_BOOST_ASIO)
#include <boost/asio.hpp>
namespace net = boost::asio;
#else
#include <asio.hpp>
namespace net = asio;
#endif

#include "interlock/memory/memory_backend.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;

TEST(AsioInitiation, MemoryThatRunsOutBeforeAnOperationIsBegunIsAnError) {
  const auto refused = detail::why_not_begun([] { throw std::bad_alloc(); });
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code(), Errc::unavailable);
}

class AsioLocks : public ::testing::Test {
 protected:
  LockOptions once() const {
    LockOptions options;
    options.wait = Duration::zero();
    return options;
  }

  net::io_context context_;
  // Destroyed first: its thread may still be about to leave a post() to the context.
  Client client_{memory::backend()};
};

// Asio has coroutines of C++20 with GCC. With Clang and the library of GCC, Asio 1.22 has none.
#if defined(ASIO_HAS_CO_AWAIT) || defined(BOOST_ASIO_HAS_CO_AWAIT)
net::awaitable<void> section(Client& client, int& entered, bool& inside) {
  AcquireResult lock = co_await async_acquire(client, "a", {}, net::use_awaitable);
  EXPECT_TRUE(lock) << lock.why_not();
  EXPECT_FALSE(inside);
  inside = true;
  net::steady_timer timer(co_await net::this_coro::executor, milliseconds(1));
  co_await timer.async_wait(net::use_awaitable);
  inside = false;
  ++entered;
  const auto released = co_await async_release(client, *std::move(lock), net::use_awaitable);
  EXPECT_EQ(released, Result<ReleaseOutcome>(ReleaseOutcome::released));
}

TEST_F(AsioLocks, CoroutinesOfOneContextExcludeEachOther) {
  int entered = 0;
  bool inside = false;
  for (int n = 0; n < 30; ++n) {
    net::co_spawn(context_, section(client_, entered, inside), net::detached);
  }
  context_.run();
  EXPECT_EQ(entered, 30);
}

TEST_F(AsioLocks, AnotherClientEntersAfterAGuardThatWasDropped) {
  net::co_spawn(
      context_,
      [&]() -> net::awaitable<void> {
        { const auto lock = co_await async_acquire(client_, "a", {}, net::use_awaitable); }
        const auto next = co_await async_acquire(client_, "a", {}, net::use_awaitable);
        EXPECT_TRUE(next);
      },
      net::detached);
  context_.run();
  EXPECT_TRUE(client_.acquire("a"));
}
#endif

TEST_F(AsioLocks, ACallbackRunsOnItsExecutorAndNotInsideTheCall) {
  std::optional<AcquireResult> got;
  std::thread::id ran_on;
  async_acquire(client_, "a", {}, net::bind_executor(context_, [&](AcquireResult result) {
                  got.emplace(std::move(result));
                  ran_on = std::this_thread::get_id();
                }));
  EXPECT_FALSE(got);
  // The context has work until then.
  context_.run();
  ASSERT_TRUE(got && *got);
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST_F(AsioLocks, AFutureGetsTheResult) {
  std::future<AcquireResult> held = async_acquire(client_, "a", {}, net::use_future);
  const AcquireResult lock = held.get();
  EXPECT_TRUE(lock);
  EXPECT_NE(async_acquire(client_, "a", once(), net::use_future).get().busy(), nullptr);
  const AcquireResult refused = async_acquire(client_, "", {}, net::use_future).get();
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
}

TEST_F(AsioLocks, TheCallersStopEndsTheWait) {
  const AcquireResult other = client_.acquire("a");
  std::stop_source stop;
  LockOptions options;
  options.stop = stop.get_token();
  std::future<AcquireResult> waiting = async_acquire(client_, "a", options, net::use_future);
  stop.request_stop();
  const AcquireResult cancelled = waiting.get();
  ASSERT_NE(cancelled.error(), nullptr);
  EXPECT_EQ(cancelled.error()->code(), Errc::cancelled);
}

#ifdef INTERLOCK_ASIO_CANCELS
TEST_F(AsioLocks, ACancellationSlotEndsTheWait) {
  const AcquireResult other = client_.acquire("a");
  net::cancellation_signal signal;
  std::optional<AcquireResult> got;
  async_acquire(client_, "a", {},
                net::bind_cancellation_slot(signal.slot(),
                                            net::bind_executor(context_, [&](AcquireResult result) {
                                              got.emplace(std::move(result));
                                            })));
  net::post(context_, [&] { signal.emit(net::cancellation_type::terminal); });
  context_.run();
  ASSERT_TRUE(got);
  ASSERT_NE(got->error(), nullptr);
  EXPECT_EQ(got->error()->code(), Errc::cancelled);
  // Nothing is left in the slot.
  EXPECT_FALSE(signal.slot().has_handler());
}
#endif

TEST_F(AsioLocks, AResultThatItsContextNeverDeliversIsReleased) {
  {
    net::io_context ending;
    auto waiting = detail::waiting_handler(
        net::bind_executor(ending, [](const AcquireResult&) { ADD_FAILURE(); }));
    waiting->complete(std::move(waiting), client_.acquire("a"));
    EXPECT_FALSE(client_.try_acquire("a"));
  }
  EXPECT_TRUE(client_.try_acquire("a"));
}

// Exit code 0: both operations complete with `forked`, and not before they were begun.
[[noreturn]] void use_in_child(Client& client, Guard held) {
  net::io_context context;
  std::optional<Errc> acquired;
  std::optional<Errc> released;
  async_acquire(client, "b", {}, net::bind_executor(context, [&](const AcquireResult& result) {
                  if (result.error() != nullptr) acquired = result.error()->code();
                }));
  async_release(client, std::move(held),
                net::bind_executor(context, [&](const Result<ReleaseOutcome>& result) {
                  if (!result) released = result.error().code();
                }));
  if (acquired || released) std::_Exit(2);
  context.run();
  std::_Exit(acquired == Errc::forked && released == Errc::forked ? 0 : 1);
}

TEST_F(AsioLocks, InAChildOfForkCompleteWithTheErrorForked) {
  AcquireResult held = client_.acquire("a");
  ASSERT_TRUE(held);
  const pid_t child = fork();
  if (child == 0) use_in_child(client_, *std::move(held));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace interlock
