// What a mutex that keeps its grant costs to lock again, and how long other processes wait for it.
//
// On one private server. The other process is a process: it waits for the lock, and says how long.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "figures.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/mutex.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/redis_server.hpp"

namespace {

using interlock::LockName;
using interlock::LockOptions;
using interlock::Mutex;
using interlock::MutexOptions;
using interlock::benchmark::json_of;
using interlock::benchmark::Spread;
using interlock::benchmark::spread;

constexpr int grants_per_round = 300;
constexpr int pairs_per_round = 2000;
constexpr int waits_per_round = 7;

const LockName lock_name = *LockName::parse("kept");

using Series = std::map<std::string, std::vector<double>>;

double nanoseconds(const std::function<void()>& work) {
  timespec from{};
  timespec to{};
  clock_gettime(CLOCK_MONOTONIC, &from);
  work();
  clock_gettime(CLOCK_MONOTONIC, &to);
  return static_cast<double>(to.tv_sec - from.tv_sec) * 1e9 +
         static_cast<double>(to.tv_nsec - from.tv_nsec);
}

void pairs(Mutex& mutex, int count) {
  for (int n = 0; n < count; ++n) {
    mutex.lock();
    mutex.unlock();
  }
}

MutexOptions keeping() {
  MutexOptions options;
  options.keep = true;
  return options;
}

// --- again and again ---------------------------------------------------------------------------

// Sections that are begun with a kept grant, without those at both ends of the grant.
double pair_of_kept(Mutex& mutex) {
  const auto sections = static_cast<int>(interlock::HandOverPolicy().sections);
  double all = 0;
  for (int grant = 0; grant < grants_per_round; ++grant) {
    pairs(mutex, 1);
    all += nanoseconds([&] { pairs(mutex, sections - 2); });
    pairs(mutex, 1);
  }
  return all / grants_per_round / (sections - 2);
}

void measure_pairs(const std::string& url, int rounds, Series& series) {
  interlock::Client client(*interlock::redis::backend(url));
  Mutex kept(client, lock_name, keeping());
  Mutex plain(client, *LockName::parse("plain"));
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    const double again = pair_of_kept(kept);
    const double loop = nanoseconds([&] { pairs(kept, pairs_per_round); }) / pairs_per_round;
    const double without = nanoseconds([&] { pairs(plain, pairs_per_round); }) / pairs_per_round;
    const double clock = nanoseconds([] {
                           for (int n = 0; n < pairs_per_round; ++n) interlock::local_now();
                         }) /
                         pairs_per_round;
    if (round < 0) continue;
    series["again_ns"].push_back(again);
    series["clock_ns"].push_back(clock);
    series["loop_ns"].push_back(loop);
    series["without_keep_ns"].push_back(without);
  }
}

// --- another process ---------------------------------------------------------------------------

// A child that acquires and releases whenever it is told to, and says how long the acquire took.
class Other {
 public:
  Other(const std::string& url, const LockOptions& options) {
    if (pipe(orders_) != 0 || pipe(answers_) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) work(url, options);
    close(orders_[0]);
    close(answers_[1]);
  }
  ~Other() {
    close(orders_[1]);
    close(answers_[0]);
    waitpid(child_, nullptr, 0);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  double wait_us() {
    double took = 0;
    if (write(orders_[1], "g", 1) != 1) std::abort();
    if (read(answers_[0], &took, sizeof took) != sizeof took) std::abort();
    return took;
  }

 private:
  [[noreturn]] void work(const std::string& url, const LockOptions& options) {
    close(orders_[1]);
    {
      interlock::Client client(*interlock::redis::backend(url));
      char order = 0;
      while (read(orders_[0], &order, 1) == 1) {
        const double took = nanoseconds([&] {
                              const interlock::AcquireResult lock =
                                  client.acquire(lock_name, options);
                              if (!lock) std::abort();
                            }) /
                            1000;
        if (write(answers_[1], &took, sizeof took) != sizeof took) break;
      }
    }
    _exit(0);
  }
  int orders_[2] = {-1, -1};
  int answers_[2] = {-1, -1};
  pid_t child_ = -1;
};

// After a section of ours.
std::vector<double> waits_of(Other& other, Mutex& mutex, int waits) {
  std::vector<double> took;
  for (int n = -5; n < waits; ++n) {  // the first ones warm up
    pairs(mutex, 2);
    const double wait = other.wait_us();
    if (n >= 0) took.push_back(wait);
    usleep(2000);
  }
  return took;
}

void measure_waits(const std::string& url, int rounds, Series& series) {
  LockOptions unfair;
  unfair.fair = false;
  Other queues(url, LockOptions());
  Other polls(url, unfair);
  interlock::Client client(*interlock::redis::backend(url));
  Mutex kept(client, lock_name, keeping());
  Mutex plain(client, lock_name);
  const int waits = rounds * waits_per_round;
  series["wait_us"] = waits_of(queues, plain, waits);
  series["recalled_wait_us"] = waits_of(queues, kept, waits);
  series["unfair_wait_us"] = waits_of(polls, plain, waits);
  series["not_recalled_wait_us"] = waits_of(polls, kept, waits);
}

// --- the report --------------------------------------------------------------------------------

struct KeptFigure {
  const char* name;
  const char* text;
};
constexpr KeptFigure lines[] = {
    {"again_ns", "lock + unlock with a kept grant, ns"},
    {"clock_ns", "  of that a look at the clock, ns"},
    {"loop_ns", "the same in a loop, with the store, ns"},
    {"without_keep_ns", "without keeping, ns"},
    {"wait_us", "another process waits: nothing is kept, us"},
    {"recalled_wait_us", "it queues, and recalls what is kept, us"},
    {"unfair_wait_us", "it does not queue: nothing is kept, us"},
    {"not_recalled_wait_us", "it does not queue, and cannot recall, us"},
};

struct KeptSettings {
  int rounds = 15;
  bool json = false;
};

bool parse(int argc, char** argv, KeptSettings& settings) {
  for (int at = 1; at < argc; ++at) {
    if (std::strcmp(argv[at], "--json") == 0) {
      settings.json = true;
    } else if (std::strcmp(argv[at], "--rounds") == 0 && at + 1 < argc) {
      settings.rounds = std::atoi(argv[++at]);
    } else {
      return false;
    }
  }
  return settings.rounds > 0;
}

}  // namespace

int main(int argc, char** argv) {
  KeptSettings settings;
  if (!parse(argc, argv, settings)) {
    std::fprintf(stderr, "usage: kept [--rounds N] [--json]\n");
    return 64;
  }
  interlock::test::RedisServer server;
  Series series;
  measure_waits(server.url(), settings.rounds, series);  // first: it forks
  measure_pairs(server.url(), settings.rounds, series);
  nlohmann::json out = {{"benchmark", "kept"}, {"rounds", settings.rounds}};
  for (const KeptFigure& line : lines) {
    const Spread figure = spread(series.at(line.name));
    out[line.name] = json_of(figure);
    if (settings.json) continue;
    std::printf("%-46s %10.1f  [%.1f .. %.1f]\n", line.text, figure.median, figure.lowest,
                figure.highest);
  }
  if (settings.json) std::printf("%s\n", out.dump(2).c_str());
  return 0;
}
