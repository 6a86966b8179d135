// A client whose store is away: when it acquires, when it releases, and when it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "silent_store.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using testing::SilentBackend;

// Counts what it is told.
class Told final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::released) ++released;
    if (event.kind == EventKind::error) ++errors;
  }
  std::atomic<int> released = 0;
  std::atomic<int> errors = 0;
};

class OfAnOutage : public ::testing::TestWithParam<bool> {
 protected:
  OfAnOutage() { make_client(ClientOptions()); }
  // Otherwise the end of the client would wait for the releases that are not answered.
  void TearDown() override { backend_->speak(); }
  void make_client(ClientOptions options) {
    options.events = &told_;
    client_.emplace(backend_, options);
  }
  LockOptions lock() const {
    LockOptions options;
    options.fair = GetParam();
    return options;
  }
  AcquireResult held(LockOptions options) {
    AcquireResult acquired = client_->acquire("deploy", options);
    EXPECT_TRUE(acquired) << acquired.why_not();
    return acquired;
  }
  // By somebody whose store is never away.
  bool becomes_free() {
    Client other(real_);
    LockOptions options = lock();
    options.wait = seconds{20};
    return static_cast<bool>(other.acquire("deploy", options));
  }
  bool is_held() {
    Client other(real_);
    return other.try_acquire("deploy").busy() != nullptr;
  }

  const std::shared_ptr<Backend> real_ = memory::backend();
  const std::shared_ptr<SilentBackend> backend_ =
      std::make_shared<SilentBackend>(real_, SilentBackend::OnLoops::offload);
  Told told_;
  std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Outage, OfAnOutage, ::testing::Bool(), [](const auto& fair) {
  return fair.param ? "Fair" : "Plain";
});

TEST_P(OfAnOutage, AnAcquireOutlastsAStoreThatIsAwayWhenItBegins) {
  backend_->fall_silent();
  auto acquired =
      std::async(std::launch::async, [&] { return client_->acquire("deploy", lock()); });
  while (told_.errors < 4) std::this_thread::sleep_for(milliseconds{1});
  backend_->speak();
  EXPECT_TRUE(acquired.get());
}

TEST_P(OfAnOutage, AnAcquireGivesUpWhenItsPatienceIsOver) {
  ClientOptions options;
  options.wait_policy.outage_limit = milliseconds{300};
  make_client(options);
  backend_->fall_silent();
  const TimePoint began = local_now();
  const AcquireResult acquired = client_->acquire("deploy", lock());
  ASSERT_NE(acquired.error(), nullptr);
  EXPECT_TRUE(is_out_of_reach(*acquired.error()));
  EXPECT_GE(local_now() - began, milliseconds{300});
}

TEST_P(OfAnOutage, AnAcquireWaitsForAStoreNoLongerThanForTheLock) {
  backend_->fall_silent();
  LockOptions brief = lock();
  brief.wait = milliseconds{200};
  const TimePoint began = local_now();
  ASSERT_NE(client_->acquire("deploy", brief).error(), nullptr);
  EXPECT_LT(local_now() - began, seconds{8}) << "not for the ten seconds of its patience";
}

TEST_P(OfAnOutage, ATryIsOneTry) {
  backend_->fall_silent();
  ASSERT_NE(client_->try_acquire("deploy", lock()).error(), nullptr);
  EXPECT_LE(told_.errors, 1) << "its claim was not withdrawn";
}

TEST_P(OfAnOutage, AnAcquireWithoutPatienceIsOneTryToo) {
  ClientOptions options;
  options.wait_policy.outage_limit = Duration{0};
  make_client(options);
  backend_->fall_silent();
  ASSERT_NE(client_->acquire("deploy", lock()).error(), nullptr);
  EXPECT_LE(told_.errors, 1) << "its claim was not withdrawn";
}

TEST_P(OfAnOutage, AReleaseThatIsNotAnsweredIsFinishedWhenTheStoreIsBack) {
  AcquireResult acquired = held(lock());
  backend_->fall_silent();
  const TimePoint began = local_now();
  const auto released = acquired->release();
  EXPECT_LT(local_now() - began, seconds{4}) << "told at once";
  ASSERT_TRUE(failed_with(released, Errc::indeterminate));
  EXPECT_TRUE(is_held());
  EXPECT_EQ(told_.released, 0);
  backend_->speak();
  EXPECT_TRUE(becomes_free());
  while (told_.released == 0) std::this_thread::sleep_for(milliseconds{1});
}

TEST_P(OfAnOutage, AReleaseOfALeaseThatIsKeptIsFinishedToo) {
  LockOptions brief = lock();
  brief.ttl = Ttl(seconds{9});
  AcquireResult acquired = held(brief);
  while (told_.errors == 0) {  // the loop has taken it in, and its renewal has failed
    std::this_thread::sleep_for(milliseconds{1});
    backend_->fall_silent();
  }
  EXPECT_FALSE(acquired->release());
  backend_->speak();
  EXPECT_TRUE(becomes_free());
  EXPECT_EQ(acquired->release().value(), ReleaseOutcome::not_holder);
}

TEST_P(OfAnOutage, AGuardThatGoesIsReleasedLater) {
  {
    AcquireResult acquired = held(lock());
    backend_->fall_silent();
  }
  EXPECT_TRUE(is_held());
  backend_->speak();
  EXPECT_TRUE(becomes_free());
}

TEST_P(OfAnOutage, AReleaseInATaskIsFinishedToo) {
  const auto section = [](Client* client, SilentBackend* backend,
                          LockOptions options) -> Task<bool> {
    AcquireResult acquired = co_await client->acquire_async(*LockName::parse("deploy"), options);
    backend->fall_silent();
    const auto released = co_await acquired->release_async();
    co_return released.has_value();
  };
  EXPECT_FALSE(client_->wait_for(section(&*client_, backend_.get(), lock())));
  backend_->speak();
  EXPECT_TRUE(becomes_free());
}

TEST_P(OfAnOutage, AClientThatEndsFinishesItsReleasesFirst) {
  AcquireResult acquired = held(lock());
  backend_->fall_silent();
  EXPECT_FALSE(acquired->release());
  std::thread back([&] {
    std::this_thread::sleep_for(milliseconds{100});
    backend_->speak();
  });
  client_.reset();
  EXPECT_FALSE(is_held());
  back.join();
}

TEST_P(OfAnOutage, AClientThatEndsWaitsForItsReleasesNoLongerThanTheLimit) {
  ClientOptions options;
  options.release_limit = milliseconds{200};
  make_client(options);
  AcquireResult acquired = held(lock());
  backend_->fall_silent();
  EXPECT_FALSE(acquired->release());
  const TimePoint began = local_now();
  client_.reset();
  EXPECT_LT(local_now() - began, seconds{8});
  EXPECT_TRUE(is_held()) << "left to its ttl";
}

TEST_P(OfAnOutage, ANewGrantIsNotTakenAwayByAReleaseThatGoesOn) {
  AcquireResult first = held(lock());
  backend_->fall_silent();
  EXPECT_FALSE(first->release());
  backend_->speak();
  AcquireResult second = held(lock());
  std::this_thread::sleep_for(milliseconds{300});
  EXPECT_EQ(second->state(), LeaseState::held);
  EXPECT_TRUE(is_held());
  EXPECT_EQ(second->release().value(), ReleaseOutcome::released);
}

}  // namespace
}  // namespace interlock
