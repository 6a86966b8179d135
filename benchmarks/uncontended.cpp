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
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "figures.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "raw_locks.hpp"
#include "support/redis_server.hpp"

namespace {

using interlock::Duration;
using interlock::local_now;
using interlock::TimePoint;
using interlock::benchmark::cpu_us;
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
constexpr int pairs_per_round = 48 * in_flight;

template <class Work>
double microseconds_per_pair(const Work& work) {
  const TimePoint began = local_now();
  work();
  return static_cast<double>((local_now() - began).count()) / pairs_per_round;
}

// --- the library -------------------------------------------------------------------------------

void blocking_pairs(interlock::Client& client, int pairs, bool fair) {
  const auto name = *interlock::LockName::parse("our-lock");
  interlock::LockOptions options;
  options.fair = fair;
  for (int i = 0; i < pairs; ++i) {
    auto lock = client.acquire(name, options);
    if (!lock || !lock->release()) throw std::runtime_error("pair failed: " + lock.why_not());
  }
}

interlock::Task<void> pairs_on_loop(interlock::Client* client, int number, int pairs) {
  const auto name = *interlock::LockName::parse("our-lock-" + std::to_string(number));
  for (int i = 0; i < pairs; ++i) {
    interlock::AcquireResult lock = co_await client->acquire_async(name);
    if (!lock) std::abort();
    const auto released = co_await lock->release_async();
    if (!released) std::abort();
  }
}

interlock::Task<void> all_in_flight(interlock::Client* client, int* running) {
  for (int number = 0; number < in_flight; ++number) {
    ++*running;
    const auto counted = [](interlock::Task<void> task, int* left) -> interlock::Task<void> {
      co_await task;
      --*left;
    };
    client->spawn(counted(pairs_on_loop(client, number, pairs_per_round / in_flight), running));
  }
  while (*running > 0) {
    co_await client->loop().sleep_until(client->loop().now() + Duration(200));
  }
}

// --- one transport -----------------------------------------------------------------------------

struct Figures {
  Spread raw_us, bare_us, ours_us, fair_us, in_flight_us, raw_in_flight_us, raw_joined_us;
  Spread client_cpu_us, server_cpu_us;
  Spread over_raw, over_bare, fair_over_ours, in_flight_gain, raw_in_flight_gain, raw_joined_gain;
};

Figures measure(const std::string& url, redisContext* context, pid_t server) {
  RawRedis redis(context);
  RawLocks raw(redis);
  PlainLock plain(redis);
  interlock::Client client(*interlock::redis::backend(url));
  std::vector<double> raw_us, bare_us, ours_us, fair_us, flight_us, raw_flight_us, raw_joined_us;
  std::vector<double> client_cpu, server_cpu;
  std::vector<double> over_raw, over_bare, fair_over_ours, gain, raw_gain, raw_joined_gain;
  const auto repeat = [](int times, const auto& work) {
    return microseconds_per_pair([&] {
      for (int i = 0; i < times; ++i) work();
    });
  };
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    constexpr int flights = pairs_per_round / in_flight;
    const double r = repeat(pairs_per_round, [&] { raw.pair(); });
    const double o = microseconds_per_pair([&] { blocking_pairs(client, pairs_per_round, false); });
    const double fair =
        microseconds_per_pair([&] { blocking_pairs(client, pairs_per_round, true); });
    const double b = repeat(pairs_per_round, [&] {
      plain.try_acquire("plain-lock", "benchmark-owner");
      plain.release("plain-lock", "benchmark-owner");
    });
    int running = 0;
    const double client_before = own_cpu_us();
    const double server_before = cpu_us(server);
    const double f =
        microseconds_per_pair([&] { client.wait_for(all_in_flight(&client, &running)); });
    const double client_spent = (own_cpu_us() - client_before) / pairs_per_round;
    const double server_spent = (cpu_us(server) - server_before) / pairs_per_round;
    const double rf = repeat(flights, [&] { raw.pairs_in_flight(in_flight, 1); });
    const double rj = repeat(flights, [&] { raw.pairs_in_flight(in_flight, locks_a_command); });
    if (round < 0) continue;
    client_cpu.push_back(client_spent);
    server_cpu.push_back(server_spent);
    raw_us.push_back(r);
    ours_us.push_back(o);
    fair_us.push_back(fair);
    bare_us.push_back(b);
    flight_us.push_back(f);
    raw_flight_us.push_back(rf);
    raw_joined_us.push_back(rj);
    over_raw.push_back(o / r);
    over_bare.push_back(o / b);
    fair_over_ours.push_back(fair / o);
    gain.push_back(o / f);
    raw_gain.push_back(r / rf);
    raw_joined_gain.push_back(r / rj);
  }
  return {spread(raw_us),     spread(bare_us),       spread(ours_us),        spread(fair_us),
          spread(flight_us),  spread(raw_flight_us), spread(raw_joined_us),  spread(client_cpu),
          spread(server_cpu), spread(over_raw),      spread(over_bare),      spread(fair_over_ours),
          spread(gain),       spread(raw_gain),      spread(raw_joined_gain)};
}

void print(const char* transport, const Figures& f) {
  const auto line = [](const char* what, const Spread& s, const char* unit) {
    std::printf("  %-44s %7.2f %s  [%.2f .. %.2f]\n", what, s.median, unit, s.lowest, s.highest);
  };
  std::printf("%s\n", transport);
  line("raw: the same two EVALSHA, hiredis", f.raw_us, "us/pair");
  line("interlock, blocking acquire + release", f.ours_us, "us/pair");
  line("the same with LockOptions::fair", f.fair_us, "us/pair");
  line("bare: SET NX PX + compare-and-delete", f.bare_us, "us/pair");
  line("interlock, 64 in flight on one connection", f.in_flight_us, "us/pair");
  line("  of that the client's processor time", f.client_cpu_us, "us/pair");
  line("  and the server's", f.server_cpu_us, "us/pair");
  line("raw, 64 in flight, a command each", f.raw_in_flight_us, "us/pair");
  line("raw, 64 in flight, 32 to a command", f.raw_joined_us, "us/pair");
  line("ratio interlock / raw", f.over_raw, "      ");
  line("ratio interlock / bare", f.over_bare, "      ");
  line("ratio fair / ordinary lock", f.fair_over_ours, "      ");
  line("ratio 64 in flight : blocking rate", f.in_flight_gain, "      ");
  line("the same for raw, a command each", f.raw_in_flight_gain, "      ");
  line("the same for raw, 32 to a command", f.raw_joined_gain, "      ");
}

nlohmann::json json_of(const Figures& f) {
  return {{"raw_us", json_of(f.raw_us)},
          {"bare_us", json_of(f.bare_us)},
          {"interlock_us", json_of(f.ours_us)},
          {"interlock_fair_us", json_of(f.fair_us)},
          {"in_flight_us", json_of(f.in_flight_us)},
          {"in_flight_client_cpu_us", json_of(f.client_cpu_us)},
          {"in_flight_server_cpu_us", json_of(f.server_cpu_us)},
          {"raw_in_flight_us", json_of(f.raw_in_flight_us)},
          {"raw_joined_us", json_of(f.raw_joined_us)}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc == 2 && std::strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    std::fprintf(stderr, "usage: uncontended [--json]\n");
    return 64;
  }
  interlock::test::RedisServer server;
  const Figures tcp = measure(server.url(), redisConnect("127.0.0.1", server.port()), server.pid());
  const Figures unix_socket =
      measure(server.unix_url(), redisConnectUnix(server.unix_socket().c_str()), server.pid());
  if (!json) {
    print("TCP, loopback", tcp);
    print("unix socket", unix_socket);
    return 0;
  }
  const nlohmann::json out = {
      {"benchmark", "uncontended"},
      {"rounds", rounds},
      {"pairs_per_round", pairs_per_round},
      {"ratios",
       {{"tcp_acquire_release_over_raw", json_of(tcp.over_raw)},
        {"unix_acquire_release_over_raw", json_of(unix_socket.over_raw)},
        {"tcp_acquire_release_over_set_nx", json_of(tcp.over_bare)},
        {"unix_acquire_release_over_set_nx", json_of(unix_socket.over_bare)},
        {"tcp_fair_over_ordinary", json_of(tcp.fair_over_ours)},
        {"unix_fair_over_ordinary", json_of(unix_socket.fair_over_ours)},
        {"tcp_in_flight_64_over_blocking", json_of(tcp.in_flight_gain)},
        {"unix_in_flight_64_over_blocking", json_of(unix_socket.in_flight_gain)},
        {"tcp_raw_in_flight_64_over_blocking", json_of(tcp.raw_in_flight_gain)},
        {"unix_raw_in_flight_64_over_blocking", json_of(unix_socket.raw_in_flight_gain)},
        {"tcp_raw_joined_64_over_blocking", json_of(tcp.raw_joined_gain)},
        {"unix_raw_joined_64_over_blocking", json_of(unix_socket.raw_joined_gain)}}},
      {"tcp", json_of(tcp)},
      {"unix", json_of(unix_socket)}};
  std::printf("%s\n", out.dump(2).c_str());
  return 0;
}
