// A loop without a thread, and a client on an event loop of the program's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "support/test_reactor.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::TestReactor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool is_readable(int descriptor, milliseconds within = milliseconds{0}) {
  pollfd asked{descriptor, POLLIN, 0};
  return poll(&asked, 1, static_cast<int>(within.count())) == 1;
}

std::unique_ptr<EventLoop> without_thread() {
  auto loop = EventLoop::open_without_thread();
  EXPECT_TRUE(loop);
  return *std::move(loop);
}

// --- the loop ------------------------------------------------------------------------------------

TEST(LoopWithoutAThread, IsReadableUntilATurnHasRunWhatThereIs) {
  const auto loop = without_thread();
  EXPECT_FALSE(is_readable(loop->descriptor()));
  int ran = 0;
  std::thread([&] { loop->post([&] { ++ran; }); }).join();
  EXPECT_TRUE(is_readable(loop->descriptor()));
  EXPECT_EQ(ran, 0);
  loop->turn();
  EXPECT_EQ(ran, 1);
  EXPECT_FALSE(is_readable(loop->descriptor()));
}

TEST(LoopWithoutAThread, IsReadableForJobsOfItsOwnThreadAndThoseThatTheyPost) {
  const auto loop = without_thread();
  std::vector<int> ran;
  loop->post([&] {
    ran.push_back(1);
    loop->post([&] { ran.push_back(2); });
  });
  EXPECT_TRUE(is_readable(loop->descriptor()));
  loop->turn();
  EXPECT_TRUE(is_readable(loop->descriptor()));
  loop->turn();
  EXPECT_THAT(ran, ElementsAre(1, 2));
  EXPECT_FALSE(is_readable(loop->descriptor()));
}

TEST(LoopWithoutAThread, IsReadableWhenATimerFallsDue) {
  const auto loop = without_thread();
  bool has_fired = false;
  const auto timer = loop->timer([&] { has_fired = true; });
  timer->arm(milliseconds{20});
  EXPECT_FALSE(is_readable(loop->descriptor()));
  EXPECT_TRUE(is_readable(loop->descriptor(), seconds{10}));
  loop->turn();
  EXPECT_TRUE(has_fired);
}

TEST(LoopWithoutAThread, MayBeTurnedInACallbackOfItsOwn) {
  const auto loop = without_thread();
  std::unique_ptr<Reactor::Watch> watch;
  std::vector<int> ran;
  const auto other = without_thread();
  other->post([] {});  // makes its descriptor readable
  watch = *loop->watch(other->descriptor(), [&](bool, bool) {
    watch.reset();
    loop->post([&] { ran.push_back(1); });
    loop->turn();
    ran.push_back(2);
  });
  watch->interest(true, false);
  loop->turn();
  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST(LoopWithoutAThread, BelongsToTheThreadThatTurnedItLast) {
  const auto loop = without_thread();
  EXPECT_TRUE(loop->on_loop_thread());
  EXPECT_FALSE(loop->in_turn());
  std::thread([&] {
    EXPECT_FALSE(loop->on_loop_thread());
    loop->post([&] { EXPECT_TRUE(loop->in_turn()); });
    loop->turn();
    EXPECT_TRUE(loop->on_loop_thread());
  }).join();
  EXPECT_FALSE(loop->on_loop_thread());
}

TEST(LoopWithoutAThread, IsTurnedUntilSomethingHasHappenedOrForALimitedTime) {
  const auto loop = without_thread();
  std::atomic<bool> told = false;
  std::thread teller([&] { loop->post([&] { told = true; }); });
  EXPECT_TRUE(loop->turn_until([&] { return told.load(); }));
  teller.join();
  const TimePoint began = local_now();
  EXPECT_FALSE(loop->turn_until([] { return false; }, milliseconds{30}));
  EXPECT_GE(local_now() - began, milliseconds{30});
}

// --- a client whose loop the program turns -------------------------------------------------------

ClientOptions turned_by_the_program() {
  ClientOptions options;
  options.own_thread = false;
  return options;
}

class OnThisThread : public ::testing::Test {
 protected:
  AcquireResult acquire(const LockOptions& options = LockOptions()) {
    std::optional<AcquireResult> result;
    client_->acquire_then("deploy", options, [&](AcquireResult got) {
      EXPECT_EQ(std::this_thread::get_id(), thread_);
      result.emplace(std::move(got));
    });
    EXPECT_FALSE(result);
    EXPECT_TRUE(client_->loop().turn_until([&] { return result.has_value(); }, seconds{30}));
    return *std::move(result);
  }

  const std::thread::id thread_ = std::this_thread::get_id();
  const std::shared_ptr<Backend> backend_ = memory::backend();
  std::optional<Client> client_{std::in_place, backend_, turned_by_the_program()};
  Client other_{backend_};
};

TEST_F(OnThisThread, LocksAreTakenAndReleasedInItsTurns) {
  AcquireResult lock = acquire();
  ASSERT_TRUE(lock) << lock.why_not();
  EXPECT_FALSE(other_.try_acquire("deploy"));
  std::optional<Result<ReleaseOutcome>> released;
  client_->release_then(*std::move(lock),
                        [&](Result<ReleaseOutcome> got) { released.emplace(std::move(got)); });
  EXPECT_TRUE(client_->loop().turn_until([&] { return released.has_value(); }, seconds{30}));
  EXPECT_EQ(**released, ReleaseOutcome::released);
  EXPECT_TRUE(other_.try_acquire("deploy"));
}

TEST_F(OnThisThread, AWaitEndsWhenTheOtherReleases) {
  AcquireResult held = other_.acquire("deploy");
  std::thread releasing([&] {
    std::this_thread::sleep_for(milliseconds{30});
    EXPECT_TRUE(held->release());
  });
  EXPECT_TRUE(acquire());
  releasing.join();
}

TEST_F(OnThisThread, LeasesAreRenewedWhileTheLoopIsTurned) {
  AcquireResult lock = acquire(LockOptions(Ttl(seconds{3})));
  ASSERT_TRUE(lock);
  const TimePoint first_end = lock->certain_until();
  const auto was_renewed = [&] { return lock->certain_until() > first_end; };
  EXPECT_TRUE(client_->loop().turn_until(was_renewed, seconds{30}));
}

TEST_F(OnThisThread, BlockingCallsOfItsOwnThreadAreRefusedAndThoseOfOthersServed) {
  const AcquireResult refused = client_->acquire("deploy");
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
  AcquireResult held = other_.acquire("deploy");
  std::atomic<bool> has_ended = false;
  std::thread waiting([&] {
    EXPECT_TRUE(client_->acquire("deploy"));
    has_ended = true;
  });
  static_cast<void>(client_->loop().turn_until([] { return false; }, milliseconds{30}));
  EXPECT_TRUE(held->release());
  EXPECT_TRUE(client_->loop().turn_until([&] { return has_ended.load(); }, seconds{30}));
  waiting.join();
}

TEST_F(OnThisThread, AGuardThatIsDroppedJustBeforeTheClientReleasesItsLock) {
  { const AcquireResult lock = acquire(); }
  const TimePoint began = local_now();
  client_.reset();
  EXPECT_LT(local_now() - began, seconds{4});  // and not for ClientOptions::release_limit
  EXPECT_TRUE(other_.try_acquire("deploy"));
}

TEST_F(OnThisThread, ItsEndTurnsTheLoopForTasksThatGoOn) {
  bool has_ended = false;
  const auto sleep = [](Client* client, bool* ended) -> Task<void> {
    co_await client->loop().sleep_until(local_now() + milliseconds{50});
    *ended = true;
  };
  client_->spawn(sleep(&*client_, &has_ended));
  client_.reset();
  EXPECT_TRUE(has_ended);
}

TEST_F(OnThisThread, ItsEndEndsTheWaitsOfOtherThreads) {
  const AcquireResult held = other_.acquire("deploy");
  std::atomic<bool> has_begun = false;
  std::thread waiting([&] {
    has_begun = true;
    const AcquireResult result = client_->acquire("deploy");
    ASSERT_NE(result.error(), nullptr);
    EXPECT_EQ(result.error()->code(), Errc::cancelled);
  });
  static_cast<void>(client_->loop().turn_until([&] { return has_begun.load(); }));
  static_cast<void>(client_->loop().turn_until([] { return false; }, milliseconds{50}));
  client_.reset();
  waiting.join();
}

TEST_F(OnThisThread, MayEndOnAnotherThreadWhenNobodyTurnsItsLoop) {
  const AcquireResult lock = acquire();
  std::thread([&] { client_.reset(); }).join();
  EXPECT_EQ(lock.error(), nullptr);
}

TEST(OnThisThreadDeathTest, AClientThatEndsInItsOwnCallbackNamesTheMistake) {
  const auto end_in_callback = [] {
    auto client = std::make_unique<Client>(memory::backend(), turned_by_the_program());
    EventLoop& loop = client->loop();
    client->acquire_then("deploy", {}, [&](const AcquireResult&) { client.reset(); });
    static_cast<void>(loop.turn_until([] { return false; }, seconds{30}));
  };
  EXPECT_DEATH(end_in_callback(), "interlock: misuse: a Client is destroyed in a callback");
}

// --- a client on a reactor of the program's ------------------------------------------------------

TEST(OnAReactor, CallbacksRunOnItsThreadAndTheClientEndsThere) {
  TestReactor reactor;
  ClientOptions options;
  options.reactor = &reactor;
  const auto backend = memory::backend();
  {
    Client client(backend, options);
    std::optional<AcquireResult> result;
    client.acquire_then("deploy", {}, [&](AcquireResult got) { result.emplace(std::move(got)); });
    ASSERT_TRUE(reactor.run_until([&] { return result.has_value(); }));
    EXPECT_TRUE(*result) << result->why_not();
    result.reset();
  }
  reactor.run_for(milliseconds{20});  // nothing of the client is left there
  Client other(backend);
  EXPECT_TRUE(other.try_acquire("deploy"));
}

TEST(OnAReactor, ThatCannotWatchTheErrorIsThatOfTheClient) {
  class Full final : public Reactor {
   public:
    Result<std::unique_ptr<Watch>> watch(int, std::function<void(bool, bool)>) override {
      return Error(Errc::unavailable, "no room");
    }
    std::unique_ptr<Timer> timer(std::function<void()>) override { return nullptr; }
    void post(std::function<void()>) override {}
    TimePoint now() override { return local_now(); }
  };
  Full reactor;
  ClientOptions options;
  options.reactor = &reactor;
  const auto client = Client::open(memory::backend(), options);
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().detail(), HasSubstr("no room"));
}

}  // namespace
}  // namespace interlock
