// Many clients on one lock: how much of the time the lock is of use, what a section costs the
// server, who has to wait how long, and how long the lock lies idle between two of them.
//
// Clients are threads of several processes, all on one server; a thread takes the lock, stays
// inside for a while, and gives it up, until all together have had their sections. What they saw
// lies in memory that all share and is looked at when they have gone. Before that each has taken
// and waited for another lock twice, so that connections, scripts and subscriptions stand.
// `plain-poll` and `plain-spin` are what people write by hand: SET NX PX, and a pause of 10 ms or
// none.
//
// What is compared with: one thread with as many sections and no lock, in the same round; and round
// trips of PING, back to back, and with a section's length between two, because a processor that
// has slept wakes slowly and a hand-off comes after such a pause. Figures are medians of the
// rounds; `spread` gives the least and the greatest.
#include <hiredis/hiredis.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "raw_locks.hpp"
#include "support/redis_server.hpp"

namespace {

constexpr const char* usage =
    "usage: contention [--store redis://HOST:PORT] [--clients N] [--processes N] [--sections N]\n"
    "                  [--section-ms MS] [--rounds N] [--lock ID] [--hand-over N] [--json]\n"
    "  hand over: so many sections of a process under one grant (queue-lock; 1: each its own)\n"
    "  locks: queue-lock, lease-lock, plain-poll, plain-spin; without a store: a server of its "
    "own\n";

using Nanoseconds = std::int64_t;

struct Settings {
  std::string store;
  int clients = 100;
  int processes = 4;
  int sections = 1000;
  double section_ms = 1;
  int rounds = 3;

  Nanoseconds length() const { return static_cast<Nanoseconds>(section_ms * 1e6); }
  std::string lock = "queue-lock";
  int hand_over = static_cast<int>(interlock::HandOverPolicy().sections);
  bool json = false;
};

Nanoseconds now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);  // the same for all processes
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void sleep_ns(Nanoseconds length) {
  timespec time{length / 1'000'000'000, length % 1'000'000'000};
  while (nanosleep(&time, &time) != 0) {
  }
}

// Or a section of 1 ms takes 1.06.
void sleep_exactly() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

// --- what all processes share ------------------------------------------------------------------

struct Section {
  int client;
  Nanoseconds asked;
  Nanoseconds entered;
  Nanoseconds left;
};

struct Shared {
  std::atomic<int> ready;
  std::atomic<bool> go;
  std::atomic<int> begun;     // sections, in the order in which they were entered
  std::atomic<int> inside;    // clients that are in one now
  std::atomic<int> overlaps;  // sections that began while another went on
  std::atomic<int> failures;
};

class Board {
 public:
  explicit Board(int sections) {
    const std::size_t bytes = sizeof(Shared) + sizeof(Section) * static_cast<std::size_t>(sections);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    shared_ = new (memory) Shared();
    sections_ = reinterpret_cast<Section*>(shared_ + 1);
  }
  Shared& shared() { return *shared_; }
  Section& section(int number) { return sections_[number]; }

 private:
  Shared* shared_;
  Section* sections_;
};

// --- one client --------------------------------------------------------------------------------

class Lock {
 public:
  virtual ~Lock() = default;
  virtual bool acquire(const char* name) = 0;
  virtual bool release() = 0;
};

class LibraryLock final : public Lock {
 public:
  LibraryLock(interlock::Client& client, bool fair) : client_(client) { options_.fair = fair; }
  bool acquire(const char* name) override {
    guard_.emplace(client_.acquire(name, options_));
    return static_cast<bool>(*guard_);
  }
  bool release() override {
    const bool released = (**guard_).release().has_value();
    guard_.reset();
    return released;
  }

 private:
  interlock::Client& client_;
  interlock::LockOptions options_;
  std::optional<interlock::AcquireResult> guard_;
};

class PlainLock final : public Lock {
 public:
  PlainLock(const std::string& host, int port, int client, Nanoseconds pause)
      : redis_(redisConnect(host.c_str(), port)),
        owner_("owner-" + std::to_string(client)),
        pause_(pause) {}

  bool acquire(const char* name) override {
    name_ = name;
    while (!lock_.try_acquire(name_, owner_)) {
      if (pause_ > 0) sleep_ns(pause_);
    }
    return true;
  }
  bool release() override {
    lock_.release(name_, owner_);
    return true;
  }

 private:
  interlock::benchmark::RawRedis redis_;
  interlock::benchmark::PlainLock lock_{redis_};
  const char* name_ = "";
  std::string owner_;
  Nanoseconds pause_;
};

bool warm_up(Lock& lock, const Settings& settings) {
  for (int section = 0; section < 2; ++section) {
    if (!lock.acquire("warm-up")) return false;
    sleep_ns(settings.length());
    if (!lock.release()) return false;
  }
  return true;
}

void work(Lock& lock, int client, const Settings& settings, Board& board) {
  sleep_exactly();
  Shared& shared = board.shared();
  if (!warm_up(lock, settings)) ++shared.failures;
  ++shared.ready;
  while (!shared.go) sleep_ns(1'000'000);
  for (;;) {
    const Nanoseconds asked = now_ns();
    if (!lock.acquire("contended")) {
      ++shared.failures;
      return;
    }
    const Nanoseconds entered = now_ns();
    if (shared.inside.fetch_add(1) != 0) ++shared.overlaps;
    const int number = shared.begun++;
    if (number < settings.sections) {
      if (settings.length() > 0) sleep_ns(settings.length());
      board.section(number) = Section{client, asked, entered, now_ns()};
    }
    --shared.inside;
    if (!lock.release()) ++shared.failures;
    if (number >= settings.sections) return;
  }
}

struct Address {
  std::string host = "127.0.0.1";
  int port = 6379;
};
Address address_of(const std::string& url) {
  Address address;
  const std::string rest = url.substr(url.find("://") + 3);
  const auto at = rest.rfind('@');
  const std::string place = at == std::string::npos ? rest : rest.substr(at + 1);
  const auto colon = place.find(':');
  address.host = place.substr(0, colon);
  if (colon != std::string::npos) address.port = std::atoi(place.c_str() + colon + 1);
  return address;
}

void run_process(int first_client, int clients, const Settings& settings, Board& board) {
  const bool plain = settings.lock.starts_with("plain-");
  std::optional<interlock::Client> client;
  interlock::ClientOptions options;
  options.hand_over.sections = settings.hand_over;
  if (!plain) client.emplace(*interlock::redis::backend(settings.store), options);
  const Address address = address_of(settings.store);
  std::vector<std::thread> threads;
  for (int number = first_client; number < first_client + clients; ++number) {
    threads.emplace_back([&, number] {
      try {
        std::unique_ptr<Lock> lock;
        if (plain) {
          const Nanoseconds pause = settings.lock == "plain-poll" ? 10'000'000 : 0;
          lock = std::make_unique<PlainLock>(address.host, address.port, number, pause);
        } else {
          lock = std::make_unique<LibraryLock>(*client, settings.lock == "queue-lock");
        }
        work(*lock, number, settings, board);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "contention: %s\n", error.what());
        ++board.shared().failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// --- the server --------------------------------------------------------------------------------

class Server {
 public:
  explicit Server(const Address& address)
      : context_(redisConnect(address.host.c_str(), address.port)) {}
  ~Server() { redisFree(context_); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool is_there() const { return context_ != nullptr && context_->err == 0; }
  std::string text(const char* command) {
    auto* reply = static_cast<redisReply*>(redisCommand(context_, command));
    std::string answer;
    if (reply != nullptr && reply->str != nullptr) {
      answer.assign(reply->str, static_cast<std::size_t>(reply->len));
    }
    freeReplyObject(reply);
    return answer;
  }
  double cpu_us() {
    const std::string info = text("INFO cpu");
    return (number(info, "used_cpu_user:") + number(info, "used_cpu_sys:")) * 1e6;
  }
  // Commands that clients sent; what scripts call does not count.
  std::int64_t commands(bool plain) {
    const std::string info = text("INFO commandstats");
    double sum = 0;
    for (const char* sent : {"evalsha", "eval", "subscribe", "unsubscribe", "script|load"}) {
      sum += number(info, "cmdstat_" + std::string(sent) + ":calls=");
    }
    if (plain) sum += number(info, "cmdstat_set:calls=");
    return static_cast<std::int64_t>(sum);
  }
  // The median of so many, with a pause before each.
  double round_trip_us(std::size_t count, Nanoseconds pause) {
    std::vector<double> times;
    while (times.size() < count) {
      if (pause > 0) sleep_ns(pause);
      const Nanoseconds began = now_ns();
      text("PING");
      times.push_back(static_cast<double>(now_ns() - began) / 1000);
    }
    std::nth_element(times.begin(), times.begin() + count / 2, times.end());
    return times[count / 2];
  }

 private:
  static double number(const std::string& info, const std::string& field) {
    const auto at = info.find(field);
    return at == std::string::npos ? 0 : std::atof(info.c_str() + at + field.size());
  }
  redisContext* context_;
};

// --- figures -----------------------------------------------------------------------------------

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  return values[at];
}

nlohmann::ordered_json spread(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double count = std::max<double>(1, static_cast<double>(values.size()));
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  return {{"p50", percentile(values, 0.5)},
          {"p99", percentile(values, 0.99)},
          {"max", percentile(values, 1)},
          {"mean", mean},
          {"sd_over_mean", mean > 0 ? deviation / mean : 0}};
}

double jain(const std::map<int, int>& sections_of, int clients) {
  double sum = 0;
  double squares = 0;
  for (const auto& [client, count] : sections_of) {
    sum += count;
    squares += static_cast<double>(count) * count;
  }
  return squares > 0 ? sum * sum / (clients * squares) : 0;
}

// Sections a second of one thread that needs no lock.
double ideal_rate(const Settings& settings) {
  sleep_exactly();
  const Nanoseconds began = now_ns();
  for (int section = 0; section < settings.sections; ++section) {
    if (settings.length() > 0) sleep_ns(settings.length());
  }
  return settings.sections / (static_cast<double>(now_ns() - began) / 1e9);
}

nlohmann::ordered_json figures(const Settings& settings, Board& board) {
  std::vector<double> waits;
  std::vector<double> hand_offs;
  std::map<int, int> sections_of;
  for (int number = 0; number < settings.sections; ++number) {
    const Section& section = board.section(number);
    waits.push_back(static_cast<double>(section.entered - section.asked) / 1e6);
    ++sections_of[section.client];
    if (number == 0) continue;
    const Section& before = board.section(number - 1);
    if (before.client == section.client) continue;
    hand_offs.push_back(static_cast<double>(section.entered - before.left) / 1e3);
  }
  const double seconds =
      static_cast<double>(board.section(settings.sections - 1).left - board.section(0).entered) /
      1e9;
  const double rate = settings.sections / seconds;
  nlohmann::ordered_json json;
  json["sections_per_second"] = rate;
  json["wait_ms"] = spread(waits);
  json["hand_off_us"] = spread(hand_offs);
  json["hand_offs_to_another"] =
      static_cast<double>(hand_offs.size()) / std::max(1, settings.sections - 1);
  json["jain_index"] = jain(sections_of, settings.clients);
  json["overlaps"] = board.shared().overlaps.load();
  json["failures"] = board.shared().failures.load();
  return json;
}

nlohmann::ordered_json measure(const Settings& settings) {
  Server server(address_of(settings.store));
  if (!server.is_there()) {
    std::fprintf(stderr, "contention: no server at %s: start one\n", settings.store.c_str());
    std::exit(69);
  }
  const double ideal = ideal_rate(settings);
  Board board(settings.sections);
  std::vector<pid_t> children;
  for (int process = 0; process < settings.processes; ++process) {
    const int first = settings.clients * process / settings.processes;
    const int beyond = settings.clients * (process + 1) / settings.processes;
    const pid_t child = fork();
    if (child == 0) {
      run_process(first, beyond - first, settings, board);
      std::fflush(nullptr);
      _exit(0);
    }
    children.push_back(child);
  }
  Shared& shared = board.shared();
  while (shared.ready < settings.clients && shared.failures == 0) sleep_ns(1'000'000);
  const double round_trip = server.round_trip_us(1000, 0);
  const double after_pause = server.round_trip_us(200, settings.length());
  server.text("CONFIG RESETSTAT");
  const double cpu_before = server.cpu_us();
  shared.go = true;
  while (shared.begun < settings.sections && shared.failures == 0) sleep_ns(1'000'000);
  const double cpu = server.cpu_us() - cpu_before;
  const auto commands = server.commands(settings.lock.starts_with("plain-"));
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  if (shared.begun < settings.sections) {
    std::fprintf(stderr, "contention: a client could not acquire or release\n");
    std::exit(70);
  }

  nlohmann::ordered_json json{{"benchmark", "contention"},      {"lock", settings.lock},
                              {"clients", settings.clients},    {"processes", settings.processes},
                              {"sections", settings.sections},  {"section_ms", settings.section_ms},
                              {"hand_over", settings.hand_over}};
  json.update(figures(settings, board));
  json["commands_per_section"] = static_cast<double>(commands) / settings.sections;
  json["server_cpu_us_per_section"] = cpu / settings.sections;
  const double rate = json["sections_per_second"];
  json["ideal_sections_per_second"] = ideal;
  json["ideal_rate_share"] = rate / ideal;
  json["round_trip_us"] = round_trip;
  json["round_trip_after_pause_us"] = after_pause;
  const double p50 = json["hand_off_us"]["p50"];
  const double p99 = json["hand_off_us"]["p99"];
  json["hand_off_p50_over_round_trip"] = p50 / round_trip;
  json["hand_off_p99_over_round_trip"] = p99 / round_trip;
  json["hand_off_p50_over_round_trip_after_pause"] = p50 / after_pause;
  json["hand_off_p99_over_round_trip_after_pause"] = p99 / after_pause;
  return json;
}

// Number by number. What is no number is the same in all rounds.
nlohmann::ordered_json medians(const std::vector<nlohmann::ordered_json>& rounds) {
  nlohmann::ordered_json result;
  nlohmann::ordered_json spread;
  for (const auto& [name, first] : rounds.front().items()) {
    std::vector<nlohmann::ordered_json> values;
    for (const auto& round : rounds) values.push_back(round[name]);
    if (first.is_object()) {
      result[name] = medians(values);
      continue;
    }
    std::sort(values.begin(), values.end());
    result[name] = values[values.size() / 2];
    if (values.front() != values.back()) spread[name] = {values.front(), values.back()};
  }
  if (!spread.empty()) result["spread"] = spread;
  return result;
}

void print(const nlohmann::ordered_json& json) {
  for (const auto& [name, value] : json.items()) {
    std::printf("%-30s %s\n", name.c_str(), value.dump().c_str());
  }
}

std::optional<Settings> parse(int argc, char** argv) {
  Settings settings;
  for (int at = 1; at < argc; ++at) {
    const std::string flag = argv[at];
    if (flag == "--json") {
      settings.json = true;
      continue;
    }
    if (at + 1 == argc) return std::nullopt;
    const char* const value = argv[++at];
    if (flag == "--store") {
      settings.store = value;
    } else if (flag == "--clients") {
      settings.clients = std::atoi(value);
    } else if (flag == "--processes") {
      settings.processes = std::atoi(value);
    } else if (flag == "--sections") {
      settings.sections = std::atoi(value);
    } else if (flag == "--section-ms") {
      settings.section_ms = std::atof(value);
    } else if (flag == "--hand-over") {
      settings.hand_over = std::atoi(value);
    } else if (flag == "--rounds") {
      settings.rounds = std::atoi(value);
    } else if (flag == "--lock") {
      settings.lock = value;
    } else {
      return std::nullopt;
    }
  }
  const bool known = settings.lock == "queue-lock" || settings.lock == "lease-lock" ||
                     settings.lock == "plain-poll" || settings.lock == "plain-spin";
  const bool sane = settings.clients > 0 && settings.processes > 0 && settings.sections > 0 &&
                    settings.rounds > 0 && settings.section_ms >= 0 && settings.hand_over > 0 &&
                    settings.processes <= settings.clients;
  const bool redis = settings.store.empty() || settings.store.starts_with("redis://");
  if (!known || !sane || !redis) return std::nullopt;
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Settings> settings = parse(argc, argv);
  if (!settings) {
    std::fputs(usage, stderr);
    return 64;
  }
  std::optional<interlock::test::RedisServer> own;
  if (settings->store.empty()) {
    own.emplace();
    settings->store = own->url();
  }
  std::vector<nlohmann::ordered_json> rounds;
  for (int round = 0; round < settings->rounds; ++round) rounds.push_back(measure(*settings));
  const nlohmann::ordered_json json = medians(rounds);
  if (settings->json) {
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    print(json);
  }
  return 0;
}
