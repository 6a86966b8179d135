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
// The figures are compared with one thread that has as many sections and no lock, in the same
// round, and with round trips of PING, back to back, and with a section's length between two,
// because a processor that has slept wakes slowly and a hand-off comes after such a pause. Figures
// are medians of the rounds; `spread` gives the least and the greatest.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "board.hpp"
#include "board_figures.hpp"
#include "clock.hpp"
#include "contenders.hpp"
#include "server.hpp"
#include "settings.hpp"
#include "support/redis_server.hpp"

namespace interlock::contention {
namespace {

constexpr const char* usage =
    "usage: contention [--store redis://HOST:PORT] [--clients N] [--processes N] [--sections N]\n"
    "                  [--section-ms MS] [--rounds N] [--lock ID] [--hand-over N] [--json]\n"
    "  hand over: so many sections of a process under one grant (queue-lock; 1: each its own)\n"
    "  locks: queue-lock, lease-lock, plain-poll, plain-spin; without a store: a server of its "
    "own\n";

// Sections a second of one thread that needs no lock.
double ideal_rate(const ContentionSettings& settings) {
  sleep_exactly();
  const Nanoseconds began = now_ns();
  for (int section = 0; section < settings.sections; ++section) {
    if (settings.length() > 0) sleep_ns(settings.length());
  }
  return settings.sections / (static_cast<double>(now_ns() - began) / 1e9);
}

nlohmann::ordered_json measure(const ContentionSettings& settings) {
  ServerProbe server(address_of(settings.store));
  if (!server.is_there()) {
    std::fprintf(stderr, "contention: no server at %s: start one\n", settings.store.c_str());
    std::exit(69);
  }
  const double ideal = ideal_rate(settings);
  SectionBoard board(settings.sections);
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
  SharedSections& shared = board.shared();
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
    values.reserve(rounds.size());
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

std::optional<ContentionSettings> parse(int argc, char** argv) {
  ContentionSettings settings;
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

int run(int argc, char** argv) {
  std::optional<ContentionSettings> settings = parse(argc, argv);
  if (!settings) {
    std::fputs(usage, stderr);
    return 64;
  }
  std::optional<test::RedisServer> own;
  if (settings->store.empty()) {
    own.emplace();
    settings->store = own->url();
  }
  std::vector<nlohmann::ordered_json> rounds;
  rounds.reserve(static_cast<std::size_t>(settings->rounds));
  for (int round = 0; round < settings->rounds; ++round) rounds.push_back(measure(*settings));
  const nlohmann::ordered_json json = medians(rounds);
  if (settings->json) {
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    print(json);
  }
  return 0;
}

}  // namespace
}  // namespace interlock::contention

int main(int argc, char** argv) {
  return interlock::contention::run(argc, argv);
}
