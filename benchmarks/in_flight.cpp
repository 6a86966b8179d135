// Thousands of locks in flight on one connection, by awaitables: the rate, and the memory that they
// take, also while the server does not answer.
//
// A lock is in flight from its claim's sending to its answer, and so is a release. Each coroutine
// acquires a lock of its own, releases it, and begins again; so no more is ever queued than callers
// wait, and that is what bounds the memory: figures are given for each lock in flight. Each number
// of locks has a process of its own; `blocking` and `raw` (plain hiredis that sends the same
// commands, as many at once) take turns with it, so that the ratios compare like with like.
#include <hiredis/hiredis.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "figures.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "library_pairs.hpp"
#include "raw_locks.hpp"
#include "support/redis_server.hpp"

namespace {

using interlock::Duration;
using interlock::local_now;
using interlock::Task;
using interlock::TimePoint;
using interlock::benchmark::blocking_pairs;
using interlock::benchmark::InFlight;
using interlock::benchmark::json_of;
using interlock::benchmark::RawLocks;
using interlock::benchmark::RawRedis;
using interlock::benchmark::spread;

constexpr const char* usage =
    "usage: in_flight [--locks N,N,...] [--rounds N] [--pairs N] [--unfair] [--json]\n"
    "  a pair is an acquire and a release; so many for each lock in flight and round (if not "
    "said:\n"
    "  25000 in all, at least 8 for each). Raw is always unfair.\n";

struct InFlightSettings {
  std::vector<int> locks{64, 256, 1000, 4000, 16000};
  int rounds = 5;
  int pairs = 0;  // as many as make a round long enough
  bool fair = true;
  bool json = false;
};

constexpr int how_many_blocking = 2000;

double pairs_a_second(int pairs, TimePoint began) {
  return pairs * 1e6 / static_cast<double>((local_now() - began).count());
}

double blocking_rate(interlock::Client& client, bool fair) {
  const TimePoint began = local_now();
  blocking_pairs(client, how_many_blocking, fair);
  return pairs_a_second(how_many_blocking, began);
}

// --- one number of locks -----------------------------------------------------------------------

double peak_kb_since(double before) {
  return std::max(0.0, interlock::benchmark::own_status_field("VmHWM") - before);
}

// Sends all claims while nobody answers: no more operations can ever wait at once.
void fall_silent_for_a_while(interlock::Client& client,
                             const interlock::test::RedisServer& server,
                             int locks,
                             bool fair) {
  InFlight flight(client, fair);
  kill(server.pid(), SIGSTOP);  // it is the parent's child: pause() could not wait for it
  client.spawn(InFlight::all(&flight, locks, 1));
  const auto asked = [](const InFlight* of) -> Task<int> { co_return of->asked(); };
  while (client.wait_for(asked(&flight)) < locks) usleep(1000);
  usleep(100'000);
  kill(server.pid(), SIGCONT);
  const auto running = [](const InFlight* of) -> Task<int> { co_return of->running(); };
  while (client.wait_for(running(&flight)) > 0) usleep(1000);
}

nlohmann::json measure(int locks,
                       const InFlightSettings& settings,
                       interlock::test::RedisServer& server) {
  RawRedis redis(redisConnectUnix(server.unix_socket().c_str()));
  RawLocks raw(redis);
  interlock::redis::Options address;
  address.unix_socket = server.unix_socket();
  address.command_timeout =
      std::chrono::seconds{30};  // thousands wait for a server that is stopped
  interlock::Client client(interlock::redis::backend(address));
  std::vector<double> blocking, flight, raw_alone, raw_joined, client_cpu, server_cpu;
  std::vector<double> over_blocking, over_raw, over_raw_joined;
  // The first milliseconds go by until client and server have a processor each.
  const int pairs_of_each = settings.pairs > 0 ? settings.pairs : std::max(8, 25'000 / locks);
  const int pairs = locks * pairs_of_each;
  double first_peak = 0;
  double last_peak = 0;
  blocking_rate(client, settings.fair);
  interlock::benchmark::forget_peak_memory();
  const double before = interlock::benchmark::own_status_field("VmRSS");
  fall_silent_for_a_while(client, server, locks, settings.fair);
  const double silent = peak_kb_since(before);
  for (int round = -1; round < settings.rounds; ++round) {  // the first one warms up
    const double b = blocking_rate(client, settings.fair);
    const double client_before = interlock::benchmark::own_cpu_us();
    const double server_before = interlock::benchmark::cpu_us(server.pid());
    TimePoint began = local_now();
    InFlight(client, settings.fair).run(locks, pairs_of_each);
    const double f = pairs_a_second(pairs, began);
    last_peak = peak_kb_since(before);
    if (round < 0) first_peak = last_peak;
    const double client_spent = interlock::benchmark::own_cpu_us() - client_before;
    const double server_spent = interlock::benchmark::cpu_us(server.pid()) - server_before;
    const auto raw_rate = [&](int joined) {
      began = local_now();
      for (int i = 0; i < pairs_of_each; ++i) raw.pairs_in_flight(locks, joined);
      return pairs_a_second(pairs, began);
    };
    const double r = raw_rate(1);
    const double j = raw_rate(32);
    if (round < 0) continue;
    blocking.push_back(b);
    flight.push_back(f);
    raw_alone.push_back(r);
    raw_joined.push_back(j);
    client_cpu.push_back(client_spent / pairs);
    server_cpu.push_back(server_spent / pairs);
    over_blocking.push_back(f / b);
    over_raw.push_back(f / r);
    over_raw_joined.push_back(f / j);
  }
  return {{"locks", locks},
          {"pairs_of_each", pairs_of_each},
          {"pairs_per_second", json_of(spread(flight))},
          {"blocking_pairs_per_second", json_of(spread(blocking))},
          {"raw_pairs_per_second", json_of(spread(raw_alone))},
          {"raw_joined_pairs_per_second", json_of(spread(raw_joined))},
          {"client_cpu_us_per_pair", json_of(spread(client_cpu))},
          {"server_cpu_us_per_pair", json_of(spread(server_cpu))},
          {"over_blocking", json_of(spread(over_blocking))},
          {"over_raw", json_of(spread(over_raw))},
          {"over_raw_joined", json_of(spread(over_raw_joined))},
          {"peak_kb", last_peak},
          {"peak_kb_after_first_round", first_peak},
          {"peak_bytes_per_lock", last_peak * 1024 / locks},
          {"peak_kb_after_silence", silent}};
}

// In a process of its own, so that its memory is its own.
nlohmann::json measured_apart(int locks,
                              const InFlightSettings& settings,
                              interlock::test::RedisServer& server) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string text = measure(locks, settings, server).dump();
    const bool written =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 70);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t size = 0; (size = read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("a measurement failed");
  return nlohmann::json::parse(text);
}

void print(const nlohmann::json& row) {
  const auto line = [&](const char* what, const char* field, int digits) {
    const nlohmann::json& s = row.at(field);
    std::printf("  %-44s %10.*f  [%.*f .. %.*f]\n", what, digits, s.at("median").get<double>(),
                digits, s.at("min").get<double>(), digits, s.at("max").get<double>());
  };
  std::printf("%d locks in flight\n", row.at("locks").get<int>());
  line("pairs a second", "pairs_per_second", 0);
  line("ratio to blocking", "over_blocking", 2);
  line("ratio to raw, a command each", "over_raw", 2);
  line("ratio to raw, 32 to a command", "over_raw_joined", 2);
  line("client's processor time, us a pair", "client_cpu_us_per_pair", 2);
  line("server's processor time, us a pair", "server_cpu_us_per_pair", 2);
  const auto memory = [&](const char* what, const char* field, const char* unit) {
    std::printf("  %-44s %10.0f %s\n", what, row.at(field).get<double>(), unit);
  };
  memory("peak memory: all claims sent, none answered", "peak_kb_after_silence", "kB");
  memory("  after the first round", "peak_kb_after_first_round", "kB");
  memory("  after the last", "peak_kb", "kB");
  memory("  for each lock", "peak_bytes_per_lock", "bytes");
}

std::vector<int> numbers(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    numbers.push_back(std::atoi(text.substr(at, end - at).c_str()));
    at = end + 1;
  }
  return numbers;
}

bool parse(int argc, char** argv, InFlightSettings& settings) {
  for (int at = 1; at < argc; ++at) {
    const std::string flag = argv[at];
    if (flag == "--json") {
      settings.json = true;
    } else if (flag == "--unfair") {
      settings.fair = false;
    } else if (at + 1 == argc) {
      return false;
    } else if (flag == "--locks") {
      settings.locks = numbers(argv[++at]);
    } else if (flag == "--rounds") {
      settings.rounds = std::atoi(argv[++at]);
    } else if (flag == "--pairs") {
      settings.pairs = std::atoi(argv[++at]);
    } else {
      return false;
    }
  }
  for (const int locks : settings.locks) {
    if (locks < 1 || locks > 60'000) return false;  // more would be refused while unconnected
  }
  return !settings.locks.empty() && settings.rounds > 0 && settings.pairs >= 0;
}

}  // namespace

int main(int argc, char** argv) {
  InFlightSettings settings;
  if (!parse(argc, argv, settings)) {
    std::fputs(usage, stderr);
    return 64;
  }
  interlock::test::RedisServer server;
  nlohmann::json rows = nlohmann::json::array();
  nlohmann::json ratios = nlohmann::json::object();
  for (const int locks : settings.locks) {
    rows.push_back(measured_apart(locks, settings, server));
    const std::string name = "in_flight_" + std::to_string(locks);
    ratios[name + "_over_blocking"] = rows.back().at("over_blocking");
    ratios[name + "_over_raw"] = rows.back().at("over_raw");
    ratios[name + "_over_raw_joined"] = rows.back().at("over_raw_joined");
    if (!settings.json) print(rows.back());
  }
  if (settings.json) {
    const nlohmann::json out = {{"benchmark", "in_flight"},
                                {"rounds", settings.rounds},
                                {"lock", settings.fair ? "queue-lock" : "lease-lock"},
                                {"ratios", ratios},
                                {"in_flight", rows}};
    std::printf("%s\n", out.dump(2).c_str());
  }
  return 0;
}
