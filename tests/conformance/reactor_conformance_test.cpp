// What a client needs of the reactor on which it runs: docs/event-loops.md. To try another one, add
// it to `Reactors`: a class with a reactor and turn_until().
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/event_loop.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/posix/eventfd.hpp"
#include "support/test_reactor.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;

class OverPoll {
 public:
  Reactor& reactor() { return reactor_; }
  bool turn_until(const std::function<bool()>& done, Duration limit) {
    return reactor_.run_until(done, limit);
  }

 private:
  test::TestReactor reactor_;
};

class OverEpoll {
 public:
  Reactor& reactor() { return *loop_; }
  bool turn_until(const std::function<bool()>& done, Duration limit) {
    return loop_->turn_until(done, limit);
  }

 private:
  std::unique_ptr<EventLoop> loop_ = *EventLoop::open_without_thread();
};

template <class Turned>
class ReactorConformance : public ::testing::Test {
 protected:
  std::unique_ptr<Reactor::Watch> watch(std::function<void(bool, bool)> ready) {
    auto made = turned_.reactor().watch(event_.descriptor(), std::move(ready));
    EXPECT_TRUE(made);
    return *std::move(made);
  }
  bool turn_until(const std::function<bool()>& done) {
    return turned_.turn_until(done, seconds{30});
  }
  void turn_for(Duration time) {
    static_cast<void>(turned_.turn_until([] { return false; }, time));
  }

  posix::Eventfd event_ = posix::Eventfd::open();
  Turned turned_;
};

using Reactors = ::testing::Types<OverPoll, OverEpoll>;
TYPED_TEST_SUITE(ReactorConformance, Reactors, );

TYPED_TEST(ReactorConformance, AWatchBeginsPausedAndCallsOnlyInATurn) {
  int calls = 0;
  this->event_.notify();
  const auto watch = this->watch([&](bool readable, bool) { calls += readable ? 1 : 0; });
  this->turn_for(milliseconds{20});
  EXPECT_EQ(calls, 0);
  watch->interest(true, false);
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(this->turn_until([&] { return calls > 0; }));
}

TYPED_TEST(ReactorConformance, AWatchIsCalledAgainWhileItsDescriptorIsReadable) {
  int calls = 0;
  const auto watch = this->watch([&](bool, bool) {
    if (++calls == 3) static_cast<void>(this->event_.take());
  });
  watch->interest(true, false);
  this->event_.notify();
  EXPECT_TRUE(this->turn_until([&] { return calls == 3; }));
  this->turn_for(milliseconds{20});
  EXPECT_EQ(calls, 3);
}

TYPED_TEST(ReactorConformance, AWatchMayEndInItsOwnCallbackAndIsCalledNoMore) {
  int calls = 0;
  std::unique_ptr<Reactor::Watch> watch;
  watch = this->watch([&](bool, bool) {
    ++calls;
    watch.reset();
  });
  watch->interest(true, false);
  this->event_.notify();
  EXPECT_TRUE(this->turn_until([&] { return calls > 0; }));
  this->turn_for(milliseconds{20});
  EXPECT_EQ(calls, 1);
}

TYPED_TEST(ReactorConformance, ClientsTakeWaitForAndReleaseALockOnIt) {
  ClientOptions options;
  options.reactor = &this->turned_.reactor();
  const auto backend = memory::backend();
  Client first(backend, options);
  Client second(backend, options);
  std::optional<AcquireResult> held;
  std::optional<AcquireResult> waited;
  first.acquire_then("deploy", {}, [&](AcquireResult got) { held.emplace(std::move(got)); });
  ASSERT_TRUE(this->turn_until([&] { return held.has_value(); }));
  second.acquire_then("deploy", {}, [&](AcquireResult got) { waited.emplace(std::move(got)); });
  this->turn_for(milliseconds{20});
  EXPECT_FALSE(waited);
  held.reset();
  ASSERT_TRUE(this->turn_until([&] { return waited.has_value(); }));
  EXPECT_TRUE(*waited) << waited->why_not();
}

}  // namespace
}  // namespace interlock
