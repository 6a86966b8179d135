// What `interlock run LOCK -- true` costs beside `flock FILE true`: whole processes, in turn, so
// that a machine whose speed changes changes it for all. Also what a hundred that wait cost.
//
// The wall time is what a caller waits. The processor time is that of the program with its watcher
// and its command, without the server's; it hardly depends on what else the machine does.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "interlock/local_clock.hpp"
#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"

namespace {

using interlock::local_now;
using interlock::TimePoint;
using interlock::benchmark::json_of;
using interlock::benchmark::spread;
using interlock::benchmark::status_field;
using Words = std::vector<std::string>;

constexpr const char* usage =
    "usage: program [--program PATH] [--rounds N] [--waiters N] [--seconds N] [--json]\n"
    "  PATH: the interlock to measure; default: the one beside this benchmark\n"
    "  the waiters are looked at for so many seconds\n";

struct Settings {
  std::string program;
  int rounds = 100;
  int waiters = 100;
  int seconds = 20;
  bool json = false;
};

pid_t start(const Words& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, arguments.front(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error("cannot start " + words.front());
  return pid;
}

double ms(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

class Timed {
 public:
  Timed(std::string called, Words started) : name(std::move(called)), words(std::move(started)) {}
  std::string name;
  Words words;
  std::vector<double> wall_ms, cpu_ms;

  void run(bool counts) {
    const TimePoint began = local_now();
    const pid_t pid = start(words);
    int status = 0;
    rusage spent{};
    if (wait4(pid, &status, 0, &spent) != pid || status != 0) {
      throw std::runtime_error(name + ": it failed");
    }
    if (!counts) return;
    wall_ms.push_back(static_cast<double>((local_now() - began).count()) / 1000);
    cpu_ms.push_back(ms(spent.ru_utime) + ms(spent.ru_stime));
  }
};

std::vector<double> ratios(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> result;
  for (std::size_t at = 0; at < of.size(); ++at) result.push_back(of[at] / to[at]);
  return result;
}

nlohmann::json measure_runs(const Settings& settings, std::vector<Timed> all) {
  constexpr int warm_up = 3;
  for (int round = -warm_up; round < settings.rounds; ++round) {
    for (Timed& each : all) each.run(round >= 0);
  }
  nlohmann::json figures = nlohmann::json::array();
  const Timed& flock = all.front();
  for (const Timed& each : all) {
    figures.push_back({{"command", each.name},
                       {"wall_ms", json_of(spread(each.wall_ms))},
                       {"cpu_ms", json_of(spread(each.cpu_ms))},
                       {"wall_over_flock", json_of(spread(ratios(each.wall_ms, flock.wall_ms)))},
                       {"cpu_over_flock", json_of(spread(ratios(each.cpu_ms, flock.cpu_ms)))}});
  }
  return figures;
}

// --- those that wait ---------------------------------------------------------------------------

std::filesystem::path status_of(pid_t pid) {
  return "/proc/" + std::to_string(pid) + "/status";
}

pid_t watcher_of(pid_t program) {
  const std::string number = std::to_string(program);
  std::ifstream children("/proc/" + number + "/task/" + number + "/children");
  pid_t child = 0;
  children >> child;
  return child;
}

double switches_of(pid_t pid) {
  double switches = 0;
  const auto threads = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(threads)) {
    const auto status = thread.path() / "status";
    switches += status_field(status, "voluntary_ctxt_switches");
    switches += status_field(status, "nonvoluntary_ctxt_switches");
  }
  return switches;
}

double cpu_ms_of(pid_t pid) {
  double nanoseconds = 0;
  const auto threads = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(threads)) {
    double spent = 0;
    std::ifstream(thread.path() / "schedstat") >> spent;
    nanoseconds += spent;
  }
  return nanoseconds / 1e6;
}

nlohmann::json measure_waiters(const Settings& settings, const std::string& store) {
  const auto pause = [](int seconds) {
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
  };
  const auto run = [&](const char* command, const char* argument) {
    return start({settings.program, "run", "--store", store, "--ttl", "10m", "waited-for", "--",
                  command, argument});
  };
  const pid_t holder = run("sleep", "1000");
  pause(1);
  std::vector<pid_t> all;
  all.reserve(static_cast<std::size_t>(settings.waiters));
  for (int number = 0; number < settings.waiters; ++number) all.push_back(run("true", "waited"));
  pause(5);
  const std::size_t programs = all.size();
  std::vector<double> own_kb, watcher_kb;
  for (std::size_t at = 0; at < programs; ++at) {
    const pid_t watcher = watcher_of(all[at]);
    own_kb.push_back(status_field(status_of(all[at]), "VmRSS"));
    watcher_kb.push_back(status_field(status_of(watcher), "VmRSS"));
    all.push_back(watcher);
  }
  const auto total = [&](double (*of)(pid_t)) {
    double sum = 0;
    for (const pid_t pid : all) sum += of(pid);
    return sum;
  };
  const double switches = total(switches_of);
  const double cpu = total(cpu_ms_of);
  pause(settings.seconds);
  const double switches_a_second = (total(switches_of) - switches) / settings.seconds;
  const double core_share = (total(cpu_ms_of) - cpu) / settings.seconds / 1000;
  all.resize(programs);
  all.push_back(holder);
  for (const pid_t pid : all) kill(pid, SIGTERM);
  for (const pid_t pid : all) waitpid(pid, nullptr, 0);
  return {{"resident_kb", json_of(spread(own_kb))},
          {"watcher_resident_kb", json_of(spread(watcher_kb))},
          {"context_switches_per_second", switches_a_second},
          {"core_share", core_share}};
}

nlohmann::json measure(const Settings& settings) {
  const interlock::test::ScratchFolder folder;
  interlock::test::RedisServer server;
  const std::string file = "sqlite:" + (folder.path() / "locks.sqlite3").string();
  const std::string redis = "redis://127.0.0.1:" + std::to_string(server.port());
  const auto run = [&](const std::string& store) {
    return Words{settings.program, "run", "--store", store, "lock", "--", "true"};
  };
  const std::string lock_file = (folder.path() / "flock").string();
  nlohmann::json out;
  out["runs"] = measure_runs(settings, {{"flock FILE true", {"flock", lock_file, "true"}},
                                        {"true", {"true"}},
                                        {"interlock version", {settings.program, "version"}},
                                        {"interlock run, SQLite", run(file)},
                                        {"interlock run, Redis", run(redis)}});
  out["waiting"] = {{"SQLite", measure_waiters(settings, file)},
                    {"Redis", measure_waiters(settings, redis)}};
  return out;
}

void print(const nlohmann::json& out) {
  std::printf("%-24s %26s %26s %10s\n", "", "wall ms", "processor ms", ": flock");
  const auto text = [](const nlohmann::json& s) {
    char line[64];
    std::snprintf(line, sizeof line, "%.2f [%.2f .. %.2f]", s.at("median").get<double>(),
                  s.at("min").get<double>(), s.at("max").get<double>());
    return std::string(line);
  };
  for (const nlohmann::json& each : out.at("runs")) {
    std::printf("%-24s %26s %26s %10.2f\n", each.at("command").get<std::string>().c_str(),
                text(each.at("wall_ms")).c_str(), text(each.at("cpu_ms")).c_str(),
                each.at("wall_over_flock").at("median").get<double>());
  }
  for (const auto& [store, figures] : out.at("waiting").items()) {
    std::printf(
        "waiting, %s: %.0f kB, its watcher %.0f kB; all: %.1f switches/s, %.3f %% of a core\n",
        store.c_str(), figures.at("resident_kb").at("median").get<double>(),
        figures.at("watcher_resident_kb").at("median").get<double>(),
        figures.at("context_switches_per_second").get<double>(),
        figures.at("core_share").get<double>() * 100);
  }
}

bool parse(int argc, char** argv, Settings& settings) {
  for (int at = 1; at < argc; ++at) {
    const std::string flag = argv[at];
    if (flag == "--json") {
      settings.json = true;
    } else if (at + 1 == argc) {
      return false;
    } else if (flag == "--program") {
      settings.program = argv[++at];
    } else if (flag == "--rounds") {
      settings.rounds = std::atoi(argv[++at]);
    } else if (flag == "--waiters") {
      settings.waiters = std::atoi(argv[++at]);
    } else if (flag == "--seconds") {
      settings.seconds = std::atoi(argv[++at]);
    } else {
      return false;
    }
  }
  return settings.rounds > 0 && settings.waiters > 0 && settings.seconds > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "interlock";
  if (!parse(argc, argv, settings)) {
    std::fputs(usage, stderr);
    return 64;
  }
  nlohmann::json out = measure(settings);
  if (!settings.json) {
    print(out);
    return 0;
  }
  out["benchmark"] = "program";
  out["rounds"] = settings.rounds;
  out["waiters"] = settings.waiters;
  std::printf("%s\n", out.dump(2).c_str());
  return 0;
}
