#include "lock/lock_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/duration_text.hpp"
#include "console/talk.hpp"
#include "console/urls.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/holder_note.hpp"
#include "lock/foreign_flags.hpp"

namespace interlock::cli {
namespace {

// Twice the safety margin, so that the lease lasts long enough to be renewed.
constexpr milliseconds shortest_ttl{20};

}  // namespace

Fallible<LockName> parse_lock_name(const std::string& text) {
  auto name = LockName::parse(text);
  if (!name) return Failure(usage, name.error().detail());
  return *name;
}

Fallible<LockName> parse_name_to_acquire(const std::string& text) {
  // The name is a key of the store and shown by `status`.
  if (is_redis_url(text) && text.find('@') != text.npos) {
    return Failure(usage, fmt::format("lock name {} is a URL of a store with a password: write "
                                      "--store before it, and then a name",
                                      printable(text, 100)));
  }
  return parse_lock_name(text);
}

Fallible<std::vector<LockName>> parse_names_to_acquire(const std::string& text) {
  std::vector<LockName> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (begin == end) {
      return Failure(usage, fmt::format("--all {}: there is no name between two commas, or at an "
                                        "end; write --all a,b",
                                        printable(text, 100)));
    }
    const std::string one = text.substr(begin, end - begin);
    if (one.front() == ' ' || one.back() == ' ') {
      return Failure(usage, fmt::format("--all {}: there is a blank beside a comma, or at an end; "
                                        "write --all a,b",
                                        printable(text, 100)));
    }
    auto name = parse_name_to_acquire(one);
    if (!name) return Failure(name.error().code, "--all: " + name.error().message);
    names.push_back(*std::move(name));
    begin = end + 1;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  // The command gets a token and an owner of each in its environment.
  constexpr std::size_t most = 200;
  if (names.size() > most) {
    return Failure(
        usage, fmt::format("--all: {} names are too many; choose at most {}", names.size(), most));
  }
  return names;
}

std::string text_of(const std::vector<LockName>& names) {
  std::string text;
  for (const LockName& each : names) text += (text.empty() ? "" : ",") + each.text();
  return text;
}

Fallible<milliseconds> parse_duration(const Given& given) {
  const ParsedDuration parsed = parse_duration(std::string_view(given.text));
  if (parsed.value) return *parsed.value;
  const int code = given.fault_code();
  switch (parsed.fault) {
    case DurationFault::no_unit:
      return Failure(code, fmt::format("{} has no unit; write {}s or {}m", given.said(),
                                       printable(given.text, 20), printable(given.text, 20)));
    case DurationFault::out_of_range:
      return Failure(code, fmt::format("{} is more than a thousand years; write 30s, 5m, 2h or 1d",
                                       given.said()));
    case DurationFault::too_exact:
      return Failure(
          code, fmt::format("{} has no whole milliseconds; write 500ms, 1.5s or 5m", given.said()));
    case DurationFault::no_duration:
      break;
  }
  return Failure(code,
                 fmt::format("{} is not a duration; write 500ms, 30s, 5m, 2h or 1d", given.said()));
}

void LockFlags::add_to(Flags& flags, int json_descriptor) {
  flags
      .value('w', "wait", "DUR", &wait,
             "how long to wait for the lock: 0, 500ms, 30s, 5m, 2h, 1d; default: forever; even "
             "with 0, a store that does not answer takes up to 6 s, and a lock file that another "
             "program keeps locked, 10 s",
             "INTERLOCK_WAIT")
      .suggested = {"0", "30s", "5m", "1h", "forever"};
  flags
      .value(0, "store-outage", "DUR", &store_outage,
             "how long of that time to keep trying while the store is unreachable, counted anew "
             "for each "
             "outage; also 0, forever; default: 10s",
             "INTERLOCK_STORE_OUTAGE")
      .suggested = {"0", "10s", "1m", "forever"};
  flags
      .value(0, "ttl", "DUR", &ttl,
             "lease time: how long the store keeps the lock without a renewal; it is renewed every "
             "ttl/3; default: 30s",
             "INTERLOCK_TTL")
      .suggested = {"10s", "30s", "1m", "5m"};
  flags.toggle(0, "fair", &fair,
               "queue for the lock: first come, first served among all that queue; the default");
  flags.toggle(
      0, "unfair", &unfair,
      "do not queue: all waiters try again at each release, and one may wait for ever; for "
      "a lock that is seldom waited for, or a Redis user without rights to lists");
  flags.value(0, "note", "TEXT", &note,
              "what `interlock status` tells others of you while you hold the lock: why, for whom; "
              "at most 256 bytes; everybody who may use the store can read it");
  flags.value('E', "conflict-exit-code", "N", &conflict,
              "exit code if the lock is not acquired; default: 75");
  store.add_to(flags);
  flags.toggle('q', "quiet", &quiet, "print nothing while waiting, or if the lock is not acquired");
  flags.toggle(
      'v', "verbose", &verbose,
      "print what is done and how long it took; a message that nobody reads never delays the "
      "lock's renewal or release, and the program's end waits for its reader");
  flags
      .value(0, "metrics", "WHERE", &metrics,
             "count for Prometheus: in a file, written anew when something has changed, at most "
             "once a second; or at http://HOST:PORT/metrics (:PORT: 127.0.0.1), while the program "
             "runs")
      .suggested = Suggestions::files();
  flags.value(0, "metrics-label", "N=V", &metrics_label,
              "a label of these metrics besides lock=LOCK: different for each of several processes "
              "that one server asks");
  // Standard output is the command's.
  const bool has_command = json_descriptor == STDERR_FILENO;
  flags.json(&json, json_descriptor,
             has_command ? "one JSON object on standard error instead of words"
                         : "one JSON object instead of words");
  flags.instead_of(flags_of_other_locks());
}

void LockFlags::add_groups_to(Flags& flags) {
  flags.toggle(0, "shared", &shared,
               "hold the lock as a reader, together with other readers; who wants it without "
               "--shared waits for all of them, and readers that come meanwhile wait behind");
  flags.value(0, "permits", "N/ALL", &permits,
              "hold N of ALL permits, as in 3/8: as many hold the lock together as there are "
              "permits for; ALL must be the same for all, and at most 1000000");
}

namespace {

Fallible<Permits> parse_permits(const Given& given) {
  std::string_view text = given.text;
  const auto wanted = detail::take_number<std::int64_t>(text);
  if (wanted && text.starts_with('/')) {
    if (const auto all = detail::parse_number<std::int64_t>(text.substr(1))) {
      auto permits = Permits::parse(*wanted, *all);
      if (permits) return *permits;
      return Failure(usage, fmt::format("{}: {}", given.said(), permits.error().detail()));
    }
  }
  return Failure(usage,
                 fmt::format("--permits '{}' says no number of permits; write --permits 3/8 for 3 "
                             "of 8",
                             printable(given.text, 40)));
}

}  // namespace

Fallible<LockOptions> LockFlags::options() const {
  LockOptions options;
  if (fair && unfair) return Failure(usage, "--fair and --unfair are opposites; give one");
  options.fair = !unfair;
  if (shared && permits) {
    return Failure(usage, "--shared and --permits exclude each other; give one");
  }
  if (unfair && (shared || permits)) {
    return Failure(usage, fmt::format("--unfair with {}: these always queue; leave --unfair out",
                                      shared ? "--shared" : "--permits"));
  }
  options.shared = shared;
  if (permits) {
    const auto parsed = parse_permits(*permits);
    if (!parsed) return parsed.error();
    options.permits = *parsed;
  }
  if (note) {
    if (const auto error = HolderNote::wrong(note->text)) {
      return Failure(usage, fmt::format("--note: {}", error->detail()));
    }
    options.note = note->text;
  }
  // A command may be ended long before its lease: what is left of an offer is too short for that.
  options.whole_ttl = true;
  if (ttl) {
    const auto duration = parse_duration(*ttl);
    if (!duration) return duration.error();
    const auto valid = Ttl::parse(*duration);
    // A shorter lease could end before its first answer comes.
    if (!valid || valid->duration() < shortest_ttl) {
      return Failure(ttl->fault_code(), fmt::format("{} is out of range; choose {}ms to 365d",
                                                    ttl->said(), shortest_ttl.count()));
    }
    options.ttl = *valid;
  }
  if (wait && wait->text != "forever") {
    const auto duration = parse_duration(*wait);
    if (!duration) return duration.error();
    options.wait = *duration;
  }
  return options;
}

std::optional<Failure> LockFlags::ttl_too_long(const Store& at) const {
  if (!ttl) return std::nullopt;
  const auto quarantine = at.backend->quarantine();
  const auto duration = parse_duration(*ttl);
  if (!quarantine || !duration || *duration <= quarantine->longest_ttl.duration()) {
    return std::nullopt;
  }
  return Failure(ttl->fault_code(),
                 fmt::format("{} is longer than the longest-ttl of the store, {}: choose a shorter "
                             "ttl, or a greater longest-ttl for all its clients",
                             ttl->said(), readable(quarantine->longest_ttl.duration())));
}

Fallible<ClientOptions> LockFlags::client_options() const {
  ClientOptions options;
  // The program takes a lock for one section. So the grant reserves one fencing token: the
  // command's, which is the one that `status` shows and `break` needs.
  options.hand_over.sections = 1;
  if (!store_outage) return options;
  if (store_outage->text == "forever") {
    options.wait_policy.outage_limit = Duration::max();
    return options;
  }
  const auto duration = parse_duration(*store_outage);
  if (!duration) return duration.error();
  options.wait_policy.outage_limit = *duration;
  return options;
}

Fallible<int> LockFlags::conflict_code() const {
  if (!conflict) return static_cast<int>(not_acquired);
  const auto code = detail::parse_number(conflict->text, 0, 255);
  if (!code) {
    return Failure(usage, fmt::format("{} is not an exit code; write 0 to 255", conflict->said()));
  }
  return *code;
}

}  // namespace interlock::cli
