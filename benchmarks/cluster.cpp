// What a Redis Cluster costs beside one server: an uncontended pair, the hand-over of a fair lock
// to its next waiter, and the renewals of thousands of leases, which are one command for 32 locks
// at one server and a command each in a cluster.
//
// The two are measured in turn, round by round, so that what else the machine does meets both.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "figures.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"

namespace {

using interlock::AcquireResult;
using interlock::Client;
using interlock::Duration;
using interlock::local_now;
using interlock::LockOptions;
using interlock::milliseconds;
using interlock::TimePoint;
using interlock::Ttl;
using interlock::benchmark::json_of;
using interlock::benchmark::spread;
using interlock::test::RedisCluster;
using interlock::test::RedisServer;

constexpr const char* usage =
    "usage: cluster [--rounds N] [--pairs N] [--leases N] [--ttl-ms MS] [--json]\n";

struct ClusterSettings {
  int rounds = 7;
  int pairs = 1000;
  int leases = 10'000;
  int ttl_ms = 30'000;
  bool json = false;
};

AcquireResult acquired(AcquireResult lock) {
  if (lock) return lock;
  std::fprintf(stderr, "cluster: %s\n", lock.why_not().c_str());
  std::exit(70);
}

double microseconds_since(TimePoint began) {
  return static_cast<double>((local_now() - began).count());
}

// The median pair of a thread on locks of all servers.
double pair_us(Client& client, int pairs) {
  std::vector<double> took;
  for (int n = 0; n < pairs; ++n) {
    const TimePoint began = local_now();
    AcquireResult lock = acquired(client.acquire("pair-" + std::to_string(n % 30)));
    static_cast<void>(lock->release());
    took.push_back(microseconds_since(began));
  }
  return spread(took).median;
}

class HandOver {
 public:
  double median = 0;
  double p99 = 0;
};

// From the beginning of a release to the end of the next waiter's acquire, of two clients that take
// turns.
HandOver hand_over_us(const std::string& url, int sections) {
  std::vector<double> took;
  std::atomic<std::int64_t> released_at = 0;
  const auto take_turns = [&](bool records) {
    Client client(*interlock::redis::backend(url));
    LockOptions options(Ttl(std::chrono::seconds{30}));
    options.fair = true;
    for (int n = 0; n < sections; ++n) {
      AcquireResult lock = acquired(client.acquire("turn", options));
      const std::int64_t since = released_at.exchange(0);
      if (records && since != 0) {
        took.push_back(static_cast<double>(local_now().time_since_epoch().count() - since));
      }
      // Until the other one queues.
      std::this_thread::sleep_for(milliseconds{2});
      released_at = local_now().time_since_epoch().count();
      static_cast<void>(lock->release());
    }
  };
  std::thread other([&] { take_turns(false); });
  take_turns(true);
  other.join();
  std::sort(took.begin(), took.end());
  if (took.empty()) return {};
  HandOver figures;
  figures.median = took[took.size() / 2];
  figures.p99 = took[took.size() * 99 / 100];
  return figures;
}

interlock::Task<void> acquire_all(Client* client,
                                  const ClusterSettings* settings,
                                  std::vector<interlock::Guard>* guards) {
  const LockOptions options{Ttl(milliseconds{settings->ttl_ms})};
  for (int number = 0; number < settings->leases; ++number) {
    const auto name = *interlock::LockName::parse("lease-" + std::to_string(number));
    guards->push_back(*acquired(co_await client->acquire_async(name, options)));
  }
}

class Renewals final : public interlock::EventSink {
 public:
  void on_event(const interlock::Event& event) noexcept override {
    if (event.kind == interlock::EventKind::renewed) ++renewed;
    if (event.kind == interlock::EventKind::at_risk || event.kind == interlock::EventKind::lost) {
      ++late;
    }
  }
  std::atomic<int> renewed = 0;
  std::atomic<int> late = 0;
};

class RenewalCost {
 public:
  double client_us = 0;  // of processor time, for each renewal
  double server_us = 0;
  int late = 0;
};

// Over one round of renewals, a third of the ttl.
RenewalCost renewal_cost(const std::string& url,
                         const std::vector<pid_t>& servers,
                         const ClusterSettings& settings) {
  Renewals counted;
  interlock::ClientOptions options;
  options.events = &counted;
  Client client(*interlock::redis::backend(url), options);
  std::vector<interlock::Guard> guards;
  client.wait_for(acquire_all(&client, &settings, &guards));
  const auto spent = [&] {
    double all = 0;
    for (const pid_t each : servers) all += interlock::benchmark::cpu_us(each);
    return all;
  };
  const int before = counted.renewed;
  const double client_before = interlock::benchmark::own_cpu_us();
  const double servers_before = spent();
  const TimePoint until = local_now() + milliseconds{settings.ttl_ms} / 3 + std::chrono::seconds{2};
  while (local_now() < until) std::this_thread::sleep_for(milliseconds{5});
  const double renewals = std::max(1, counted.renewed - before);
  RenewalCost cost;
  cost.client_us = (interlock::benchmark::own_cpu_us() - client_before) / renewals;
  cost.server_us = (spent() - servers_before) / renewals;
  cost.late = counted.late;
  return cost;
}

class SideBySide {
 public:
  std::vector<double> single;
  std::vector<double> clustered;
  std::vector<double> ratios;
  void add(double of_one, double of_cluster) {
    single.push_back(of_one);
    clustered.push_back(of_cluster);
    ratios.push_back(of_cluster / of_one);
  }
  nlohmann::json json() const {
    return {{"one_server", json_of(spread(single))},
            {"cluster", json_of(spread(clustered))},
            {"ratio", json_of(spread(ratios))}};
  }
};

nlohmann::json measure(const ClusterSettings& settings) {
  RedisCluster cluster;
  RedisServer single;
  Client to_cluster(*interlock::redis::backend(cluster.url()));
  Client to_one(*interlock::redis::backend(single.url()));
  SideBySide pairs;
  SideBySide medians;
  SideBySide p99;
  for (int round = 0; round < settings.rounds; ++round) {
    pairs.add(pair_us(to_one, settings.pairs), pair_us(to_cluster, settings.pairs));
    const HandOver one = hand_over_us(single.url(), settings.pairs / 4);
    const HandOver many = hand_over_us(cluster.url(), settings.pairs / 4);
    medians.add(one.median, many.median);
    p99.add(one.p99, many.p99);
  }
  const RenewalCost one = renewal_cost(single.url(), {single.pid()}, settings);
  std::vector<pid_t> servers;
  for (std::size_t n = 0; n < RedisCluster::primaries; ++n) {
    servers.push_back(cluster.primary(n).pid());
  }
  const RenewalCost many = renewal_cost(cluster.url(), servers, settings);
  SideBySide client_us;
  SideBySide server_us;
  client_us.add(one.client_us, many.client_us);
  server_us.add(one.server_us, many.server_us);
  return {{"pair_us", pairs.json()},
          {"hand_over_us", medians.json()},
          {"hand_over_p99_us", p99.json()},
          {"renewal_client_us", client_us.json()},
          {"renewal_server_us", server_us.json()},
          {"late", many.late}};
}

void print(const nlohmann::json& figures) {
  std::printf("%-28s %12s %12s   ratio [lowest .. highest]\n", "", "one server", "cluster");
  for (const char* field :
       {"pair_us", "hand_over_us", "hand_over_p99_us", "renewal_client_us", "renewal_server_us"}) {
    const nlohmann::json& of = figures.at(field);
    const nlohmann::json& ratio = of.at("ratio");
    std::printf("%-28s %12.1f %12.1f   %.2f [%.2f .. %.2f]\n", field,
                of.at("one_server").at("median").get<double>(),
                of.at("cluster").at("median").get<double>(), ratio.at("median").get<double>(),
                ratio.at("min").get<double>(), ratio.at("max").get<double>());
  }
  std::printf("leases of the cluster that were late or lost: %d\n", figures.at("late").get<int>());
}

bool parse(int argc, char** argv, ClusterSettings& settings) {
  for (int at = 1; at < argc; ++at) {
    const std::string flag = argv[at];
    if (flag == "--json") {
      settings.json = true;
      continue;
    }
    int* const number = flag == "--rounds"   ? &settings.rounds
                        : flag == "--pairs"  ? &settings.pairs
                        : flag == "--leases" ? &settings.leases
                        : flag == "--ttl-ms" ? &settings.ttl_ms
                                             : nullptr;
    if (number == nullptr || ++at == argc) return false;
    *number = std::atoi(argv[at]);
  }
  return settings.rounds > 0 && settings.pairs >= 40 && settings.leases > 0 &&
         settings.ttl_ms >= 100;
}

}  // namespace

int main(int argc, char** argv) {
  ClusterSettings settings;
  if (!parse(argc, argv, settings)) {
    std::fputs(usage, stderr);
    return 64;
  }
  nlohmann::json figures = measure(settings);
  if (!settings.json) {
    print(figures);
    return 0;
  }
  figures["benchmark"] = "cluster";
  figures["leases"] = settings.leases;
  std::printf("%s\n", figures.dump(2).c_str());
  return 0;
}
