#include "faults.hpp"

namespace interlock::test {
namespace {

// --- Sentinels -----------------------------------------------------------------------------------

class PrimaryAndReplica {
 public:
  RedisServer& primary;
  RedisServer& replica;
};

// The replica has all that the primary has.
PrimaryAndReplica servers_of(World& world) {
  SentinelTrio& trio = world.sentinels();
  RedisServer& primary = trio.primary();
  trio.wait_until_copied(primary);
  return {primary, &primary == &trio.first() ? trio.second() : trio.first()};
}

void primary_killed(World& world) {
  const PrimaryAndReplica pair = servers_of(world);
  pair.primary.kill();
  world.comes_true([&] { return world.sentinels().wait_until_primary(pair.replica); });
  world.pass(milliseconds{500});
  pair.primary.start();
  world.sentinels().wait_until_copied(pair.replica);
}

void primary_stands_still(World& world) {
  const PrimaryAndReplica pair = servers_of(world);
  pair.primary.pause();
  world.comes_true([&] { return world.sentinels().wait_until_primary(pair.replica); });
  pair.primary.resume();
  world.sentinels().wait_until_copied(pair.replica);
}

// --- a cluster -----------------------------------------------------------------------------------

std::size_t keeper_of_some_lock(World& world, std::string& lock) {
  lock = world.locks()[world.chance().below(world.locks().size())];
  std::optional<std::size_t> keeper;
  world.comes_true([&] { return (keeper = world.cluster().present_keeper(lock)).has_value(); });
  return keeper.value_or(0);
}

void server_of_a_cluster_killed(World& world) {
  std::string lock;
  const std::size_t keeper = keeper_of_some_lock(world, lock);
  world.cluster().server(keeper).kill();
  world.cluster().wait_until_kept_elsewhere(lock, keeper);
  world.cluster().server(keeper).start();
  world.cluster().wait_until_replica(keeper);
  world.cluster().wait_until_ready();
}

void server_of_a_cluster_stands_still(World& world) {
  std::string lock;
  const std::size_t keeper = keeper_of_some_lock(world, lock);
  world.cluster().server(keeper).pause();
  world.cluster().wait_until_kept_elsewhere(lock, keeper);
  world.cluster().server(keeper).resume();
  world.cluster().wait_until_replica(keeper);
  world.cluster().wait_until_ready();
}

// Each lock's slot goes to another server, and comes back.
void slots_moved(World& world) {
  RedisCluster& cluster = world.cluster();
  for (const std::string& lock : world.locks()) {
    const auto from = cluster.present_keeper(lock);
    const auto to = from ? cluster.other_primary(*from) : std::nullopt;
    if (!to) continue;
    cluster.move(cluster.slot_of(lock), *from, *to);
    world.pass(milliseconds{300});
    cluster.move(cluster.slot_of(lock), *to, *from);
  }
}

// --- and what is promised ------------------------------------------------------------------------

Promise failover(const std::string& waiters) {
  Promise promise;
  promise.exclusion = false;
  promise.losses = Losses::of_anybody;
  promise.store_is_away = true;
  promise.holders =
      "holders keep their leases if these outlast the failover and the new primary has them; the "
      "clients tell the others of the loss";
  promise.waiters = waiters;
  return promise;
}

}  // namespace

std::vector<Fault> faults_of_several_servers() {
  const Promise by_sentinels =
      failover("waiters go on waiting, and enter as soon as the new primary is named");
  const Promise in_a_cluster = failover(
      "waiters for the locks of that server go on waiting until its replica serves; the others "
      "notice nothing");
  Promise moves;
  moves.store_is_away = true;
  moves.holders = "holders keep their leases if moving one slot takes no longer";
  moves.waiters =
      "waiters go on waiting; one that listens at the old server may be passed over once";
  return {
      {"sentinel-failover", "sentinel", "The primary is killed, and comes back as a replica",
       by_sentinels, primary_killed, false, StoreOf::sentinels},
      {"sentinel-failover-silent", "sentinel",
       "The primary stands still until another has replaced it, and goes on", by_sentinels,
       primary_stands_still, false, StoreOf::sentinels},
      {"cluster-failover", "cluster", "The server of a lock is killed, and comes back as a replica",
       in_a_cluster, server_of_a_cluster_killed, false, StoreOf::cluster},
      {"cluster-failover-silent", "cluster",
       "The server of a lock stands still until its replica has replaced it, and goes on",
       in_a_cluster, server_of_a_cluster_stands_still, false, StoreOf::cluster},
      {"slot-migration", "cluster", "The slots of the locks are moved to other servers, and back",
       moves, slots_moved, false, StoreOf::cluster},
  };
}

WorldSettings Fault::settings() const {
  WorldSettings settings;
  settings.quarantine = quarantine;
  settings.store = store;
  // A lease outlasts a failover, of about two seconds.
  if (store != StoreOf::one_server) settings.ttl = Ttl(std::chrono::seconds{8});
  return settings;
}

}  // namespace interlock::test
