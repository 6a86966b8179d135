// Ten thousand leases, held and renewed by one engine: what that costs of a core, whether one is
// ever late, and whether anything is renewed after its release.
//
// A lease is renewed when a third of it has passed. A renewal counts as late when its holder had to
// be told `at risk` before, that is when two thirds had passed; the events say so, and they say
// whether one was lost. Rounds are as long as it takes to renew all once. After the releases the
// server's own count of commands is watched for another round.
#include <hiredis/hiredis.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "figures.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/redis_server.hpp"

namespace {

using interlock::Duration;
using interlock::Event;
using interlock::EventKind;
using interlock::local_now;
using interlock::milliseconds;
using interlock::TimePoint;
using interlock::benchmark::json_of;
using interlock::benchmark::spread;

constexpr const char* usage =
    "usage: renewal [--leases N] [--ttl-ms MS] [--rounds N] [--json]\n"
    "  a round lasts a third of the ttl\n";

struct RenewalSettings {
  int leases = 10'000;
  int ttl_ms = 30'000;
  int rounds = 3;
  bool json = false;
};

class Counter final : public interlock::EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    switch (event.kind) {
      case EventKind::renewed: {
        ++renewed;
        const std::lock_guard lock(mutex_);
        took_us_.push_back(static_cast<double>(event.took.count()));
        break;
      }
      case EventKind::at_risk:
        ++late;
        break;
      case EventKind::lost:
        ++lost;
        break;
      case EventKind::error:
        ++errors;
        break;
      default:
        break;
    }
  }
  std::atomic<int> renewed = 0;
  std::atomic<int> late = 0;
  std::atomic<int> lost = 0;
  std::atomic<int> errors = 0;

  std::vector<double> took_us() const {
    const std::lock_guard lock(mutex_);
    return took_us_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<double> took_us_;
};

// What clients have sent; what scripts call does not count.
std::int64_t scripts_run(redisContext* context) {
  auto* reply = static_cast<redisReply*>(redisCommand(context, "INFO commandstats"));
  const std::string info(reply->str, static_cast<std::size_t>(reply->len));
  freeReplyObject(reply);
  const std::string field = "cmdstat_evalsha:calls=";
  const auto at = info.find(field);
  return at == std::string::npos ? 0 : std::atoll(info.c_str() + at + field.size());
}

void pause(Duration length) {
  const TimePoint until = local_now() + length;
  while (local_now() < until) usleep(1000);
}

interlock::Task<void> acquire_all(interlock::Client* client,
                                  const RenewalSettings* settings,
                                  std::vector<interlock::Guard>* guards) {
  interlock::LockOptions options{interlock::Ttl(milliseconds{settings->ttl_ms})};
  const Duration third = milliseconds{settings->ttl_ms} / 3;
  const TimePoint began = client->loop().now();
  for (int number = 0; number < settings->leases; ++number) {
    // Spread over a third of the ttl, as those of a running program are.
    const TimePoint turn = began + third * number / settings->leases;
    if (turn > client->loop().now()) co_await client->loop().sleep_until(turn);
    const auto name = *interlock::LockName::parse("lease-" + std::to_string(number));
    interlock::AcquireResult lock = co_await client->acquire_async(name, options);
    if (!lock) {
      std::fprintf(stderr, "renewal: %s\n", lock.why_not().c_str());
      std::exit(70);
    }
    guards->push_back(*std::move(lock));
  }
}

interlock::Task<int> release_all(std::vector<interlock::Guard>* guards) {
  int released = 0;
  for (interlock::Guard& guard : *guards) {
    const auto outcome = co_await guard.release_async();
    if (outcome && *outcome == interlock::ReleaseOutcome::released) ++released;
  }
  co_return released;
}

nlohmann::json measure(const RenewalSettings& settings, interlock::test::RedisServer& server) {
  Counter counter;
  interlock::ClientOptions client_options;
  client_options.events = &counter;
  interlock::Client client(*interlock::redis::backend(server.unix_url()), client_options);
  redisContext* context = redisConnectUnix(server.unix_socket().c_str());
  if (context == nullptr || context->err != 0) throw std::runtime_error("cannot connect");

  std::vector<interlock::Guard> guards;
  guards.reserve(static_cast<std::size_t>(settings.leases));
  client.wait_for(acquire_all(&client, &settings, &guards));

  std::vector<double> client_share, server_share, renewals, commands;
  const Duration round = milliseconds{settings.ttl_ms} / 3;
  for (int number = 0; number < settings.rounds; ++number) {
    const int renewed_before = counter.renewed;
    const std::int64_t commands_before = scripts_run(context);
    const double client_before = interlock::benchmark::own_cpu_us();
    const double server_before = interlock::benchmark::cpu_us(server.pid());
    const TimePoint began = local_now();
    pause(round);
    const auto elapsed = static_cast<double>((local_now() - began).count());
    client_share.push_back((interlock::benchmark::own_cpu_us() - client_before) / elapsed);
    server_share.push_back((interlock::benchmark::cpu_us(server.pid()) - server_before) / elapsed);
    renewals.push_back((counter.renewed - renewed_before) * 1e6 / elapsed);
    commands.push_back(static_cast<double>(scripts_run(context) - commands_before) * 1e6 / elapsed);
  }
  const int late = counter.late;
  const int lost = counter.lost;
  const int released = client.wait_for(release_all(&guards));

  const int renewed_before = counter.renewed;
  const std::int64_t commands_before = scripts_run(context);
  pause(round + milliseconds{100});
  const std::int64_t commands_after = scripts_run(context) - commands_before;
  const int renewals_after = counter.renewed - renewed_before;
  redisFree(context);
  return {{"renewals_per_second", json_of(spread(renewals))},
          {"commands_per_second", json_of(spread(commands))},
          {"renewal_took_us", json_of(spread(counter.took_us()))},
          {"client_core_share", json_of(spread(client_share))},
          {"server_core_share", json_of(spread(server_share))},
          {"late", late},
          {"lost", lost},
          {"errors", counter.errors.load()},
          {"released", released},
          {"renewals_after_release", renewals_after},
          {"commands_after_release", commands_after}};
}

void print(const RenewalSettings& settings, const nlohmann::json& figures) {
  const auto line = [&](const char* what, const char* field, double factor, const char* unit) {
    const nlohmann::json& s = figures.at(field);
    std::printf("  %-36s %10.2f %-4s [%.2f .. %.2f]\n", what, s.at("median").get<double>() * factor,
                unit, s.at("min").get<double>() * factor, s.at("max").get<double>() * factor);
  };
  std::printf("%d leases of %d ms\n", settings.leases, settings.ttl_ms);
  line("renewals a second", "renewals_per_second", 1, "");
  line("commands a second", "commands_per_second", 1, "");
  line("a renewal took", "renewal_took_us", 1, "us");
  line("of a core, client", "client_core_share", 100, "%");
  line("of a core, server", "server_core_share", 100, "%");
  for (const char* count :
       {"late", "lost", "errors", "released", "renewals_after_release", "commands_after_release"}) {
    std::printf("  %-36s %10d\n", count, figures.at(count).get<int>());
  }
}

bool parse(int argc, char** argv, RenewalSettings& settings) {
  for (int at = 1; at < argc; ++at) {
    const std::string flag = argv[at];
    if (flag == "--json") {
      settings.json = true;
    } else if (at + 1 == argc) {
      return false;
    } else if (flag == "--leases") {
      settings.leases = std::atoi(argv[++at]);
    } else if (flag == "--ttl-ms") {
      settings.ttl_ms = std::atoi(argv[++at]);
    } else if (flag == "--rounds") {
      settings.rounds = std::atoi(argv[++at]);
    } else {
      return false;
    }
  }
  return settings.leases > 0 && settings.ttl_ms >= 100 && settings.rounds > 0;
}

}  // namespace

int main(int argc, char** argv) {
  RenewalSettings settings;
  if (!parse(argc, argv, settings)) {
    std::fputs(usage, stderr);
    return 64;
  }
  interlock::test::RedisServer server;
  nlohmann::json out = measure(settings, server);
  if (!settings.json) {
    print(settings, out);
    return 0;
  }
  const double held = settings.leases;
  out["benchmark"] = "renewal";
  out["leases"] = settings.leases;
  out["ttl_ms"] = settings.ttl_ms;
  out["rounds"] = settings.rounds;
  out["ratios"] = {{"client_core_share", out["client_core_share"]},
                   {"server_core_share", out["server_core_share"]},
                   {"late_share", json_of(spread({out["late"].get<double>() / held}))},
                   {"lost_share", json_of(spread({out["lost"].get<double>() / held}))},
                   {"renewals_after_release_share",
                    json_of(spread({out["renewals_after_release"].get<double>() / held}))}};
  std::printf("%s\n", out.dump(2).c_str());
  return 0;
}
