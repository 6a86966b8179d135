// Processes that keep their grants, beside one that does not, on one lock of a real server.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <thread>
#include <vector>

#include "interlock/mutex.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/child.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

constexpr int sections = 200;

// What the lock protects: shared by the processes, and changed in two steps.
class Resource {
 public:
  long counter = 0;
  std::uint64_t token = 0;
  int broken = 0;
};

void use(Resource& resource, std::uint64_t token) {
  if (token <= resource.token) ++resource.broken;
  resource.token = token;
  const long seen = resource.counter;
  std::this_thread::yield();
  resource.counter = seen + 1;
}

int work(const std::string& url, bool keeps, Resource& resource) {
  Client client(*backend(url));
  MutexOptions options;
  options.keep = keeps;
  Mutex mutex(client, *LockName::parse("shared"), options);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&] {
      for (int n = 0; n < sections; ++n) {
        const std::lock_guard lock(mutex);
        use(resource, mutex.guard().fencing().value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

TEST(KeptMutexes, OfManyProcessesNeverOverlapAndTheirTokensGrow) {
  INTERLOCK_SKIP_IF_A_FORK_MAY_HANG();
  test::RedisServer server;
  void* const memory =
      mmap(nullptr, sizeof(Resource), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const resource = new (memory) Resource;
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    const pid_t child = fork();
    if (child == 0) _exit(work(server.url(), process != 0, *resource));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(resource->counter, 4 * 2 * sections);
  EXPECT_EQ(resource->broken, 0);
  munmap(memory, sizeof(Resource));
}

}  // namespace
}  // namespace interlock::redis
