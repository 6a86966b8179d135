// Real processes that contend for locks of a real server, each through a network that can fail, and
// what is done to them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "history.hpp"
#include "probe.hpp"
#include "program.hpp"
#include "support/fault_proxy.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"
#include "support/sentinel_trio.hpp"

namespace interlock::test {

// Random numbers that are the same everywhere for the same seed.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  milliseconds between(milliseconds least, milliseconds most) {
    return least + milliseconds{below(static_cast<std::size_t>((most - least).count() + 1))};
  }

 private:
  std::mt19937_64 engine_;
};

// A process with a client and threads that contend. Killed at the end of the object's life.
class Worker {
 public:
  // `store`: a URL. `pipe`: into which it writes records. Each contender reads LOCK:MODE
  // (HoldMode).
  Worker(int number,
         const std::string& store,
         int pipe,
         std::uint64_t seed,
         Ttl ttl,
         const std::vector<std::string>& contenders);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int number() const noexcept { return number_; }
  // SIGSTOP, in force when this returns; SIGCONT; SIGKILL, and it is gone when this returns.
  void stop();
  void resume();
  void kill();
  // SIGTERM: it ends its sections and waits, and leaves.
  void tell_to_end() const;
  // Until this is taken back, or their leases end.
  void tell_sections_to_last(bool last) const;
  // Each contender forks in its next section.
  void tell_to_fork() const;
  // Its exit code, or 128 + the signal that ended it; none while it runs.
  std::optional<int> exit_code();
  std::size_t resident_kib() const;
  // True: from now on it gets no descriptor more. False: it gets as many as it wants again.
  void limit_descriptors(bool limited) const;

 private:
  int number_;
  pid_t pid_ = 0;
  std::optional<int> code_;
};

// Which servers the store has.
enum class StoreOf : std::uint8_t {
  one_server,  // each worker reaches it through a network of its own
  sentinels,   // the workers find the primary by them; no networks
  cluster,     // three primaries and their replicas; no networks
};

class WorldSettings {
 public:
  StoreOf store = StoreOf::one_server;
  std::uint64_t seed = 1;
  Ttl ttl{std::chrono::seconds{2}};
  int workers = 4;
  // Locks for which all contend alike, and one for which both kinds contend. Not for that one
  // alone.
  bool lease = true;
  bool fair = true;
  // The store has a quarantine, as long as the ttl: `after-failover=wait`.
  bool quarantine = false;
};

class World {
 public:
  explicit World(const WorldSettings& settings);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // --- time, in which records are read ---------------------------------------------------------
  void pass(Duration time);
  // False: not within the limit. A bound against hanging, not a measure.
  bool comes_true(const std::function<bool()>& condition,
                  Duration limit = std::chrono::seconds{45});

  // --- the parts -------------------------------------------------------------------------------
  RedisServer& server() { return *server_; }
  SentinelTrio& sentinels() { return *sentinels_; }
  RedisCluster& cluster() { return *cluster_; }
  // To the one server.
  std::string command(const std::vector<std::string>& parts);
  // To the one that has the lock at the moment.
  std::string command_about(const std::string& lock, const std::vector<std::string>& parts);
  // Replaces the server by one that is its replica and has, at some instant, everything.
  std::unique_ptr<RedisServer> replica();
  // From now on all connections lead there. The one before is gone.
  void move_to(std::unique_ptr<RedisServer> server);
  // From now on new connections lead to `server`. Connections that are open stay with the primary
  // before, which lives on as the new one's replica.
  void hand_over_to(std::unique_ptr<RedisServer> server);
  const std::vector<std::unique_ptr<FaultProxy>>& networks() const { return networks_; }
  // The network between this worker and the server.
  FaultProxy& network_of(const Worker& worker);
  const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }
  History& history() { return history_; }
  const std::vector<std::string>& locks() const { return locks_; }
  // How many wait in its queue.
  std::size_t queued(const std::string& lock);
  Chance& chance() { return chance_; }
  Ttl ttl() const { return settings_.ttl; }

  // --- who is concerned ------------------------------------------------------------------------
  // Stopped in the midst of a section, of that lock; or while it waits and has no section.
  // The first worker is spared where others are killed: what it needs of memory shows after hours.
  enum class Spare { nobody, the_first };
  std::pair<Worker*, std::string> stop_a_holder(Spare spared = Spare::nobody);
  Worker& stop_a_waiter(Spare spared = Spare::nobody);
  // The one that was stopped last: losses may be allowed to that one alone.
  std::optional<int> victim() const { return victim_; }
  // Those that there are now, and those that are entered next, until they may end again.
  void sections_last();
  void sections_end();
  // One more, contending for one lock: LOCK and a HoldMode, as in LOCK:fair.
  Worker& add(const std::string& contender);
  // It has been killed; another takes its place.
  void replace(const Worker& worker);
  // Others go on; true when one of them has entered.
  bool another_enters(const std::string& lock);

  // --- the program -----------------------------------------------------------------------------
  // `interlock run` of one of the locks. Its command, a process in another session and an orphan
  // are inside when this returns, and write down that they are for as long as they live.
  class Run {
   public:
    std::unique_ptr<Program> program;
    int number = 0;
    std::string lock;
  };
  Run run_program();
  // Called when its processes must have ended: the history checks that none has been seen since.
  void forget(const Run& run);

  // --- what must happen ------------------------------------------------------------------------
  // Somebody enters each lock, and everybody the fair one. Else: who does not, in words.
  std::string progress_since(TimePoint since);
  // All are told to end, do so, and leave no lock. Else what is the matter.
  std::string finish();

 private:
  void start_worker(std::size_t slot);
  std::string url_for(std::size_t slot) const;
  // The URL of the one server, which is reached by this port.
  std::string url(int port) const;
  void read_records();
  Worker* by_number(int number);
  bool is_spared(const Worker& worker, Spare spared) const;
  std::vector<std::string> contenders_of(std::size_t slot) const;

  WorldSettings settings_;
  Chance chance_;
  History history_;
  std::vector<std::string> locks_;
  std::unique_ptr<Probe> probe_;         // of the one server; ends after it, whose answer it awaits
  std::unique_ptr<RedisServer> server_;  // this, or one of the next two
  std::unique_ptr<SentinelTrio> sentinels_;
  std::unique_ptr<RedisCluster> cluster_;
  std::unique_ptr<RedisServer> demoted_;
  std::vector<std::unique_ptr<FaultProxy>> networks_;
  int pipe_[2] = {-1, -1};
  std::vector<std::unique_ptr<Worker>> workers_;
  int last_number_ = 0;
  std::optional<int> victim_;
  ScratchFolder folder_;
};

}  // namespace interlock::test
