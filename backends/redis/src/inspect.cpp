#include "inspect.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "blocking_connection.hpp"
#include "command.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/detail/sha1.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/lock_keys.hpp"
#include "lua/scripts.hpp"

namespace interlock::redis {
namespace {

using Grade = Finding::Grade;

// No lock can have this name.
constexpr const char* unused_key = "interlock:check";

// The answer to INFO, by fields.
class ServerInfo {
 public:
  explicit ServerInfo(std::string text) : text_(std::move(text)) {}

  std::string field(std::string_view name) const {
    const std::string line = "\r\n" + std::string(name) + ":";
    const auto found = text_.find(line);
    if (found == std::string::npos) return {};
    const auto begin = found + line.size();
    return text_.substr(begin, text_.find("\r\n", begin) - begin);
  }
  // The number at the beginning of the field: the first number of a version, say. 0: there is none.
  std::int64_t number(std::string_view name) const {
    const std::string text = field(name);
    std::string_view rest = text;
    return detail::take_number<std::int64_t>(rest).value_or(0);
  }

 private:
  std::string text_;
};

// `CLUSTER NODES`: "ID ADDRESS FLAGS ... SLOTS" for each; ours has the flag `myself`.
bool has_all_slots(const std::string& nodes) {
  const auto flag = nodes.find("myself");
  if (flag == std::string::npos) return false;
  const std::string line = nodes.substr(flag, nodes.find('\n', flag) - flag);
  return line.find(" 0-16383") != std::string::npos;
}

bool says(const std::string& refusal, std::string_view word) {
  return refusal.find(word) != refusal.npos;
}

std::string in_bytes(std::int64_t count) {
  constexpr std::int64_t kibibyte = 1024;
  if (count == 1) return "1 byte";
  return count < kibibyte ? std::to_string(count) + " bytes"
                          : std::to_string(count / kibibyte) + " KiB";
}

bool is_about_login(const std::string& refusal) {
  constexpr std::array<std::string_view, 4> words{"WRONGPASS", "NOAUTH", "ERR AUTH",
                                                  "invalid password"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return says(refusal, word); });
}

// NOPERM for this key or channel, and not for the command. Later servers than 7.0 say "a key".
bool is_about_patterns(const std::string& refusal) {
  constexpr std::array<std::string_view, 3> words{"to access one of the", "to access a key",
                                                  "to access a channel"};
  return says(refusal, "NOPERM") &&
         std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return says(refusal, word); });
}

class Inspection {
 public:
  explicit Inspection(std::shared_ptr<Endpoint> endpoint) : connection_(std::move(endpoint)) {}

  template <class... Parts>
  Reply ask(const Parts&... parts) {
    std::string command;
    append_command(command, parts...);
    auto answer = connection_.exchange(command);
    if (!answer) return std::move(answer).error();
    if (answer->is_error) return server_error(answer->error_text());
    return std::move(answer->value);
  }

  std::optional<Error> why_it_does_not_know_all() {
    if (auto why = why_it_does_not_know_the_latest()) return why;
    return why_it_knows_some_alone();
  }

  // A replica that is cut off from its primary would say that locks of since then are free.
  std::optional<Error> why_it_does_not_know_the_latest() {
    const Reply info = ask("INFO", "replication");
    if (!info) return info.error();
    if (info->text() == nullptr) return {};
    const ServerInfo fields(*info->text());
    if (fields.field("role") != "slave" || fields.field("master_link_status") == "up") return {};
    return Error(Errc::unavailable,
                 "this server is a replica that has lost its primary, and does not know the latest "
                 "locks: use the primary's address");
  }

  // A node of a cluster sees only its own keys, and would say that locks on other nodes are free.
  std::optional<Error> why_it_knows_some_alone() {
    const Reply info = ask("INFO", "cluster");
    if (!info) return info.error();
    if (info->text() == nullptr || ServerInfo(*info->text()).number("cluster_enabled") != 1)
      return {};
    const Reply nodes = ask("CLUSTER", "NODES");
    if (!nodes) return nodes.error();
    if (nodes->text() != nullptr && has_all_slots(*nodes->text())) return {};
    return Error(Errc::rejected,
                 "this server is one node of a Redis Cluster, which is not supported, and sees "
                 "only a part of the locks: use a server of its own for locks");
  }

  // False also if this user may not read the lock and its other keys: it is then another user's
  // lock.
  Result<bool> is_held_and_readable(const Key& lock) {
    Reply exists = ask("EXISTS", lock.text());
    if (exists && exists->number() != nullptr && *exists->number() == 0) return false;
    if (exists) {
      const Reply beside = ask("EXISTS", fencing_key(lock).text(), queue_key(lock).text());
      if (!beside) exists = beside.error();
    }
    if (!exists && is_about_patterns(exists.error().detail())) return false;
    if (!exists) return std::move(exists).error();
    return exists->number() != nullptr && *exists->number() == 1;
  }

  // Fails only if the server cannot be reached, or does not accept the user; facts that it refuses
  // to tell are left out.
  Result<std::vector<Finding>> all_findings() {
    Reply info = ask("INFO");
    const bool nothing_is_told =
        !info && (info.error().code() != Errc::rejected || is_about_login(info.error().detail()) ||
                  info.error().detail().starts_with("cannot connect to "));
    if (nothing_is_told) return std::move(info).error();
    if (info && info->text() != nullptr) {
      const ServerInfo fields(*info->text());
      if (fields.field("redis_mode") == "sentinel") {
        add(Grade::bad, "kind", "this is a Sentinel, which keeps no locks",
            "use the address of the primary that it watches");
        return std::move(findings_);
      }
      version(fields);
      role(fields);
      eviction(fields);
      persistence(fields);
      if (fields.field("role") != "slave") replicas(fields);
    } else {
      add(Grade::warning, "version", "the server does not answer INFO",
          "let this user run INFO, or check the server by hand");
    }
    scripting();
    writes();
    round_trip();
    clock();
    keys();
    messages();
    return std::move(findings_);
  }

 private:
  void add(Grade verdict, std::string subject, std::string fact, std::string advice = {}) {
    findings_.emplace_back(verdict, std::move(subject), std::move(fact), std::move(advice));
  }

  void version(const ServerInfo& info) {
    const std::string number = info.field("redis_version");
    // Before 5.0 a script that asked for the time could not write.
    if (!number.empty() && info.number("redis_version") < 5) {
      add(Grade::bad, "version", number + ": claims need 5.0", "use a newer server");
    } else {
      add(Grade::good, "version", number.empty() ? "not told" : number);
    }
    if (info.number("cluster_enabled") == 1) {
      add(Grade::bad, "cluster", "this server is part of a Redis Cluster",
          "use a server of its own for locks");
    }
  }

  void role(const ServerInfo& info) {
    if (info.field("role") == "slave") {
      add(Grade::bad, "role", "a replica refuses writes", "use the primary's address");
    } else {
      add(Grade::good, "role", "primary");
    }
  }

  void eviction(const ServerInfo& info) {
    const std::string policy = info.field("maxmemory_policy");
    const std::int64_t limit = info.number("maxmemory");
    // Counts memory as the server does: without its buffers for replicas and files.
    const std::int64_t used = info.number("used_memory") - info.number("mem_not_counted_for_evict");
    if (limit > 0 && used > limit && policy == "noeviction") {
      add(Grade::bad, "memory",
          "full: " + in_bytes(used) + " of " + in_bytes(limit) +
              " are in use, and every new lock is refused (OOM)",
          "raise maxmemory, or delete something");
    }
    if (limit <= 0) {
      add(Grade::good, "eviction", "no memory limit: keys are never evicted");
    } else if (policy == "noeviction") {
      add(Grade::good, "eviction", "noeviction: a full server refuses new locks, and keeps old");
    } else {
      add(Grade::warning, "eviction", policy + ": a full server may delete held locks",
          "set maxmemory-policy noeviction");
    }
  }

  void persistence(const ServerInfo& info) {
    if (info.number("aof_enabled") == 1) {
      append_only(info);
      return;
    }
    // INFO does not tell whether snapshots are made; CONFIG may be forbidden.
    const Reply save = ask("CONFIG", "GET", "save");
    const auto* pair = save ? save->list() : nullptr;
    const bool known = pair != nullptr && pair->size() == 2 && (*pair)[1].text() != nullptr;
    if (known && (*pair)[1].text()->empty()) {
      add(Grade::warning, "persistence", "none: a restart forgets all locks",
          "keep the server down for the longest ttl after a crash, or set appendonly yes");
    } else {
      add(Grade::warning, "persistence",
          std::string(known ? "snapshots" : "no append-only file") +
              ": a crash forgets the locks since the last snapshot",
          "set appendonly yes with appendfsync always, or use fencing tokens");
    }
  }

  void append_only(const ServerInfo&) {
    const Reply fsync = ask("CONFIG", "GET", "appendfsync");
    const auto* pair = fsync ? fsync->list() : nullptr;
    const auto* policy = pair != nullptr && pair->size() == 2 ? (*pair)[1].text() : nullptr;
    if (policy != nullptr && *policy == "always") {
      add(Grade::good, "persistence", "append-only file, written before every answer");
    } else {
      add(Grade::warning, "persistence",
          "append-only file, " + (policy != nullptr ? "appendfsync " + *policy : "policy unknown") +
              ": a crash of the machine forgets the last moments",
          "set appendfsync always, or use fencing tokens");
    }
  }

  void replicas(const ServerInfo& info) {
    const std::int64_t count = info.number("connected_slaves");
    if (count == 0) {
      add(Grade::good, "replicas", "none: no failover can forget a lock");
    } else {
      add(Grade::warning, "replicas",
          std::to_string(count) + ": a failover forgets locks that were not yet copied",
          "use fencing tokens where a second holder would do harm");
    }
  }

  void scripting() {
    const std::string script(lua::rights);
    const std::string digest = detail::sha1_hex(script);
    Reply reply = ask("EVALSHA", digest, "0", unused_key);
    if (!reply && reply.error().detail().starts_with("NOSCRIPT")) {
      reply = ask("EVAL", script, "0", unused_key);
    }
    if (reply) {
      add(Grade::good, "scripts", "EVAL and EVALSHA work");
      if (reply->text() != nullptr) rights(*reply->text());
      return;
    }
    const std::string& why = reply.error().detail();
    add(Grade::bad, "scripts", "refused: " + why,
        says(why, "NOPERM")
            ? "let this user run EVAL and EVALSHA: acquire, renew and release are scripts"
            : "mend what the server names: acquire, renew and release are scripts");
  }

  void rights(const std::string& refused) {
    if (refused.empty()) return;
    add(Grade::bad, "rights", "NOPERM: this user may not run" + refused,
        "let this user run all that locks need (ACL SETUSER; the README has the list)");
  }

  // Tries a write, with a key that does not exist: with too few replicas, or a disk that fails, a
  // server refuses every write, and INFO does not say so.
  void writes() {
    const Reply reply = ask("DEL", unused_key);
    if (reply) return;
    const std::string& why = reply.error().detail();
    const bool too_few_replicas = says(why, "NOREPLICAS");
    if (!too_few_replicas && reply.error().code() != Errc::rejected) return;
    // NOPERM may concern only this key, and role() has reported a replica.
    if (says(why, "NOPERM") || says(why, "READONLY")) return;
    add(Grade::bad, "writes", "refused: " + why,
        "mend what the server names: until then no lock is granted or released");
  }

  void round_trip() {
    std::array<Clock::duration, 21> times{};
    for (Clock::duration& time : times) {
      const auto begin = Clock::now();
      if (const Reply pong = ask("PING"); !pong) return;
      time = Clock::now() - begin;
    }
    std::sort(times.begin(), times.end());
    const auto median = std::chrono::round<Duration>(times[times.size() / 2]);
    const bool slow = median > milliseconds{100};
    add(slow ? Grade::warning : Grade::good, "round trip",
        std::to_string(median.count()) + " us (median of 21 PING)",
        slow ? "choose ttls well above ten round trips" : "");
  }

  // Nothing depends on this difference; it only makes the times in logs comparable.
  void clock() {
    const Reply time = ask("TIME");
    const auto local = std::chrono::system_clock::now().time_since_epoch();
    const auto* pair = time ? time->list() : nullptr;
    if (pair == nullptr || pair->size() != 2) return;
    std::array<std::int64_t, 2> numbers{};
    for (std::size_t index = 0; index < 2; ++index) {
      const auto* text = (*pair)[index].text();
      if (text == nullptr) return;
      numbers[index] = detail::parse_number<std::int64_t>(*text).value_or(0);
    }
    const Duration server = std::chrono::seconds{numbers[0]} + Duration{numbers[1]};
    const auto ahead = std::chrono::round<milliseconds>(server - local).count();
    const bool close = std::abs(ahead) < 1000;
    add(close ? Grade::good : Grade::warning, "clock",
        "the server's is " + std::to_string(std::abs(ahead)) + " ms " +
            (ahead < 0 ? "behind" : "ahead of") + " this machine's",
        close ? "" : "synchronise the clocks: locks do not depend on it, logs do");
  }

  // It does not say which keys: only users who may run ACL GETUSER can ask for the patterns.
  void keys() {
    const Reply reply = ask("GET", unused_key);
    if (reply || !is_about_patterns(reply.error().detail())) return;
    add(Grade::good, "keys",
        "only some, by this user's patterns: a lock whose name does not match them is refused");
  }

  // Called last, because a connection that listens can send no other commands.
  void messages() {
    const Reply reply = ask("SUBSCRIBE", unused_key);
    if (reply || is_about_patterns(reply.error().detail())) return;
    if (says(reply.error().detail(), "NOPERM")) rights(" subscribe");
  }

  BlockingConnection connection_;
  std::vector<Finding> findings_;
};

}  // namespace

Result<std::vector<Finding>> inspect_server(std::shared_ptr<Endpoint> endpoint) {
  if (endpoint->process().in_child()) return posix::used_in_child("inspecting", "the store");
  return Inspection(std::move(endpoint)).all_findings();
}

Result<std::vector<Key>> find_held_locks(std::shared_ptr<Endpoint> endpoint) {
  if (endpoint->process().in_child()) return posix::used_in_child("listing locks", "the store");
  Inspection server(std::move(endpoint));
  if (auto error = server.why_it_does_not_know_all()) return *std::move(error);
  std::set<Key> held;  // SCAN may name a key twice
  std::string cursor = "0";
  do {
    Reply page = server.ask("SCAN", cursor, "MATCH", "*:interlock:fence", "COUNT", "1000");
    if (!page) return std::move(page).error();
    const auto* parts = page->list();
    if (parts == nullptr || parts->size() != 2 || (*parts)[0].text() == nullptr ||
        (*parts)[1].list() == nullptr) {
      return Error(Errc::indeterminate, "SCAN gave an unusable answer: " + to_string(*page));
    }
    for (const Value& found : *(*parts)[1].list()) {
      if (found.text() == nullptr) continue;
      const auto lock = lock_of_fencing_key(Key(*found.text()));
      if (!lock) continue;
      const Result<bool> is_held = server.is_held_and_readable(*lock);
      if (!is_held) return is_held.error();
      if (*is_held) held.insert(*lock);
    }
    cursor = *(*parts)[0].text();
  } while (cursor != "0");
  return std::vector<Key>(held.begin(), held.end());
}

}  // namespace interlock::redis
