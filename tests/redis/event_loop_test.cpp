// The store on the event loop that programs run it on; elsewhere it is tested on a loop
// made for tests.
#include "interlock/event_loop.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <future>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using std::chrono::seconds;
using test::PlainRedis;
using test::RedisServer;
using ::testing::StartsWith;

Options quick(const RedisServer& server) {
  Options options = *parse_url(server.url());
  options.connect_timeout = milliseconds{1000};
  options.command_timeout = milliseconds{1000};
  return options;
}

// Runs `task` on the loop with a store that is made and destroyed there, as stores must be.
template <class T>
T on_loop(EventLoop& loop,
          const std::shared_ptr<Backend>& backend,
          const std::function<Task<T>(KeyValueStore*)>& task) {
  std::promise<T> result;
  std::unique_ptr<KeyValueStore> store;
  const auto job = [](Task<T> inner, std::promise<T>* promise) -> Task<void> {
    promise->set_value(co_await inner);
  };
  loop.post([&] {
    store = backend->open_on(loop);
    loop.spawn(job(task(store.get()), &result),
               [&store](const std::exception_ptr&) { store.reset(); });
  });
  T value = result.get_future().get();
  std::promise<void> gone;
  loop.post([&] { gone.set_value(); });
  gone.get_future().get();
  return value;
}

Task<int> count_to(KeyValueStore* store, int last) {
  for (int count = 1; count <= last; ++count) {
    const Result<std::int64_t> number = co_await store->increment(Key("n"));
    if (!number || *number != count) co_return count;
  }
  co_return last;
}

TEST(RedisOnTheEventLoop, AnswersOneOperationAfterTheOther) {
  const RedisServer server;
  EventLoop loop;
  EXPECT_EQ(on_loop<int>(loop, backend(quick(server)),
                         [](KeyValueStore* store) { return count_to(store, 1000); }),
            1000);
  EXPECT_EQ(PlainRedis(server).command({"GET", "n"}), "1000");
}

Task<Errc> fails_with(KeyValueStore* store) {
  const Result<std::int64_t> first = co_await store->increment(Key("n"));
  co_return first ? Errc::invalid_argument : first.error().code();
}

TEST(RedisOnTheEventLoop, ItsTimersEndTheWaitForASilentServer) {
  RedisServer server;
  EventLoop loop;
  server.pause();
  EXPECT_EQ(on_loop<Errc>(loop, backend(quick(server)), fails_with), Errc::unavailable);
}

Task<bool> hears(KeyValueStore* store, EventLoop* loop, PlainRedis* plain) {
  const Result<SubscriptionId> subscription = co_await store->subscribe(Channel("news"));
  if (!subscription) co_return false;
  plain->command({"PUBLISH", "news", "hello"});
  const TimePoint until = loop->now() + seconds{20};
  const Result<bool> heard = co_await store->await_message(*subscription, until);
  co_return heard&&* heard;
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

TEST(RedisOnTheEventLoop, AClientThatTheProgramTurnsHasNoThread) {
  const RedisServer server;
  ClientOptions options;
  options.own_thread = false;
  const std::ptrdiff_t before = threads_of_this_process();
  Client client(backend(quick(server)), options);
  Client other(backend(quick(server)), options);
  std::optional<AcquireResult> held;
  std::optional<AcquireResult> waited;
  client.acquire_then("deploy", {}, [&](AcquireResult got) { held.emplace(std::move(got)); });
  ASSERT_TRUE(client.loop().turn_until([&] { return held.has_value(); }, seconds{30}));
  other.acquire_then("deploy", {}, [&](AcquireResult got) { waited.emplace(std::move(got)); });
  static_cast<void>(other.loop().turn_until([] { return false; }, milliseconds{50}));
  EXPECT_EQ(threads_of_this_process(), before);
  EXPECT_FALSE(waited);
  held.reset();
  // Both are this thread's.
  EXPECT_TRUE(other.loop().turn_until(
      [&] {
        client.loop().turn();
        return waited.has_value();
      },
      seconds{30}));
  EXPECT_TRUE(*waited) << waited->why_not();
  EXPECT_EQ(threads_of_this_process(), before);
}

TEST(RedisOnTheEventLoop, MessagesArrive) {
  const RedisServer server;
  PlainRedis plain(server);
  EventLoop loop;
  EXPECT_TRUE(on_loop<bool>(loop, backend(quick(server)),
                            [&](KeyValueStore* store) { return hears(store, &loop, &plain); }));
}

TEST(RedisClient, EndsInABoundedTimeWhileTheServerIsSilent) {
  RedisServer server;
  const TimePoint began = local_now();
  {
    Client client(backend(quick(server)));
    AcquireResult on_own_connection = client.acquire("a");
    ASSERT_TRUE(on_own_connection);
    LockOptions short_lease(Ttl(milliseconds{300}));  // renewed on the loop at once
    AcquireResult on_loop = client.acquire("b", short_lease);
    ASSERT_TRUE(on_loop);
    server.pause();
    const TimePoint lost_at_last = local_now() + seconds{20};
    while (!on_loop->loss() && local_now() < lost_at_last) {
      std::this_thread::sleep_for(milliseconds{5});
    }
    EXPECT_TRUE(on_loop->loss());
  }
  // Three tries of at most 2 s for each of two releases, and more than that for a busy machine.
  EXPECT_LT(local_now() - began, seconds{40});
}

}  // namespace
}  // namespace interlock::redis
