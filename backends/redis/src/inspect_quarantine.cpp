#include "inspect_quarantine.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string>
#include <utility>

#include "inspect.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/noted_incarnation.hpp"

namespace interlock::redis {
namespace {

using Grade = Finding::Grade;

std::string for_a_shell(const std::string& word) {
  const bool is_plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/.:_-").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// What begins a command line for this server. The password stays out of it: redis-cli asks.
std::string redis_cli(const ServerInfo& info, const Options& options) {
  std::string line = "redis-cli";
  if (!options.unix_socket.empty()) {
    line += " -s " + for_a_shell(options.unix_socket);
  } else if (options.sentinel) {
    line = "on the primary's machine, " + line + " -p " + info.field("tcp_port");
  } else {
    line += " -h " + for_a_shell(options.host) + " -p " + std::to_string(options.port);
  }
  line += " -n " + std::to_string(options.database);
  if (options.tls) {
    line += " --tls";
    if (!options.tls->authorities.empty()) {
      line += " --cacert " + for_a_shell(options.tls->authorities);
    }
  }
  if (!options.user.empty()) line += " --user " + for_a_shell(options.user);
  if (!options.password.empty()) line += " --askpass";
  return line;
}

class QuarantineInspection {
 public:
  QuarantineInspection(ServerQuestions& server,
                       const ServerInfo& info,
                       const Options& options,
                       const Quarantine& quarantine)
      : server_(server),
        info_(info),
        quarantine_(quarantine),
        redis_cli_(redis_cli(info, options)) {}

  std::vector<Finding> all_findings() {
    old_primary();
    const auto note = usable_note();
    if (note) incarnation(NotedIncarnation::parse(*note));
    return std::move(findings_);
  }

 private:
  void add(Grade grade, std::string subject, std::string fact, std::string advice = {}) {
    findings_.emplace_back(grade, std::move(subject), std::move(fact), std::move(advice));
  }

  // None: CONFIG is forbidden, or does not know it.
  std::optional<std::int64_t> setting(const char* name) {
    const Reply answer = server_.ask("CONFIG", "GET", name);
    const auto* pair = answer ? answer->list() : nullptr;
    const auto* text = pair != nullptr && pair->size() == 2 ? (*pair)[1].text() : nullptr;
    if (text == nullptr) return std::nullopt;
    return detail::parse_number<std::int64_t>(*text);
  }

  // A primary that is cut off, and does not know that another one was promoted, must stop to grant
  // locks before the quarantine of the other one ends.
  void old_primary() {
    const std::int64_t replicas = info_.number("connected_slaves");
    const std::string count = std::to_string(replicas);
    const auto needed = setting("min-replicas-to-write");
    const auto lag = setting("min-replicas-max-lag");
    if (!needed || !lag) {
      add(Grade::warning, "replicas", count + ": min-replicas-to-write is not told",
          "see that it is the number of replicas, and max-lag in the URL is min-replicas-max-lag");
    } else if (*needed == 0 && replicas == 0) {
      add(Grade::good, "replicas", "none: no failover can forget a lock");
    } else if (*needed < replicas) {
      too_few_are_needed(count, *needed);
    } else if (quarantine_.old_primary <= std::chrono::seconds{*lag}) {
      add(Grade::warning, "replicas",
          count + ": a primary that is cut off grants locks for " + std::to_string(*lag) +
              " s (min-replicas-max-lag), and the quarantine does not count that in",
          "write max-lag=" + std::to_string(*lag) + "s into the URL of all clients");
    } else {
      add(Grade::good, "replicas",
          count + ": a primary that is cut off stops within " + std::to_string(*lag) +
              " s, which the quarantine counts in");
    }
  }

  // One replica is promoted; each of the others may stay on the side of the old primary.
  void too_few_are_needed(const std::string& replicas, std::int64_t needed) {
    const std::string stays =
        needed == 0 ? ""
                    : " if " + std::to_string(needed) +
                          (needed == 1 ? " of them stays with it" : " of them stay with it");
    add(Grade::warning, "replicas",
        replicas + ": a primary that is replaced grants locks for ever" + stays,
        "set min-replicas-to-write " + replicas +
            " on all servers, and min-replicas-max-lag to what max-lag in the URL of all clients "
            "says (10 s, say); after a failover no lock is granted until the new primary has " +
            replicas + (replicas == "1" ? " replica" : " replicas") +
            " again (exit code 69 after --store-outage)");
  }

  // None: it was refused, or is of another type.
  std::optional<std::string> usable_note() {
    const std::string key = incarnation_key().text();
    const std::string both = "let this user read and write the key " + key + " (ACL SETUSER)";
    const Reply known = server_.ask("GET", key);
    if (!known && says(known.error().detail(), "WRONGTYPE")) {
      add(Grade::bad, "quarantine", "the key " + key + " is of another type",
          "delete it (" + redis_cli_ + " DEL " + key + "): a quarantine begins then");
      return std::nullopt;
    }
    if (!known) {
      add(Grade::bad, "quarantine", known.error().detail(), both);
      return std::nullopt;
    }
    // The server looks whether the user may write a script's keys, and the script writes nothing.
    const Reply tried = server_.ask("EVAL", "return 0", "1", key);
    if (!tried && is_about_patterns(tried.error().detail())) {
      add(Grade::bad, "quarantine", "NOPERM: this user may not write the key " + key, both);
      return std::nullopt;
    }
    return known->text() == nullptr ? "" : *known->text();
  }

  // 0: it is over, or the server does not tell its time.
  milliseconds left_of(const NotedIncarnation& noted) {
    const Duration now = server_.time();
    if (now == Duration::zero()) return milliseconds{0};
    return std::max(noted.ends - std::chrono::floor<milliseconds>(now), milliseconds{0});
  }

  void incarnation(const std::optional<NotedIncarnation>& noted) {
    const milliseconds ours = quarantine_.lasts();
    const milliseconds longest = noted ? std::max(noted->lasts, ours) : ours;
    const std::string ttl = ", ttl up to " + in_seconds(quarantine_.longest_ttl.duration());
    const std::string present = info_.field("master_replid");
    const bool is_known = noted && noted->incarnation == present;
    if (longest > ours) {
      add(Grade::warning, "quarantine",
          "other clients have or had one of " + in_seconds(longest) + ", this URL one of " +
              in_seconds(ours),
          "give all clients of the store the same longest-ttl and max-lag");
    }
    if (!is_known) {
      add(Grade::warning, "quarantine",
          "the first request begins one: for " + in_seconds(longest) + " no lock is granted" + ttl,
          "only if nobody can hold a lock of this store, skip the first quarantine: " + redis_cli_ +
              " SET " + incarnation_key().text() + " '" + present + " 0 " +
              std::to_string(longest.count()) + "'");
      return;
    }
    const milliseconds left = left_of(*noted);
    if (left > milliseconds{0}) {
      add(Grade::warning, "quarantine", "no lock is granted for another " + in_seconds(left) + ttl,
          "wait: the server has just been promoted, has restarted, or is new");
    } else if (longest == ours) {
      add(Grade::good, "quarantine",
          "after a failover or a restart no lock is granted for " + in_seconds(ours) + ttl);
    }
  }

  ServerQuestions& server_;
  const ServerInfo& info_;
  const Quarantine& quarantine_;
  const std::string redis_cli_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> inspect_quarantine(ServerQuestions& server,
                                        const ServerInfo& info,
                                        const Options& options,
                                        const Quarantine& quarantine) {
  return QuarantineInspection(server, info, options, quarantine).all_findings();
}

std::optional<Finding> quarantine_of_others(ServerQuestions& server) {
  const std::string key = incarnation_key().text();
  const Reply known = server.ask("GET", key);
  const std::string* const text = known ? known->text() : nullptr;
  const auto noted = text != nullptr ? NotedIncarnation::parse(*text) : std::nullopt;
  if (!noted) return std::nullopt;
  return Finding(Grade::warning, "quarantine",
                 "other clients wait for " + in_seconds(noted->lasts) +
                     " after a failover, and this URL does not: it is granted locks at once",
                 "add ?after-failover=wait&longest-ttl=... to the URL, with the values of the "
                 "other clients; if there are none any more, delete the key " +
                     key);
}

}  // namespace interlock::redis
