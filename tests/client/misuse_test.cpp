// What programs do wrong with clients and guards: an error that names it, or a message if there is
// nobody to give an error to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/election.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"
#include "interlock/shared_mutex.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

const LockName name = *LockName::parse("deploy");

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const LockFailure& failure) {
    EXPECT_EQ(failure.error().code(), Errc::invalid_argument);
    return failure.what();
  }
  return "threw nothing";
}

TEST(Misuse, AClientWithoutABackendIsAnError) {
  const auto client = Client::open(nullptr);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), Errc::invalid_argument);
  EXPECT_THAT(client.error().detail(), HasSubstr("no backend"));
  EXPECT_THAT(failure_of([] { Client made(nullptr); }), HasSubstr("no backend"));
}

Task<int> throws_a_number() {
  throw 42;
  co_return 0;
}

TEST(Misuse, ATaskThatThrewIsAwaitedOnce) {
  const auto twice = []() -> Task<void> {
    Task<int> task = throws_a_number();
    try {
      static_cast<void>(co_await task);
    } catch (int thrown) {
      EXPECT_EQ(thrown, 42);
    }
    static_cast<void>(co_await task);
  };
  EXPECT_DEATH(Client(memory::backend()).wait_for(twice()),
               "interlock: misuse: a task is awaited again after it threw: .*: await it once");
}

TEST(Misuse, ATaskThatWasMovedFrom) {
  Task<int> given = throws_a_number();
  const Task<int> taken = std::move(given);
  // NOLINTBEGIN(bugprone-use-after-move): it is the mistake
  EXPECT_TRUE(taken);
  EXPECT_FALSE(given);
  const auto awaits = [](Task<int>* moved) -> Task<void> { static_cast<void>(co_await *moved); };
  constexpr auto told = "interlock: misuse: a task that was moved from is awaited or started";
  EXPECT_DEATH(Client(memory::backend()).wait_for(awaits(&given)), told);
  EXPECT_DEATH(Client(memory::backend()).wait_for(std::move(given)), told);
  // NOLINTEND(bugprone-use-after-move)
  const auto spawns_twice = [] {
    const auto nothing = []() -> Task<void> { co_return; };
    Task<void> once = nothing();
    Client client(memory::backend());
    client.spawn(std::move(once));
    client.spawn(std::move(once));  // NOLINT(bugprone-use-after-move): as above
  };
  EXPECT_DEATH(spawns_twice(), told);
}

Task<void> throws_nothing_else() {
  throw 42;
  co_return;
}

TEST(Misuse, ATaskWithoutAValueThatThrewIsAwaitedOnce) {
  const auto twice = []() -> Task<void> {
    Task<void> task = throws_nothing_else();
    try {
      co_await task;
    } catch (int thrown) {
      EXPECT_EQ(thrown, 42);
    }
    co_await task;
  };
  EXPECT_DEATH(Client(memory::backend()).wait_for(twice()),
               "interlock: misuse: a task is awaited again after it threw");
}

TEST(Misuse, AnEventLoopIsDestroyedBeforeAWatch) {
  const auto destroys = [] {
    std::unique_ptr<Reactor::Watch> watch;
    const int descriptor = ::eventfd(0, 0);
    EventLoop loop;
    std::promise<void> made;
    loop.post([&] {
      watch = std::move(*loop.watch(descriptor, [](bool, bool) {}));
      made.set_value();
    });
    made.get_future().wait();
  };
  EXPECT_DEATH(destroys(), "interlock: misuse: an EventLoop is destroyed while a descriptor");
}

TEST(Misuse, AGuardThatIsLostIsValidForNoTimeAtAll) {
  Client client(memory::backend());
  AcquireResult acquired = client.acquire(name);
  EXPECT_TRUE(acquired->valid_for(Duration::zero()));
  EXPECT_TRUE(acquired->valid_for(Duration{-1}));
  ASSERT_TRUE(acquired->release());
  EXPECT_FALSE(acquired->valid_for(Duration::zero()));
  EXPECT_FALSE(acquired->valid_for(std::chrono::seconds{-1}));
}

TEST(Misuse, AWriterOfASharedMutexThatLocksItAsAReaderIsRefused) {
  Client client(memory::backend());
  SharedMutex mutex(client, name);
  mutex.lock();
  // First the call that cannot wait for ever.
  ASSERT_THAT(failure_of([&] { static_cast<void>(mutex.try_lock_shared()); }),
              HasSubstr("this thread has locked it"));
  EXPECT_THAT(failure_of([&] { mutex.lock_shared(); }), HasSubstr("this thread has locked it"));
  mutex.unlock();
  mutex.lock_shared();
  mutex.unlock_shared();
}

// Each with a client of its own: that of a parent does nothing in the child of a death test.
TEST(Misuse, ACallbackThatIsEmpty) {
  EXPECT_DEATH(Client(memory::backend()).acquire_then("deploy", {}, nullptr),
               "interlock: misuse: acquire_then.. without a function to call: give it one");
  const auto releases = [] {
    Client client(memory::backend());
    client.release_then(*client.acquire(name), nullptr);
  };
  EXPECT_DEATH(releases(), "interlock: misuse: release_then.. without a function");
  const auto posts = [] { Client(memory::backend()).loop().post(nullptr); };
  EXPECT_DEATH(posts(), "interlock: misuse: post.. without a function");
  const auto waits = [] { static_cast<void>(Client(memory::backend()).loop().timer(nullptr)); };
  EXPECT_DEATH(waits(), "interlock: misuse: timer.. without a function");
  const auto watches = [] {
    static_cast<void>(Client(memory::backend()).loop().watch(0, nullptr));
  };
  EXPECT_DEATH(watches(), "interlock: misuse: watch.. without a function");
}

TEST(Misuse, TheGuardOfAMutexThatNobodyHolds) {
  Client client(memory::backend());
  Mutex mutex(client, name);
  EXPECT_DEATH(
      static_cast<void>(mutex.guard()),
      "interlock: misuse: Mutex::guard.. of a mutex that this thread does not hold: call lock");
}

TEST(Misuse, ANameThatWasMovedFromIsAnError) {
  Client client(memory::backend());
  LockName given = name;
  const LockName taken = std::move(given);
  LockOptions fair;
  fair.fair = true;
  for (const LockOptions& options : {LockOptions(), fair}) {
    // NOLINTNEXTLINE(bugprone-use-after-move): it is the mistake
    const AcquireResult refused = client.acquire(given, options);
    ASSERT_NE(refused.error(), nullptr);
    EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
    EXPECT_THAT(refused.error()->detail(), HasSubstr("moved from"));
    const auto task = [](Client* with, LockName of, LockOptions as) -> Task<void> {
      const AcquireResult later = co_await with->acquire_async(std::move(of), std::move(as));
      EXPECT_NE(later.error(), nullptr);
    };
    client.wait_for(task(&client, given, options));
  }
  EXPECT_DEATH(static_cast<void>(given.keys()),
               "interlock: misuse: the keys of a lock name that was moved from");
  EXPECT_EQ(taken, name);
}

TEST(Misuse, AnElectionWhoseNameWasMovedFromAnswersSoInEveryCall) {
  Client client(memory::backend());
  LockName given = *LockName::parse("deploy");
  const LockName taken = std::move(given);
  Election election(client, given);  // NOLINT(bugprone-use-after-move)
  const AcquireResult leading = election.campaign("x");
  ASSERT_NE(leading.error(), nullptr);
  EXPECT_EQ(leading.error()->code(), Errc::invalid_argument);
  for (const auto& leader : {election.leader(), election.next_leader()}) {
    ASSERT_FALSE(leader);
    EXPECT_EQ(leader.error().code(), Errc::invalid_argument);
    EXPECT_THAT(leader.error().detail(), HasSubstr("moved from"));
  }
  const auto task = [](Election* of) -> Task<Result<std::optional<Leader>>> {
    co_return co_await of->leader_async();
  };
  EXPECT_FALSE(client.wait_for(task(&election)));
}

TEST(Misuse, OpenGivesAClientAsTheConstructorDoes) {
  const auto client = Client::open(memory::backend());
  ASSERT_TRUE(client) << client.error().detail();
  EXPECT_TRUE((*client)->acquire("deploy"));
}

TEST(Misuse, AnOptionOutOfItsRangeIsAnErrorThatNamesFieldValueAndRange) {
  const auto refused = [](const std::function<void(ClientOptions&)>& change) {
    ClientOptions options;
    change(options);
    const auto client = Client::open(memory::backend(), options);
    if (client) return std::string("accepted");
    EXPECT_EQ(client.error().code(), Errc::invalid_argument);
    return client.error().detail();
  };
  EXPECT_EQ(refused([](auto& options) { options.queue_policy.claim_window = milliseconds(0); }),
            "cannot make a client: QueuePolicy::claim_window of 0 is out of range: choose 1 ms to "
            "365 days");
  EXPECT_EQ(refused([](auto& options) { options.release_limit = milliseconds(-1); }),
            "cannot make a client: ClientOptions::release_limit of -1 ms is out of range: choose "
            "1 ms to 365 days");
  EXPECT_EQ(refused([](auto& options) { options.connections_max = 70'000; }),
            "cannot make a client: ClientOptions::connections_max of 70000 is out of range: choose "
            "0 to 65536");
  EXPECT_THAT(refused([](auto& options) { options.connection_idle_limit = Duration::max(); }),
              HasSubstr("connection_idle_limit"));
  EXPECT_THAT(refused([](auto& options) { options.wait_policy.poll_interval = Duration(0); }),
              HasSubstr("WaitPolicy::poll_interval"));
  EXPECT_THAT(refused([](auto& options) { options.hand_over.lease_percent = 34; }),
              HasSubstr("HandOverPolicy::lease_percent"));
  EXPECT_EQ(refused([](auto& options) { options.connections_max = 0; }), "accepted");
}

TEST(Misuse, AMutexTakesWaitsOfAnyLength) {
  Client client(memory::backend());
  Mutex mutex(client, name);
  EXPECT_TRUE(mutex.try_lock_for(std::chrono::hours::max()));
  Mutex same(client, name);
  EXPECT_FALSE(same.try_lock_for(std::chrono::hours::min()));
  EXPECT_FALSE(same.try_lock_for(std::chrono::duration<double>(-1e300)));
  EXPECT_FALSE(same.try_lock_until(std::chrono::steady_clock::time_point::min()));
  std::thread waiting([&] {
    EXPECT_TRUE(same.try_lock_for(std::chrono::duration<double>(1e300)));
    same.unlock();
  });
  std::this_thread::sleep_for(milliseconds(30));
  mutex.unlock();
  waiting.join();
  EXPECT_TRUE(mutex.try_lock_until(std::chrono::steady_clock::time_point::max()));
  mutex.unlock();
}

TEST(Misuse, AWaitOfAnyLengthIsTaken) {
  Client client(memory::backend());
  LockOptions options;
  for (const bool fair : {false, true}) {
    options.fair = fair;
    options.wait = Duration::max();
    EXPECT_TRUE(client.acquire("deploy", options));
    const AcquireResult held = client.acquire("deploy");
    options.wait = Duration::min();
    EXPECT_NE(client.acquire("deploy", options).busy(), nullptr);
  }
}

Task<void> block_the_loop(Client* client, std::vector<std::string>* said) {
  const AcquireResult result = client->acquire("deploy");
  EXPECT_TRUE(result.error() != nullptr && result.error()->code() == Errc::invalid_argument);
  said->push_back(result.why_not());
  AcquireResult lock = co_await client->acquire_async(name);
  const auto released = lock->release();
  EXPECT_TRUE(failed_with(released, Errc::invalid_argument));
  said->push_back(released.error().detail());
  said->push_back(failure_of([&] { client->wait_for(block_the_loop(client, said)); }));
  said->push_back(failure_of([&] {
    Mutex mutex(*client, name);
    mutex.lock();
  }));
}

TEST(Misuse, ABlockingCallOnTheClientsOwnLoopIsAnErrorAndHarmless) {
  Client client(memory::backend());
  std::vector<std::string> said;
  client.wait_for(block_the_loop(&client, &said));
  ASSERT_EQ(said.size(), 4U);
  EXPECT_THAT(said[0], HasSubstr("acquiring 'deploy': a blocking call on the client's own loop"));
  EXPECT_THAT(said[1], HasSubstr("releasing 'deploy': a blocking call on the client's own loop"));
  EXPECT_THAT(said[2], HasSubstr("wait_for() was called on the client's own loop"));
  EXPECT_THAT(said[3], HasSubstr("acquiring 'deploy': a blocking call"));
  EXPECT_TRUE(client.acquire("deploy")) << "the guard of the task has released it";
}

TEST(Misuse, ATaskOfTheClientsThatIsStartedElsewhereIsAnErrorAndHarmless) {
  Client client(memory::backend());
  const AcquireResult result = run(client.acquire_async(name));
  ASSERT_NE(result.error(), nullptr);
  EXPECT_EQ(result.error()->code(), Errc::invalid_argument);
  EXPECT_THAT(result.why_not(),
              HasSubstr("outside of its loop: start it by spawn() or wait_for()"));

  AcquireResult lock = client.acquire("deploy");
  EXPECT_TRUE(failed_with(run(lock->release_async()), Errc::invalid_argument));
  EXPECT_EQ(*lock->release(), ReleaseOutcome::released);
}

TEST(Misuse, AGuardThatWasMovedFromHoldsNothingAndSaysSo) {
  Client client(memory::backend());
  Guard first = *client.acquire("deploy");
  Guard second = std::move(first);
  // NOLINTBEGIN(bugprone-use-after-move): what this is about
  EXPECT_EQ(first.state(), LeaseState::lost);
  EXPECT_EQ(first.loss(), std::nullopt);
  EXPECT_EQ(first.remaining(), Duration::zero());
  EXPECT_FALSE(first.valid_for(Duration::zero()));
  EXPECT_EQ(first.fencing(), FencingToken());
  EXPECT_FALSE(first.lost_token().stop_possible());
  EXPECT_TRUE(failed_with(first.release(), Errc::invalid_argument));
  EXPECT_TRUE(failed_with(run(first.release_async()), Errc::invalid_argument));
  EXPECT_EQ(second.state(), LeaseState::held);
  first = std::move(second);
  EXPECT_EQ(first.state(), LeaseState::held);
  // NOLINTEND(bugprone-use-after-move)
}

TEST(MisuseDeathTest, AskingAGuardThatWasMovedFromForItsNameNamesTheMistake) {
  EXPECT_DEATH(
      {
        Client client(memory::backend());
        Guard first = *client.acquire("deploy");
        const Guard second = std::move(first);
        static_cast<void>(first.name());  // NOLINT(bugprone-use-after-move)
      },
      "interlock: misuse: the name of a guard that was moved from");
}

TEST(Misuse, AResultWhoseGuardWasMovedOutIsNotHeldAnyMore) {
  Client client(memory::backend());
  AcquireResult result = client.acquire("deploy");
  const Guard lock = *std::move(result);
  EXPECT_FALSE(result);  // NOLINT(bugprone-use-after-move): what this is about
  EXPECT_EQ(result.busy(), nullptr);
  EXPECT_EQ(result.error(), nullptr);
  EXPECT_THAT(result.why_not(), HasSubstr("moved out"));
  EXPECT_THAT(failure_of([&] { static_cast<void>(*result); }), HasSubstr("moved out"));
  EXPECT_THAT(failure_of([&] { static_cast<void>(result->loss()); }), HasSubstr("moved out"));
}

TEST(Misuse, TheGuardOfALockThatIsNotHeldIsAFailureThatSaysWhoHoldsIt) {
  Client client(memory::backend());
  const AcquireResult held = client.acquire("deploy");
  AcquireResult busy = client.try_acquire("deploy");
  EXPECT_THAT(failure_of([&] { static_cast<void>(busy->state()); }),
              HasSubstr(" pid " + std::to_string(getpid())));
  EXPECT_THAT(failure_of([&] { static_cast<void>((*busy).state()); }), HasSubstr("not held"));
  EXPECT_THAT(failure_of([&] { const Guard lock = *client.acquire(""); }),
              HasSubstr("lock name is empty"));
}

class Sink final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::lost) lost = event.loss;
  }
  std::optional<LossReason> lost;
};

TEST(Misuse, AGuardThatOutlivesItsClientIsLostAndItsHolderIsTold) {
  const auto store = memory::backend();
  for (const milliseconds age : {milliseconds(0), milliseconds(1200)}) {  // renewed by then
    Sink events;
    ClientOptions options;
    options.events = &events;
    std::optional<Client> client(std::in_place, store, options);
    Guard lock = *client->acquire("deploy", LockOptions(Ttl(seconds(3))));
    std::this_thread::sleep_for(age);
    client.reset();
    EXPECT_TRUE(lock.lost_token().stop_requested());
    EXPECT_EQ(lock.state(), LeaseState::lost);
    EXPECT_EQ(lock.loss(), LossReason::client_gone);
    EXPECT_EQ(events.lost, LossReason::client_gone);
    const auto released = lock.release();
    EXPECT_TRUE(failed_with(released, Errc::invalid_argument));
    EXPECT_THAT(released.error().detail(), HasSubstr("let guards end before their client"));
    EXPECT_EQ(store->held_locks()->size(), 1U) << "until its ttl ends";
    EXPECT_TRUE(Client(store).acquire("deploy"));
  }
}

TEST(Misuse, AReleasedGuardMayOutliveItsClient) {
  std::optional<Client> client(std::in_place, memory::backend());
  Guard lock = *client->acquire("deploy");
  ASSERT_TRUE(lock.release());
  client.reset();
  EXPECT_EQ(lock.loss(), std::nullopt);
  EXPECT_EQ(*lock.release(), ReleaseOutcome::not_holder);
}

Task<void> drop(std::shared_ptr<std::shared_ptr<Client>> client) {
  const TimePoint later = (*client)->loop().now() + milliseconds(20);
  co_await (*client)->loop().sleep_until(later);
  client->reset();
}

TEST(MisuseDeathTest, TheLastPointerToAClientDroppedOnItsOwnLoopNamesTheMistake) {
  EXPECT_DEATH(
      {
        const auto client =
            std::make_shared<std::shared_ptr<Client>>(std::make_shared<Client>(memory::backend()));
        (*client)->spawn(drop(client));
        std::this_thread::sleep_for(seconds(20));
      },
      "interlock: misuse: a Client is destroyed on its own loop");
}

TEST(MisuseDeathTest, AnEventLoopThatGoesWhileATaskSleepsOnItNamesTheMistake) {
  const auto sleep = [](EventLoop* loop) -> Task<void> {
    const TimePoint later = loop->now() + seconds(1000);
    co_await loop->sleep_until(later);
  };
  EXPECT_DEATH(
      {
        EventLoop loop;
        loop.spawn(sleep(&loop), nullptr);
      },
      "interlock: misuse: an EventLoop is destroyed while");
}

}  // namespace
}  // namespace interlock
