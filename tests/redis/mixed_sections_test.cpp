// Readers, writers in the queue and out of it, redis-py's Lock, and the bare commands that most
// other clients of Redis send (SET NX PX, compare-and-delete), all on one name. What they guard is
// not synchronised by anything else.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::redis {
namespace {

using test::PlainRedis;
using test::RedisServer;

// In a file, which redis-py's process maps, too.
class Guarded {
 public:
  std::int64_t counter = 0;  // of writers: read, and written a moment later
  std::int64_t overlaps = 0;
  std::int32_t has_writer = 0;
  std::atomic<std::int32_t> readers{0};
  std::atomic<std::int32_t> is_over{0};
  std::atomic<std::int32_t> of_redis_py{0};  // its sections
};
constexpr const char* python_program = R"(
import mmap, random, redis, struct, sys, time
file = open(sys.argv[1], 'r+b')
memory = mmap.mmap(file.fileno(), 0)
def number(at, size='i'): return struct.unpack_from(size, memory, at)[0]
def write(at, value, size='i'): struct.pack_into(size, memory, at, value)
server = redis.Redis(unix_socket_path=sys.argv[2])
while not number(24):
  lock = server.lock('mixed', timeout=60, sleep=0.0005)
  if not lock.acquire(blocking_timeout=0.2): continue
  if number(16) or number(20): write(8, number(8, 'q') + 1, 'q')
  write(16, 1)
  counter = number(0, 'q')
  time.sleep(0)
  write(0, counter + 1, 'q')
  write(16, 0)
  write(28, number(28) + 1)
  lock.release()
  time.sleep(random.random() / 500)
)";
static_assert(offsetof(Guarded, overlaps) == 8 && offsetof(Guarded, has_writer) == 16 &&
              offsetof(Guarded, readers) == 20 && offsetof(Guarded, is_over) == 24 &&
              offsetof(Guarded, of_redis_py) == 28);

class MixedSections : public testing::Test {
 protected:
  void SetUp() override {
    std::FILE* const file = std::fopen((folder_ / "guarded").c_str(), "w+");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(ftruncate(fileno(file), 4096), 0);
    void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    std::fclose(file);
    ASSERT_NE(memory, MAP_FAILED);
    guarded_ = new (memory) Guarded();
  }
  void TearDown() override { munmap(guarded_, 4096); }

  void write() {
    if (guarded_->readers != 0 || guarded_->has_writer != 0) ++guarded_->overlaps;
    guarded_->has_writer = 1;
    const std::int64_t counter = guarded_->counter;
    std::this_thread::yield();
    guarded_->counter = counter + 1;
    guarded_->has_writer = 0;
  }
  void read() {
    const int others = guarded_->readers.fetch_add(1);
    if (others > 0) ++readers_together_;
    const std::int64_t counter = guarded_->counter;
    if (guarded_->has_writer != 0) ++readers_with_a_writer_;
    std::this_thread::yield();
    if (guarded_->counter != counter || guarded_->has_writer != 0) ++readers_with_a_writer_;
    guarded_->readers.fetch_sub(1);
  }
  // Until all is over: sections of a contender of this kind, with pauses that let others in.
  void contend(const char* kind, std::function<bool()> section) {
    contenders_.emplace_back([this, kind, section = std::move(section)] {
      unsigned pause = static_cast<unsigned>(std::hash<std::thread::id>()({}));
      while (guarded_->is_over == 0) {
        if (section()) {
          ++total_;
          ++count_of(kind);
        }
        std::this_thread::sleep_for(Duration{rand_r(&pause) % 2000});
      }
    });
  }
  std::atomic<int>& count_of(const std::string& kind) { return counts_.at(kind); }

  void contend_by_client(const char* kind, LockOptions options) {
    options.wait = milliseconds{500};
    contend(kind, [this, options, client = std::make_shared<Client>(*backend(server_.url()))] {
      const AcquireResult lock = client->acquire("mixed", options);
      if (!lock) return false;
      options.shared ? read() : write();
      return true;
    });
  }
  void contend_by_bare_commands() {
    contend("bare", [this, redis = std::make_shared<PlainRedis>(server_)] {
      if (redis->command({"SET", "mixed", "bare", "NX", "PX", "60000"}) != "OK") return false;
      write();
      redis->command({"EVAL",
                      "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                      "return redis.call('DEL', KEYS[1]) end return 0",
                      "1", "mixed", "bare"});
      return true;
    });
  }
  // What redis-py's process has printed at its end.
  std::string contend_by_redis_py() {
    const std::string path = folder_ / "contender.py";
    std::FILE* const file = std::fopen(path.c_str(), "w");
    std::fputs(python_program, file);
    std::fclose(file);
    const std::string command = INTERLOCK_TEST_PYTHON +
                                (" " + path + " " + (folder_ / "guarded") + " ") +
                                server_.unix_socket() + " 2>&1";
    std::FILE* const output = popen(command.c_str(), "r");
    std::string printed;
    for (int c = 0; (c = std::fgetc(output)) != EOF;) printed += static_cast<char>(c);
    pclose(output);
    return printed;
  }

  test::ScratchFolder folder_;
  RedisServer server_;
  Guarded* guarded_ = nullptr;
  std::map<std::string, std::atomic<int>> counts_ = [] {
    std::map<std::string, std::atomic<int>> counts;
    for (const char* kind : {"reader", "writer", "unfair writer", "bare"}) counts[kind] = 0;
    return counts;
  }();
  std::atomic<int> total_ = 0;
  std::atomic<int> readers_together_ = 0;
  std::atomic<int> readers_with_a_writer_ = 0;
  std::vector<std::jthread> contenders_;
};

TEST_F(MixedSections, ExcludeEachOtherAsTheyMust) {
  std::string printed;
  std::atomic<bool> redis_py_has_ended = false;
  std::jthread redis_py([&] {
    printed = contend_by_redis_py();
    redis_py_has_ended = true;
  });
  LockOptions shared;
  shared.shared = true;
  LockOptions unfair;
  unfair.fair = false;
  for (int each = 0; each < 3; ++each) contend_by_client("reader", shared);
  for (int each = 0; each < 2; ++each) contend_by_client("writer", {});
  contend_by_client("unfair writer", unfair);
  contend_by_bare_commands();
  // However long one of them takes to begin.
  const auto all_have_entered = [&] {
    return guarded_->of_redis_py > 0 &&
           std::all_of(counts_.begin(), counts_.end(),
                       [](const auto& each) { return each.second > 0; });
  };
  while ((total_ < 10'000 || !all_have_entered()) && !redis_py_has_ended) {
    std::this_thread::sleep_for(milliseconds{5});
  }
  guarded_->is_over = 1;
  contenders_.clear();
  redis_py.join();

  EXPECT_EQ(guarded_->overlaps, 0);
  EXPECT_EQ(readers_with_a_writer_, 0);
  EXPECT_EQ(printed, "") << "redis-py complains";
  int writers = guarded_->of_redis_py;
  EXPECT_GT(writers, 0);
  for (const auto& [kind, count] : counts_) {
    EXPECT_GT(count, 0) << kind;
    if (kind != "reader") writers += count;
  }
  EXPECT_EQ(guarded_->counter, writers) << "an update was lost";
  EXPECT_GT(readers_together_, 0);
}

}  // namespace
}  // namespace interlock::redis
