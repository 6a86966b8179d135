// Client::acquire_all and GuardSet over the memory store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using test::eventually;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class WaitsFor final : public EventSink {
 public:
  explicit WaitsFor(std::string lock) : lock_(std::move(lock)) {}
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::waiting && event.name.text() == lock_) now = true;
  }
  std::atomic<bool> now = false;

 private:
  const std::string lock_;
};

class AcquireAll : public ::testing::TestWithParam<bool> {
 protected:
  static LockOptions lock(std::optional<Duration> wait = {}) {
    LockOptions options;
    options.fair = GetParam();
    options.wait = wait;
    return options;
  }
  static LockOptions once() { return lock(Duration::zero()); }
  bool is_free(const char* name) { return static_cast<bool>(other.acquire(name, once())); }
  std::string holder(const char* name) {
    const AcquireResult busy = other.acquire(name, once());
    return busy.busy() == nullptr ? "nobody" : busy.busy()->holder.text();
  }
  static std::vector<std::string> names_of(const GuardSet& guards) {
    std::vector<std::string> names;
    for (const Guard& each : guards) names.push_back(each.name().text());
    return names;
  }

  const std::shared_ptr<Backend> store = memory::backend();
  Client client{store};
  Client other{store};
};
INSTANTIATE_TEST_SUITE_P(Locks, AcquireAll, ::testing::Bool(), [](const auto& fair) {
  return fair.param ? "Fair" : "Unfair";
});

TEST_P(AcquireAll, HoldsEachLockWithAnOwnerAndATokenOfItsOwn) {
  AcquireAllResult all = client.acquire_all({"b", "c", "a"}, lock());
  ASSERT_TRUE(all) << all.why_not();
  EXPECT_THAT(names_of(*all), ElementsAre("a", "b", "c"));
  for (const Guard& each : *all) {
    EXPECT_EQ(holder(each.name().text().c_str()), each.owner().text());
    EXPECT_GT(each.fencing(), FencingToken());
  }
  ASSERT_NE(all->find("b"), nullptr);
  EXPECT_EQ(all->find("b"), &(*all)[1]);
  EXPECT_EQ(all->find("d"), nullptr);
  EXPECT_EQ(all->state(), LeaseState::held);
  EXPECT_TRUE(all->valid_for(seconds{20}));
  EXPECT_EQ(all->lost(), nullptr);
  EXPECT_EQ(all.why_not(), "");
  EXPECT_EQ(*all->release(), ReleaseOutcome::released);
  EXPECT_EQ(all->state(), LeaseState::lost);
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(is_free(name));
  EXPECT_EQ(*all->release(), ReleaseOutcome::not_holder) << "a second time";
  EXPECT_EQ(all->found_gone(), nullptr);
}

TEST_P(AcquireAll, ANameThatIsGivenTwiceCountsOnce) {
  const std::string from = "account/1";
  AcquireAllResult all = client.acquire_all({from, from}, lock(seconds{1}));
  ASSERT_TRUE(all) << all.why_not();
  EXPECT_EQ(all->size(), 1U);
}

TEST_P(AcquireAll, TakesListsThatAreMadeAtRunTime) {
  const std::vector<std::string> texts{"b", "a"};
  EXPECT_THAT(names_of(*client.acquire_all(texts, lock())), ElementsAre("a", "b"));
  std::vector<LockName> names{*LockName::parse("b"), *LockName::parse("a")};
  EXPECT_THAT(names_of(*client.acquire_all(names, lock())), ElementsAre("a", "b"));
}

TEST_P(AcquireAll, IfOneIsBusyNoneIsHeld) {
  const AcquireResult held = other.acquire("b", lock());
  AcquireAllResult all = client.acquire_all({"a", "b", "c"}, once());
  EXPECT_FALSE(all);
  ASSERT_NE(all.busy(), nullptr) << all.why_not();
  EXPECT_EQ(all.busy()->name.text(), "b");
  EXPECT_EQ(all.busy()->busy.holder.text(), holder("b"));
  EXPECT_THAT(all.why_not(), HasSubstr("'b': held by "));
  EXPECT_TRUE(is_free("a"));
  EXPECT_TRUE(is_free("c"));
  EXPECT_THROW(static_cast<void>(*all), LockFailure);
}

TEST_P(AcquireAll, WaitsWithNothingInHandUntilAllAreFree) {
  WaitsFor waits("b");
  ClientOptions options;
  options.events = &waits;
  Client waiting(store, options);
  AcquireResult held = other.acquire("b", lock());
  std::optional<AcquireAllResult> all;
  std::thread waiter([&] { all.emplace(waiting.acquire_all({"a", "b", "c"}, lock())); });
  // It has "a" now, for at most 50 ms. Then it waits for "b" alone.
  EXPECT_TRUE(eventually([&] { return waits.now.load(); }));
  EXPECT_TRUE(eventually([&] { return is_free("a"); }));
  for (int times = 0; times < 20; ++times) {
    EXPECT_TRUE(is_free("a") && is_free("c"));
    std::this_thread::sleep_for(milliseconds{5});
  }
  static_cast<void>(held->release());
  waiter.join();
  ASSERT_TRUE(*all) << all->why_not();
  EXPECT_EQ((*all)->size(), 3U);
}

TEST_P(AcquireAll, TheWaitIsForAllTogether) {
  const AcquireResult held = other.acquire("b", lock());
  const TimePoint began = local_now();
  const AcquireAllResult all = client.acquire_all({"a", "b"}, lock(milliseconds{200}));
  ASSERT_NE(all.busy(), nullptr) << all.why_not();
  EXPECT_GE(local_now() - began, milliseconds{200});
  EXPECT_TRUE(is_free("a"));
}

TEST_P(AcquireAll, ARequestToStopEndsTheWait) {
  const AcquireResult held = other.acquire("b", lock());
  std::stop_source stop;
  LockOptions options = lock();
  options.stop = stop.get_token();
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds{100});
    stop.request_stop();
  });
  const AcquireAllResult all = client.acquire_all({"a", "b"}, options);
  stopper.join();
  ASSERT_NE(all.error(), nullptr);
  EXPECT_EQ(all.error()->code(), Errc::cancelled) << all.why_not();
  EXPECT_TRUE(is_free("a"));
}

TEST_P(AcquireAll, WhatIsGivenBackDoesNotStayHeld) {
  LockOptions options = once();
  options.at_least = hours{1};
  {
    const AcquireResult held = other.acquire("b", lock());
    EXPECT_FALSE(client.acquire_all({"a", "b"}, options));
  }
  EXPECT_TRUE(is_free("a"));
  EXPECT_TRUE(client.acquire_all({"a", "b"}, options)) << "and what was held stays held";
  EXPECT_FALSE(is_free("a"));
  EXPECT_FALSE(is_free("b"));
}

TEST_P(AcquireAll, WaivingTheStayFreesAll) {
  LockOptions options = once();
  options.at_least = hours{1};
  AcquireAllResult all = client.acquire_all({"a", "b"}, options);
  ASSERT_TRUE(all);
  all->waive_at_least();
  static_cast<void>(all->release());
  EXPECT_TRUE(is_free("a") && is_free("b"));
}

// The client ends while a call has "a" in hand and waits for "b".
TEST_P(AcquireAll, AClientThatEndsLeavesNothingHeld) {
  const AcquireResult held = other.acquire("b", lock());
  for (int times = 0; times < 20; ++times) {
    WaitsFor waits("b");
    ClientOptions options;
    options.events = &waits;
    auto mortal = std::make_unique<Client>(store, options);
    std::thread caller([&] {
      const AcquireAllResult all = mortal->acquire_all({"a", "b"}, lock());
      EXPECT_TRUE(all.error() != nullptr && all.error()->code() == Errc::cancelled);
    });
    EXPECT_TRUE(eventually([&] { return waits.now.load(); }));
    mortal.reset();
    caller.join();
    ASSERT_TRUE(is_free("a")) << times;
  }
}

TEST_P(AcquireAll, WrongNamesAreRefused) {
  const std::vector<std::string> none;
  for (const AcquireAllResult& all :
       {client.acquire_all(none, lock()), client.acquire_all({"a", ""}, lock())}) {
    ASSERT_NE(all.error(), nullptr);
    EXPECT_EQ(all.error()->code(), Errc::invalid_argument) << all.why_not();
  }
  LockName name = *LockName::parse("b");
  const LockName moved = std::move(name);
  const AcquireAllResult all = client.acquire_all({moved, name}, lock());  // NOLINT(bugprone-*)
  ASSERT_NE(all.error(), nullptr);
  EXPECT_EQ(all.error()->code(), Errc::invalid_argument);
  EXPECT_TRUE(is_free("b"));
}

TEST_P(AcquireAll, ErrorsNameTheLock) {
  const AcquireAllResult wrong = client.acquire_all({"good", "a}b\n"}, lock());
  ASSERT_NE(wrong.error(), nullptr);
  EXPECT_THAT(wrong.error()->detail(), StartsWith("'a}b?': lock name has a control character"));
  LockOptions options = lock();
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  const AcquireAllResult cancelled = client.acquire_all({"a", "b"}, options);
  ASSERT_NE(cancelled.error(), nullptr);
  EXPECT_EQ(cancelled.error()->code(), Errc::cancelled);
  EXPECT_THAT(cancelled.error()->detail(), StartsWith("'a': "));
}

void erase(Backend& store, const char* key) {
  const auto erase_it = [](KeyValueStore* keys, Key of) -> Task<Result<bool>> {
    co_return co_await keys->erase(std::move(of));
  };
  EXPECT_TRUE(*run(erase_it(store.open().get(), Key(key))));
}

TEST_P(AcquireAll, TheLossOfOneIsToldAndTheOthersStayHeld) {
  LockOptions options = lock();
  options.ttl = Ttl(seconds{3});
  AcquireAllResult all = client.acquire_all({"a", "b"}, options);
  ASSERT_TRUE(all);
  const std::stop_token lost = all->lost_token();
  EXPECT_FALSE(lost.stop_requested());
  erase(*store, "b");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  ASSERT_NE(all->lost(), nullptr);
  EXPECT_EQ(all->lost()->name().text(), "b");
  EXPECT_EQ(all->state(), LeaseState::lost);
  EXPECT_EQ(all->remaining(), Duration::zero());
  EXPECT_TRUE(all->lost_token().stop_requested());
  EXPECT_FALSE(is_free("a"));
  EXPECT_EQ(*all->release(), ReleaseOutcome::not_holder);
  EXPECT_TRUE(is_free("a"));
}

TEST_P(AcquireAll, AReleaseThatFindsOneGoneSaysSo) {
  AcquireAllResult all = client.acquire_all({"a", "b"}, lock());
  ASSERT_TRUE(all);
  erase(*store, "a");
  EXPECT_EQ(all->found_gone(), nullptr);
  EXPECT_EQ(*all->release(), ReleaseOutcome::not_holder);
  ASSERT_NE(all->found_gone(), nullptr);
  EXPECT_EQ(all->found_gone()->name().text(), "a");
  EXPECT_TRUE(is_free("b"));
}

TEST_P(AcquireAll, AReleaseIsNoLoss) {
  AcquireAllResult all = client.acquire_all({"a", "b"}, lock());
  ASSERT_TRUE(all);
  const std::stop_token lost = all->lost_token();
  static_cast<void>(all->release());
  EXPECT_FALSE(lost.stop_requested());
}

TEST_P(AcquireAll, ASetThatIsDroppedOrReplacedIsReleased) {
  {
    AcquireAllResult first = client.acquire_all({"a", "b"}, lock());
    ASSERT_TRUE(first);
    GuardSet set = *std::move(first);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move)
    EXPECT_FALSE(is_free("a"));
    set = *client.acquire_all({"c"}, lock());
    EXPECT_TRUE(is_free("a") && is_free("b"));
    EXPECT_FALSE(is_free("c"));
    GuardSet moved = std::move(set);
    EXPECT_EQ(set.size(), 0U);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(set.state(), LeaseState::lost);
    EXPECT_FALSE(set.lost_token().stop_possible());
    EXPECT_TRUE(failed_with(set.release(), Errc::invalid_argument));
    EXPECT_EQ(moved.state(), LeaseState::held);
  }
  EXPECT_TRUE(is_free("c"));
}

TEST_P(AcquireAll, TasksOnTheLoopHaveThemToo) {
  AcquireResult held = other.acquire("b", lock());
  const auto section = [](Client* by, LockOptions with, bool* ran) -> Task<void> {
    std::vector<LockName> names{*LockName::parse("b"), *LockName::parse("a")};
    AcquireAllResult all = co_await by->acquire_all_async(std::move(names), with);
    EXPECT_TRUE(all) << all.why_not();
    if (!all) co_return;
    *ran = all->state() == LeaseState::held;
    const Result<ReleaseOutcome> released = co_await all->release_async();
    EXPECT_EQ(*released, ReleaseOutcome::released);
  };
  std::thread releaser([&] {
    std::this_thread::sleep_for(milliseconds{100});
    static_cast<void>(held->release());
  });
  bool ran = false;
  client.wait_for(section(&client, lock(), &ran));
  releaser.join();
  EXPECT_TRUE(ran);
  EXPECT_TRUE(is_free("a") && is_free("b"));
}

TEST_P(AcquireAll, ASetThatOutlivesItsClientIsLost) {
  auto mortal = std::make_unique<Client>(store);
  AcquireAllResult all = mortal->acquire_all({"a", "b"}, lock());
  ASSERT_TRUE(all);
  const std::stop_token lost = all->lost_token();
  mortal.reset();
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(all->state(), LeaseState::lost);
  EXPECT_TRUE(failed_with(all->release(), Errc::invalid_argument));
}

// Whatever order they name them in, nobody waits for ever, and each pair is one's own.
TEST_P(AcquireAll, TransfersBetweenRandomAccountsKeepTheSum) {
  constexpr std::size_t accounts = 4;
  constexpr int transfers = 60;
  std::array<int, accounts> balance{100, 100, 100, 100};
  std::array<std::string, accounts> names{"account/0", "account/1", "account/2", "account/3"};
  const auto work = [&](Client* by, unsigned seed) {
    std::mt19937 random(seed);
    for (int times = 0; times < transfers; ++times) {
      const std::size_t from = random() % accounts;
      const std::size_t to = random() % accounts;
      AcquireAllResult both = by->acquire_all({names.at(from), names.at(to)}, lock());
      ASSERT_TRUE(both) << both.why_not();
      const int left = balance.at(from) - 1;
      std::this_thread::yield();
      balance.at(from) = left;
      const int more = balance.at(to) + 1;
      std::this_thread::yield();
      balance.at(to) = more;
      ASSERT_EQ(*both->release(), ReleaseOutcome::released);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned each = 0; each < 3; ++each) {
    threads.emplace_back(work, &client, each);
    threads.emplace_back(work, &other, each + 100);
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(balance[0] + balance[1] + balance[2] + balance[3], 400);
}

}  // namespace
}  // namespace interlock
