#include "inspect.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "inspect_quarantine.hpp"
#include "interlock/detail/sha1.hpp"
#include "interlock/detail/wake_up_channel.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/lock_keys.hpp"
#include "lua/scripts.hpp"
#include "server_questions.hpp"

namespace interlock::redis {
namespace {

using Grade = Finding::Grade;

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

class Inspection : private ServerQuestions {
 public:
  Inspection(std::shared_ptr<Endpoint> endpoint, InspectedStore store)
      : ServerQuestions(endpoint), store_(std::move(store)), endpoint_(std::move(endpoint)) {}

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
      if (fields.field("role") != "slave") failover(fields);
    } else {
      add(Grade::warning, "version", "the server does not answer INFO",
          "let this user run INFO, or check the server by hand");
      if (store_.quarantine) {
        add(Grade::bad, "quarantine", "NOPERM: this user may not run info, which tells a failover",
            "let this user run INFO (ACL SETUSER ... +info)");
      }
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
    std::string number = info.field("redis_version");
    // The version of Redis whose commands Valkey understands is another.
    const std::string valkey = info.field("valkey_version");
    if (!valkey.empty()) number = "Valkey " + valkey + ", as Redis " + number;
    // Before 5.0 a script that asked for the time could not write.
    if (!number.empty() && info.number("redis_version") < 5) {
      add(Grade::bad, "version", number + ": claims need 5.0", "use a newer server");
    } else {
      add(Grade::good, "version", number.empty() ? "not told" : number);
    }
    if (info.number("cluster_enabled") == 1 && store_.scope == ServerScope::whole_store) {
      add(Grade::bad, "cluster", "this server is one of a Redis Cluster",
          "write redis+cluster:// to use them all");
    }
  }

  void role(const ServerInfo& info) {
    if (info.field("role") == "slave" && info.field("slave_read_only") == "0") {
      add(Grade::bad, "role", "a replica that accepts writes: the primary does not know its locks",
          "use the primary's address");
    } else if (info.field("role") == "slave") {
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
    if (store_.quarantine) {
      add(Grade::good, "persistence", "a restart may forget locks: the quarantine outlasts them");
      return;
    }
    if (known && (*pair)[1].text()->empty()) {
      add(Grade::warning, "persistence", "none: a restart forgets all locks",
          "keep the server down for the longest ttl after a crash, or set appendonly yes");
    } else {
      add(Grade::warning, "persistence",
          known
              ? "snapshots: a crash forgets the locks since the last snapshot"
              : "no append-only file, and whether there are snapshots is not known (CONFIG GET is "
                "refused): a crash forgets the locks since the last one, or all",
          "set appendonly yes with appendfsync always, or use fencing tokens");
    }
  }

  void append_only(const ServerInfo&) {
    const Reply fsync = ask("CONFIG", "GET", "appendfsync");
    const auto* pair = fsync ? fsync->list() : nullptr;
    const auto* policy = pair != nullptr && pair->size() == 2 ? (*pair)[1].text() : nullptr;
    if (store_.quarantine) {
      add(Grade::good, "persistence", "a restart may forget locks: the quarantine outlasts them");
    } else if (policy != nullptr && *policy == "always") {
      add(Grade::good, "persistence", "append-only file, written before every answer");
    } else {
      add(Grade::warning, "persistence",
          "append-only file, " + (policy != nullptr ? "appendfsync " + *policy : "policy unknown") +
              ": a crash of the machine forgets the last moments",
          "set appendfsync always, or use fencing tokens");
    }
  }

  void failover(const ServerInfo& info) {
    if (store_.quarantine) {
      for (Finding& each :
           inspect_quarantine(*this, info, endpoint_->options(), *store_.quarantine)) {
        findings_.push_back(std::move(each));
      }
      return;
    }
    replicas(info);
    if (store_.scope != ServerScope::whole_store) return;
    if (auto others = quarantine_of_others(*this)) findings_.push_back(*std::move(others));
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
    Reply reply = ask("EVALSHA", digest, "0", store_.unused_key);
    if (!reply && reply.error().detail().starts_with("NOSCRIPT")) {
      reply = ask("EVAL", script, "0", store_.unused_key);
    }
    if (reply) {
      add(Grade::good, "scripts", "EVAL and EVALSHA work");
      commands(*reply);
      return;
    }
    const std::string& why = reply.error().detail();
    add(Grade::bad, "scripts", "refused: " + why,
        says(why, "NOPERM")
            ? "let this user run EVAL and EVALSHA: acquire, renew and release are scripts"
            : "mend what the server names: acquire, renew and release are scripts");
  }

  // `answer`: that of rights.lua.
  void commands(const Value& answer) {
    const auto* lists = answer.list();
    if (lists == nullptr || lists->size() != 2) return;
    const auto refused = [&](std::size_t at) {
      const std::string* const text = (*lists)[at].text();
      return text == nullptr ? std::string() : *text;
    };
    if (!refused(0).empty()) may_not("run" + refused(0));
    if (refused(1).empty()) return;
    add(Grade::warning, "readers, permits",
        "NOPERM: this user may not run" + refused(1) + ": --shared and --permits are refused",
        "let this user run these commands, too, if it needs such locks (ACL SETUSER)");
  }

  void may_not(const std::string& what) {
    add(Grade::bad, "rights", "NOPERM: this user may not " + what,
        "let this user do all that locks need (ACL SETUSER; the README has the list)");
  }

  // Tries a write, with a key that does not exist: with too few replicas, or a disk that fails, a
  // server refuses every write, and INFO does not say so.
  void writes() {
    const Reply reply = ask("DEL", store_.unused_key);
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

  void clock() {
    const Duration server = time();
    const auto local = std::chrono::system_clock::now().time_since_epoch();
    if (server == Duration::zero()) return;
    const auto ahead = std::chrono::round<milliseconds>(server - local);
    const bool close = std::chrono::abs(ahead) < std::chrono::seconds{1};
    const std::string advice =
        store_.quarantine
            ? "synchronise the clocks of all servers: after a failover the quarantine depends on "
              "them"
            : "synchronise the clocks: locks do not depend on it, logs do";
    add(close ? Grade::good : Grade::warning, "clock",
        "the server's is " + in_seconds(std::chrono::abs(ahead)) +
            (ahead < milliseconds{0} ? " behind" : " ahead of") + " this machine's",
        close ? "" : advice);
  }

  // Which keys this user may use. Only users who may run ACL GETUSER could ask for the patterns, so
  // this tries the keys of the lock that was named, or else a key that nobody uses. LREM needs the
  // right to write, and changes nothing, because no list of a lock has an empty element.
  void keys() {
    if (!store_.looks_at_keys) return;
    if (store_.lock) {
      keys_of(*store_.lock);
      return;
    }
    if (is_refused(ask("GET", store_.unused_key))) {
      add(Grade::warning, "keys",
          "only some, by this user's patterns: a lock whose name does not match them is refused",
          "name a lock that this user is to take: interlock check LOCK");
    } else if (is_refused(ask("LREM", store_.unused_key, "0", ""))) {
      may_not("write to the keys that it may read");
    }
  }

  void keys_of(const LockName& lock) {
    bool may_use_all = true;
    for (const Key& key : lock.keys().all()) {
      const std::string what = refused_use_of(key.text());
      may_use_all = may_use_all && what.empty();
      if (!what.empty()) may_not(what);
    }
    if (!may_use_all) return;
    add(Grade::good, "keys", "this user may use those of '" + lock.text() + "'");
    keys_of_some_kinds(lock.keys().lock());
  }

  // A user may have no use for these kinds.
  void keys_of_some_kinds(const Key& lock) {
    const auto look = [&](const Key& key, const std::string& fails) {
      const std::string what = refused_use_of(key.text());
      if (what.empty()) return;
      add(Grade::warning, "keys", "NOPERM: this user may not " + what + ": " + fails,
          "let this user use all keys beside its locks (ACL SETUSER; the README has the list)");
    };
    look(holders_key(lock), "--shared and --permits are refused");
    look(last_run_key(lock), "--every and --at-least do not note their runs");
    look(leader_key(lock), "interlock elect is refused");
  }

  // Empty: this user may read and write the key.
  std::string refused_use_of(const std::string& key) {
    if (is_refused(ask("GET", key))) return "read the key " + key;
    return is_refused(ask("LREM", key, "0", "")) ? "write the key " + key : "";
  }

  // Called last, because a connection that listens can send no other commands. Each user needs the
  // channels of waiters, whatever the lock. Whether it may use the channel of a lock is tried with
  // the lock that was named. If none was named, and the user may use any key, it needs any channel.
  void messages() {
    const bool may_use_keys = !store_.lock && !is_refused(ask("GET", store_.unused_key));
    const std::string ears(detail::wake_up_prefix);
    const Reply listens = ask("SUBSCRIBE", ears + "check");
    if (!listens && !is_about_patterns(listens.error().detail())) {
      if (says(listens.error().detail(), "NOPERM")) may_not("run subscribe");
      return;
    }
    if (!listens) may_not("use the channels " + ears + "*");
    if (!store_.looks_at_keys) return;
    if (store_.lock) {
      const std::string& channel = store_.lock->keys().released().text();
      if (is_refused(ask("SUBSCRIBE", channel))) may_not("use the channel " + channel);
    } else if (may_use_keys && is_refused(ask("SUBSCRIBE", store_.unused_key))) {
      may_not("use the channels of the locks whose keys it may use");
    }
  }

  static bool is_refused(const Reply& reply) {
    return !reply && is_about_patterns(reply.error().detail());
  }

  const InspectedStore store_;
  const std::shared_ptr<Endpoint> endpoint_;
  std::vector<Finding> findings_;
};

}  // namespace

std::string in_seconds(milliseconds duration) {
  constexpr milliseconds second{1000};
  constexpr milliseconds tenth{100};
  if (duration < second) return std::to_string(duration.count()) + " ms";
  std::string text = std::to_string(duration / second);
  if (duration % second != milliseconds{0} && duration < std::chrono::minutes{2}) {
    text += "." + std::to_string(duration % second / tenth);
  }
  return text + " s";
}

Result<std::vector<Finding>> inspect_server(std::shared_ptr<Endpoint> endpoint,
                                            InspectedStore store) {
  if (endpoint->process().in_child()) return posix::used_in_child("inspecting", "the store");
  return Inspection(std::move(endpoint), std::move(store)).all_findings();
}

}  // namespace interlock::redis
