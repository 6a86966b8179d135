// What the library adds to the two commands that a lock needs when nobody else wants it.
//
// Raw is a plain hiredis loop that sends the same two EVALSHA; both take turns, pair of rounds by
// pair of rounds, on one private server, so that a ratio compares like with like. Absolute figures
// depend on the machine and on what else it does; with two busy processes, so do the ratios of 64
// locks in flight, where client and server work at the same time and need a processor each. What
// bounds that rate is the larger of the two processor times, and the server's is that of raw
// hiredis with as many locks to a command.
#include <hiredis/hiredis.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "figures.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "library_pairs.hpp"
#include "raw_locks.hpp"
#include "support/fault_proxy.hpp"
#include "support/redis_server.hpp"

namespace {

using interlock::local_now;
using interlock::TimePoint;
using interlock::benchmark::blocking_pairs;
using interlock::benchmark::cpu_us;
using interlock::benchmark::dropped_pairs;
using interlock::benchmark::InFlight;
using interlock::benchmark::json_of;
using interlock::benchmark::own_cpu_us;
using interlock::benchmark::PlainLock;
using interlock::benchmark::RawLocks;
using interlock::benchmark::RawRedis;
using interlock::benchmark::Spread;
using interlock::benchmark::spread;

constexpr int rounds = 15;
constexpr int in_flight = 64;
constexpr int locks_a_command = 32;  // as the library does
constexpr int pairs_per_round = 3000;
// More, so that it lasts as long: it is about eight times as fast, and the first milliseconds go by
// until client and server have a processor each.
constexpr int flights_per_round = 400;

template <class Work>
double microseconds_per_pair(int pairs, const Work& work) {
  const TimePoint began = local_now();
  work();
  return static_cast<double>((local_now() - began).count()) / pairs;
}

// --- one transport -----------------------------------------------------------------------------

// What each round gave, by name.
using Series = std::map<std::string, std::vector<double>>;

Series measure(const std::string& url, redisContext* context, pid_t server) {
  RawRedis redis(context);
  RawLocks raw(redis);
  PlainLock plain(redis);
  interlock::Client client(*interlock::redis::backend(url));
  Series series;
  const auto repeat = [](int times, int pairs, const auto& work) {
    return microseconds_per_pair(times * pairs, [&] {
      for (int i = 0; i < times; ++i) work();
    });
  };
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    std::map<std::string, double> us;
    us["raw"] = repeat(pairs_per_round, 1, [&] { raw.pair(); });
    us["interlock"] =
        microseconds_per_pair(pairs_per_round, [&] { blocking_pairs(client, pairs_per_round); });
    us["dropped"] =
        microseconds_per_pair(pairs_per_round, [&] { dropped_pairs(client, pairs_per_round); });
    us["interlock_unfair"] = microseconds_per_pair(
        pairs_per_round, [&] { blocking_pairs(client, pairs_per_round, false); });
    us["raw_unfair"] = repeat(pairs_per_round, 1, [&] { raw.unfair_pair(); });
    us["bare"] = repeat(pairs_per_round, 1, [&] {
      plain.try_acquire("plain-lock", "benchmark-owner");
      plain.release("plain-lock", "benchmark-owner");
    });
    constexpr int flown = flights_per_round * in_flight;
    const auto fly = [&](const std::string& name, bool fair) {
      const double client_before = own_cpu_us();
      const double server_before = cpu_us(server);
      us[name] = microseconds_per_pair(
          flown, [&] { InFlight(client, fair).run(in_flight, flights_per_round); });
      us[name + "_client_cpu"] = (own_cpu_us() - client_before) / flown;
      us[name + "_server_cpu"] = (cpu_us(server) - server_before) / flown;
    };
    fly("in_flight", true);
    fly("in_flight_unfair", false);
    us["raw_in_flight"] =
        repeat(flights_per_round, in_flight, [&] { raw.pairs_in_flight(in_flight, 1); });
    us["raw_joined"] = repeat(flights_per_round, in_flight,
                              [&] { raw.pairs_in_flight(in_flight, locks_a_command); });
    if (round < 0) continue;

    for (const auto& [name, value] : us) series[name + "_us"].push_back(value);
    series["acquire_release_over_raw"].push_back(us["interlock"] / us["raw"]);
    series["acquire_release_over_set_nx"].push_back(us["interlock"] / us["bare"]);
    series["dropped_over_set_nx"].push_back(us["dropped"] / us["bare"]);
    series["released_over_dropped"].push_back(us["interlock"] / us["dropped"]);
    series["unfair_over_raw"].push_back(us["interlock_unfair"] / us["raw_unfair"]);
    series["unfair_over_set_nx"].push_back(us["interlock_unfair"] / us["bare"]);
    series["in_flight_64_over_blocking"].push_back(us["interlock"] / us["in_flight"]);
    series["unfair_in_flight_64_over_blocking"].push_back(us["interlock_unfair"] /
                                                          us["in_flight_unfair"]);
    series["raw_in_flight_64_over_blocking"].push_back(us["raw_unfair"] / us["raw_in_flight"]);
    series["raw_joined_64_over_blocking"].push_back(us["raw_unfair"] / us["raw_joined"]);
  }
  return series;
}

// --- a slower network --------------------------------------------------------------------------

constexpr interlock::Duration one_way{200};
constexpr int delayed_pairs = 100;

// Through a proxy that delays each byte by so much in each direction.
Series measure_delayed(int port) {
  interlock::test::FaultProxy proxy(port);
  proxy.delay(one_way);
  interlock::Client client(
      *interlock::redis::backend("redis://127.0.0.1:" + std::to_string(proxy.port())));
  Series series;
  for (int round = -1; round < rounds; ++round) {
    const double released =
        microseconds_per_pair(delayed_pairs, [&] { blocking_pairs(client, delayed_pairs); });
    const double dropped =
        microseconds_per_pair(delayed_pairs, [&] { dropped_pairs(client, delayed_pairs); });
    if (round < 0) continue;
    series["interlock_us"].push_back(released);
    series["dropped_us"].push_back(dropped);
    series["released_over_dropped"].push_back(released / dropped);
  }
  return series;
}

// --- the report --------------------------------------------------------------------------------

struct Line {
  const char* name;
  const char* text;
};
constexpr Line lines[] = {
    {"raw_us", "raw: the same two EVALSHA, hiredis"},
    {"interlock_us", "interlock, blocking acquire + release"},
    {"dropped_us", "interlock, blocking acquire, dropped guard"},
    {"raw_unfair_us", "raw: the two EVALSHA of an unfair lock"},
    {"interlock_unfair_us", "interlock, blocking, unfair"},
    {"bare_us", "bare: SET NX PX + compare-and-delete"},
    {"in_flight_us", "interlock, 64 in flight on one connection"},
    {"in_flight_client_cpu_us", "  of that the client's processor time"},
    {"in_flight_server_cpu_us", "  and the server's"},
    {"in_flight_unfair_us", "interlock, 64 in flight, unfair"},
    {"in_flight_unfair_client_cpu_us", "  of that the client's processor time"},
    {"in_flight_unfair_server_cpu_us", "  and the server's"},
    {"raw_in_flight_us", "raw, unfair, 64 in flight, a command each"},
    {"raw_joined_us", "raw, unfair, 64 in flight, 32 to a command"},
    {"acquire_release_over_raw", "ratio interlock / raw"},
    {"acquire_release_over_set_nx", "ratio interlock / bare"},
    {"dropped_over_set_nx", "ratio interlock, dropped / bare"},
    {"released_over_dropped", "ratio interlock, released / dropped"},
    {"unfair_over_raw", "ratio unfair interlock / raw"},
    {"unfair_over_set_nx", "ratio unfair interlock / bare"},
    {"in_flight_64_over_blocking", "ratio 64 in flight : blocking rate"},
    {"unfair_in_flight_64_over_blocking", "the same, unfair"},
    {"raw_in_flight_64_over_blocking", "the same for raw, unfair, a command each"},
    {"raw_joined_64_over_blocking", "the same for raw, unfair, 32 to a command"},
};

bool is_time(const std::string& name) {
  return name.ends_with("_us");
}

void print(const char* transport, const Series& series) {
  std::printf("%s\n", transport);
  for (const Line& line : lines) {
    if (!series.contains(line.name)) continue;
    const Spread figure = spread(series.at(line.name));
    std::printf("  %-44s %7.2f %s  [%.2f .. %.2f]\n", line.text, figure.median,
                is_time(line.name) ? "us/pair" : "       ", figure.lowest, figure.highest);
  }
}

nlohmann::json times_of(const Series& series) {
  nlohmann::json times;
  for (const auto& [name, values] : series) {
    if (is_time(name)) times[name] = json_of(spread(values));
  }
  return times;
}

void add_ratios(nlohmann::json& ratios, const std::string& transport, const Series& series) {
  for (const auto& [name, values] : series) {
    if (!is_time(name)) ratios[transport + "_" + name] = json_of(spread(values));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc == 2 && std::strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    std::fprintf(stderr, "usage: uncontended [--json]\n");
    return 64;
  }
  interlock::test::RedisServer server;
  const Series tcp = measure(server.url(), redisConnect("127.0.0.1", server.port()), server.pid());
  const Series unix_socket =
      measure(server.unix_url(), redisConnectUnix(server.unix_socket().c_str()), server.pid());
  const Series delayed = measure_delayed(server.port());
  if (!json) {
    print("TCP, loopback", tcp);
    print("unix socket", unix_socket);
    print("TCP, each message delayed by 200 us", delayed);
    return 0;
  }
  nlohmann::json out = {{"benchmark", "uncontended"},         {"rounds", rounds},
                        {"pairs_per_round", pairs_per_round}, {"tcp", times_of(tcp)},
                        {"unix", times_of(unix_socket)},      {"delayed", times_of(delayed)}};
  add_ratios(out["ratios"], "tcp", tcp);
  add_ratios(out["ratios"], "unix", unix_socket);
  add_ratios(out["ratios"], "delayed", delayed);
  std::printf("%s\n", out.dump(2).c_str());
  return 0;
}
