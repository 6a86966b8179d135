// The fault suite as one command: random faults for as long as is wanted, and what came of it.
#include <unistd.h>

#include <cstdio>
#include <map>
#include <numeric>
#include <optional>

#include "faults.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/local_clock.hpp"

namespace interlock::test {
namespace {

constexpr const char* usage =
    "usage: fault_suite [--seconds N] [--seed S] [--fair | --lease] [--wait] [--fault NAME]\n"
    "       fault_suite --list | --document\n"
    "Does one random thing after another to real processes that contend for locks of a real\n"
    "redis-server (its own), and checks the history of what they did. The seed decides what is "
    "done\n"
    "and to whom, not how the machine runs it. Exit code 1: a promise was broken.\n"
    "  --seconds N   how long (20)\n"
    "  --seed S      (1)\n"
    "  --fair        queue-lock alone; --lease: lease-lock alone. Else both, also on one name\n"
    "  --wait        the store has after-failover=wait: the faults for which that is meant\n"
    "  --fault NAME  this one alone, again and again; process, server, network, sentinel, "
    "cluster:\n"
    "                those of that kind. Without it: not those of the last two\n"
    "  --list        their names\n"
    "  --document    writes docs/faults.md to standard output\n";

class Options {
 public:
  std::int64_t seconds = 20;
  WorldSettings world;
  std::string fault;
  bool list = false;
  bool document = false;
};

template <class Number>
bool read(const char* text, Number& number) {
  const auto parsed = detail::parse_number<Number>(text);
  if (parsed) number = *parsed;
  return parsed.has_value();
}

std::optional<Options> parse(const std::vector<const char*>& words) {
  Options options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string word = words[at];
    const char* const value = at + 1 < words.size() ? words[at + 1] : "";
    if (word == "--fair") {
      options.world.lease = false;
    } else if (word == "--lease") {
      options.world.fair = false;
    } else if (word == "--wait") {
      options.world.quarantine = true;
    } else if (word == "--list") {
      options.list = true;
    } else if (word == "--document") {
      options.document = true;
    } else if (word == "--fault" && at + 1 < words.size()) {
      options.fault = words[++at];
    } else if (word == "--seconds" && read(value, options.seconds)) {
      ++at;
    } else if (word == "--seed" && read(value, options.world.seed)) {
      ++at;
    } else {
      return std::nullopt;
    }
  }
  if (!options.world.lease && !options.world.fair) return std::nullopt;
  for (const Fault& fault : faults()) {
    if (fault.name != options.fault && fault.group != options.fault) continue;
    const WorldSettings settings = fault.settings();
    if (fault.name == options.fault) options.world.quarantine = settings.quarantine;
    options.world.store = settings.store;
    options.world.ttl = settings.ttl;
  }
  return options;
}

// One line that is written again and again on a terminal; elsewhere nothing.
class Progress {
 public:
  ~Progress() { clear(); }
  void show(const std::string& line) const {
    if (!on_terminal_) return;
    std::printf("\r\033[K%s", line.c_str());
    std::fflush(stdout);
  }
  void clear() const {
    if (on_terminal_) std::printf("\r\033[K");
  }

 private:
  bool on_terminal_ = ::isatty(STDOUT_FILENO) == 1;
};

class Memory {
 public:
  explicit Memory(World& world) {
    for (const auto& worker : world.workers()) of_[worker->number()] = worker->resident_kib();
  }
  // How much each worker that has lived through all used at first, and how much it uses now.
  std::string since(const Memory& first) const {
    std::string text;
    for (const auto& [worker, size] : of_) {
      const auto before = first.of_.find(worker);
      if (before == first.of_.end()) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(before->second) + " -> " +
              std::to_string(size);
    }
    return text.empty() ? "no worker lived through all" : text + " KiB";
  }

 private:
  std::map<int, std::size_t> of_;
};

std::string ms(TimePoint at) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(at.time_since_epoch()).count());
}

double seconds_of(Duration length) {
  return std::chrono::duration<double>(length).count();
}

class Suite {
 public:
  explicit Suite(const Options& options) : options_(options), world_(options.world) {
    for (const Fault& fault : faults()) {
      const bool is_meant = options.fault == fault.name || options.fault == fault.group;
      const bool fits =
          fault.quarantine == options.world.quarantine && fault.store == options.world.store;
      if (fits && (options.fault.empty() || is_meant)) choice_.push_back(&fault);
    }
  }
  bool knows_the_fault() const { return !choice_.empty(); }

  int run() {
    began_ = local_now();
    const TimePoint end = began_ + std::chrono::seconds{options_.seconds};
    // What a process needs once, it has after some sections.
    world_.pass(std::min<Duration>(std::chrono::seconds{5}, (end - began_) / 4));
    const Memory first(world_);
    while (local_now() < end && trouble_.empty()) {
      do_one(*choice_[world_.chance().below(choice_.size())]);
    }
    const Memory last(world_);
    if (trouble_.empty()) trouble_ = world_.finish();
    progress_.clear();
    return report(last.since(first));
  }

 private:
  void do_one(const Fault& fault) {
    progress_.show(line(fault.name));
    const TimePoint from = local_now();
    trouble_ = live_through(world_, fault);
    Figures& figures = figures_[&fault];
    ++figures.count;
    log_.push_back(ms(from) + " to " + ms(local_now()) + " ms: " + fault.name);
    figures.longest = std::max<Duration>(figures.longest, local_now() - from);
    world_.pass(world_.chance().between(milliseconds{0}, milliseconds{700}));
  }

  std::string line(const std::string& doing) {
    std::array<char, 200> text;
    std::snprintf(text.data(), text.size(), "%6.0f of %lld s, %zu sections, %zu lost: %s",
                  seconds_of(local_now() - began_), static_cast<long long>(options_.seconds),
                  world_.history().sections().size(), world_.history().losses(), doing.c_str());
    return text.data();
  }

  int report(const std::string& memory) {
    const Findings findings = world_.history().check();
    std::printf("%-26s %6s %s\n", "fault", "times", "longest, with recovery (s)");
    int injected = 0;
    for (const Fault* fault : choice_) {
      const Figures& figures = figures_[fault];
      std::printf("%-26s %6d %8.2f\n", fault->name.c_str(), figures.count,
                  seconds_of(figures.longest));
      injected += figures.count;
    }
    const Gap gap = world_.history().longest_gap();
    std::printf("\n");
    const auto row = [](const char* what, const std::string& value) {
      std::printf("%-42s %s\n", what, value.c_str());
    };
    row("faults injected", std::to_string(injected));
    row("sections", std::to_string(world_.history().sections().size()));
    row("overlaps of valid leases", std::to_string(findings.overlaps.size()));
    row("fencing tokens out of order", std::to_string(findings.disorder.size()));
    row("lost sections", std::to_string(world_.history().losses()) + ", without a reason: " +
                             std::to_string(findings.lost_sections.size()) +
                             ", never told: " + std::to_string(findings.untold.size()));
    row("acquires that failed",
        std::to_string(world_.history().failed_acquires()) +
            ", where they should have waited: " + std::to_string(findings.failures.size()));
    std::array<char, 80> text;
    std::snprintf(text.data(), text.size(), "%.2f s, of '%s', %.1f s after the beginning",
                  seconds_of(gap.length), gap.lock.c_str(), seconds_of(gap.began - began_));
    row("longest gap between sections", text.data());
    row("memory of workers that were never killed", memory);
    std::printf("%s%s", to_string(findings).c_str(), trouble_.c_str());
    const bool fine = findings.none() && trouble_.empty();
    if (!fine) std::printf("\n");
    for (const std::string& each : log_) {
      if (!fine) std::printf("%s\n", each.c_str());
    }
    std::printf("seed %llu, %.0f s: %s\n", static_cast<unsigned long long>(options_.world.seed),
                seconds_of(local_now() - began_),
                fine ? "every promise was kept" : "PROMISES WERE BROKEN");
    return fine ? 0 : 1;
  }

  class Figures {
   public:
    int count = 0;
    Duration longest{0};
  };
  Options options_;
  World world_;
  std::vector<const Fault*> choice_;
  std::map<const Fault*, Figures> figures_;
  Progress progress_;
  TimePoint began_{};
  std::vector<std::string> log_;  // what was done, and when
  std::string trouble_;
};

int main(const std::vector<const char*>& words) {
  const auto options = parse(words);
  if (!options) {
    std::fputs(usage, stderr);
    return 64;
  }
  if (options->list || options->document) {
    if (options->document) std::fputs(faults_document().c_str(), stdout);
    for (const Fault& fault : faults()) {
      if (options->list) std::printf("%-26s %s\n", fault.name.c_str(), fault.title.c_str());
    }
    return 0;
  }
  Suite suite(*options);
  if (suite.knows_the_fault()) return suite.run();
  std::fprintf(stderr, "fault_suite: no fault '%s': see --list\n", options->fault.c_str());
  return 64;
}

}  // namespace
}  // namespace interlock::test

int main(int count, char** words) {
  return interlock::test::main(std::vector<const char*>(words + 1, words + count));
}
