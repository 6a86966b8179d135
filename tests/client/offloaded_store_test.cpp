// What becomes of operations when a blocking store's threads end, as they do with their client.
#include "offloaded_store.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>

#include "interlock/event_loop.hpp"
#include "interlock/memory/memory_backend.hpp"

namespace interlock {
namespace {

// The tasks are functions: a coroutine must not outlive the lambda whose captures it uses.
Task<void> listen(KeyValueStore* store,
                  std::promise<SubscriptionId>* subscribed,
                  std::optional<Result<bool>>* heard) {
  const Result<SubscriptionId> id = co_await store->subscribe(Channel("news"));
  EXPECT_TRUE(id);
  if (!id) co_return;
  subscribed->set_value(*id);
  *heard = co_await store->await_message(*id, TimePoint::max());
}

Task<void> unsubscribe(KeyValueStore* store, SubscriptionId id, std::optional<Error>* error) {
  const auto result = co_await store->unsubscribe(id);
  if (!result) *error = result.error();
}

class Ended {
 public:
  std::function<void(const std::exception_ptr&)> teller() {
    return [this](const std::exception_ptr&) { promise_.set_value(); };
  }
  void wait() { promise_.get_future().get(); }

 private:
  std::promise<void> promise_;
};

// One thread serves a subscription: it waits for a message, so its next operation cannot begin.
TEST(OffloadedStore, ItsEndEndsAWaitAndMakesWhatHasNotBegunUnavailable) {
  const auto backend = memory::backend();
  EventLoop loop;
  auto store = *OffloadedStore::open(*backend, loop, std::chrono::seconds{30});
  std::promise<SubscriptionId> subscribed;
  std::optional<Result<bool>> heard;
  std::optional<Error> error;
  Ended listening;
  Ended unsubscribing;
  loop.spawn(listen(store.get(), &subscribed, &heard), listening.teller());
  const SubscriptionId id = subscribed.get_future().get();
  loop.spawn(unsubscribe(store.get(), id, &error), unsubscribing.teller());
  loop.post([&] { store.reset(); });
  listening.wait();
  unsubscribing.wait();
  EXPECT_TRUE(heard);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::unavailable) << error->detail();
}

}  // namespace
}  // namespace interlock
