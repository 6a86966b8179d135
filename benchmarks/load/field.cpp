#include "field.hpp"

#include <hiredis/hiredis.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include "interlock/local_clock.hpp"

namespace interlock::load {
namespace {

class Sample {
 public:
  int client;
  Duration acquire;
  Duration section;
  Duration release;
};

// What the processes share. Samples follow it in memory.
class Board {
 public:
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::atomic<int> tickets{0};
  std::atomic<int> inside{0};
  std::atomic<int> done{0};
  std::atomic<int> given_up{0};
  std::atomic<int> collisions{0};
  std::atomic<std::int64_t> deadline{0};
  std::atomic<std::int64_t> ended{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

class SharedBoard {
 public:
  explicit SharedBoard(int samples)
      : size_(sizeof(Board) + sizeof(Sample) * static_cast<std::size_t>(samples)) {
    void* memory =
        ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    board_ = new (memory) Board();
  }
  ~SharedBoard() { ::munmap(board_, size_); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  Board& board() { return *board_; }
  Sample* samples() { return reinterpret_cast<Sample*>(board_ + 1); }

 private:
  std::size_t size_;
  Board* board_;
};

void sleep_for(Duration time) {
  const timespec wait{time / std::chrono::seconds{1},
                      std::chrono::nanoseconds(time % std::chrono::seconds{1}).count()};
  ::nanosleep(&wait, nullptr);
}

void enter(Board& board, Duration section) {
  if (board.inside.fetch_add(1) > 0) ++board.collisions;
  sleep_for(section);
  board.inside.fetch_sub(1);
}

// A whole client, in a process of its own.
void work(
    int client, const ContenderKind& kind, Target target, const Setting& setting, SharedBoard& at) {
  Board& board = at.board();
  const auto contender = kind.make(target);
  {
    // Connects and loads its scripts before the clock runs.
    Target own = target;
    own.lock += "/warm-up/" + std::to_string(client);
    const auto warm_up = kind.make(own);
    static_cast<void>(warm_up->acquire(local_now() + std::chrono::seconds{10}));
    warm_up->release();
  }
  ++board.ready;
  while (!board.go) sleep_for(milliseconds{1});
  const TimePoint deadline{Duration(board.deadline.load())};
  while (local_now() < deadline && board.tickets.fetch_add(1) < setting.sections) {
    Sample sample{};
    sample.client = client;
    const TimePoint began = local_now();
    if (!contender->acquire(deadline)) {
      ++board.given_up;
      break;
    }
    const TimePoint held = local_now();
    enter(board, setting.section);
    const TimePoint left = local_now();
    contender->release();
    const TimePoint released = local_now();
    sample.acquire = held - began;
    sample.section = left - held;
    sample.release = released - left;
    at.samples()[board.done.fetch_add(1)] = sample;
    std::int64_t last = board.ended;
    const std::int64_t now = released.time_since_epoch().count();
    while (last < now && !board.ended.compare_exchange_weak(last, now)) {
    }
  }
}

// --- the server ----------------------------------------------------------------------------------

class ServerFigures {
 public:
  double commands = 0;
  double cpu_seconds = 0;
};

class LoadServer {
 public:
  explicit LoadServer(const Target& target)
      : context_(redisConnect(target.host.c_str(), target.port)) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("cannot connect");
  }
  ~LoadServer() { redisFree(context_); }
  LoadServer(const LoadServer&) = delete;
  LoadServer& operator=(const LoadServer&) = delete;

  ServerFigures figures() {
    ServerFigures now;
    now.commands = field(info("stats"), "total_commands_processed:");
    const std::string cpu = info("cpu");
    now.cpu_seconds = field(cpu, "used_cpu_sys:") + field(cpu, "used_cpu_user:");
    return now;
  }
  void empty() { ask("FLUSHALL"); }

 private:
  std::string ask(const std::string& command) {
    auto* reply = static_cast<redisReply*>(redisCommand(context_, command.c_str()));
    if (reply == nullptr) throw std::runtime_error("the server does not answer");
    std::string text(reply->str == nullptr ? "" : reply->str, static_cast<std::size_t>(reply->len));
    freeReplyObject(reply);
    return text;
  }
  std::string info(const std::string& section) { return ask("INFO " + section); }
  static double field(const std::string& text, const std::string& name) {
    const std::size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::atof(text.c_str() + at + name.size());
  }

  redisContext* context_;
};

// --- figures -------------------------------------------------------------------------------------

double milliseconds_of(Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

Times times(std::vector<double> values) {
  Times times;
  if (values.empty()) return times;
  std::sort(values.begin(), values.end());
  const auto at = [&values](double share) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
  };
  times.p50 = at(0.5);
  times.p99 = at(0.99);
  times.max = values.back();
  return times;
}

// Jain, Chiu, Hawe: A Quantitative Measure of Fairness and Discrimination, 1984.
double jain(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares == 0 ? 0 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

double seconds_of(const rusage& usage) {
  const auto one = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return one(usage.ru_utime) + one(usage.ru_stime);
}

double children_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return seconds_of(usage);
}

void count(Figures& figures, SharedBoard& at, const Setting& setting) {
  Board& board = at.board();
  figures.sections = static_cast<std::uint64_t>(board.done.load());
  figures.given_up = static_cast<std::uint64_t>(board.given_up.load());
  figures.collisions = static_cast<std::uint64_t>(board.collisions.load());
  std::vector<double> acquire;
  std::vector<double> release;
  std::vector<double> shares(static_cast<std::size_t>(setting.clients));
  double inside = 0;
  for (std::uint64_t i = 0; i < figures.sections; ++i) {
    const Sample& sample = at.samples()[i];
    acquire.push_back(milliseconds_of(sample.acquire));
    release.push_back(milliseconds_of(sample.release));
    inside += milliseconds_of(sample.section);
    shares[static_cast<std::size_t>(sample.client)] += 1;
  }
  figures.acquire = times(std::move(acquire));
  figures.release = times(std::move(release));
  figures.jain = jain(shares);
  if (figures.sections == 0) return;
  const auto sections = static_cast<double>(figures.sections);
  figures.section_ms = inside / sections;
  figures.rate = sections / figures.seconds;
  figures.share = inside / 1000 / figures.seconds;
}

}  // namespace

Figures compete(const ContenderKind& kind, const Target& target, const Setting& setting) {
  LoadServer server(target);
  server.empty();
  SharedBoard shared(setting.sections);
  Board& board = shared.board();
  std::vector<pid_t> children;
  for (int client = 0; client < setting.clients; ++client) {
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no more processes");
    if (child == 0) {
      try {
        work(client, kind, target, setting, shared);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "load: %s\n", error.what());
        std::_Exit(70);
      }
      // Nothing of the parent's may be torn down here.
      std::_Exit(0);
    }
    children.push_back(child);
  }
  while (board.ready < setting.clients) {
    sleep_for(milliseconds{5});
    int status = 0;
    if (::waitpid(-1, &status, WNOHANG) > 0) throw std::runtime_error("a client ended too early");
  }
  const ServerFigures before = server.figures();
  const double cpu_before = children_cpu();
  const TimePoint began = local_now();
  board.deadline = (began + setting.most).time_since_epoch().count();
  board.go = true;
  bool failed = false;
  for (const pid_t child : children) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    failed = failed || status != 0;
  }
  if (failed) throw std::runtime_error(kind.name + ": a client failed");
  const ServerFigures after = server.figures();

  Figures figures;
  figures.lock = kind.name;
  figures.waits = kind.waits;
  figures.who = kind.who;
  const bool cut_off = board.given_up > 0 || board.done < setting.sections;
  const TimePoint ended = cut_off ? local_now() : TimePoint(Duration(board.ended.load()));
  figures.seconds = std::chrono::duration<double>(ended - began).count();
  count(figures, shared, setting);
  const double sections = std::max(1.0, static_cast<double>(figures.sections));
  figures.commands_per_section = (after.commands - before.commands) / sections;
  const double cpu = after.cpu_seconds - before.cpu_seconds;
  figures.server_ms_per_section = cpu * 1000 / sections;
  figures.server_share = cpu / figures.seconds;
  figures.clients_share = (children_cpu() - cpu_before) / figures.seconds;
  return figures;
}

}  // namespace interlock::load
