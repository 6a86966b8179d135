#include "faults.hpp"

#include <csignal>

namespace interlock::test {
namespace {

using std::chrono::seconds;

// Short beside what is left of a lease when its renewal falls due.
milliseconds a_moment(World& world) {
  return world.chance().between(milliseconds{50}, milliseconds{300});
}
// Beyond the end of every lease.
milliseconds too_long(World& world) {
  return world.ttl().duration() + milliseconds{300};
}

void all(World& world, FaultProxy::Mode mode) {
  for (const auto& network : world.networks()) network->set(mode);
}

void for_a_moment(World& world, FaultProxy::Mode mode) {
  all(world, mode);
  world.pass(a_moment(world));
  all(world, FaultProxy::Mode::forward);
}

// --- processes -----------------------------------------------------------------------------------

void holder_killed(World& world) {
  const auto [worker, lock] = world.stop_a_holder(World::Spare::the_first);
  worker->kill();
  world.replace(*worker);
  world.another_enters(lock);
}

void waiter_killed(World& world) {
  Worker& worker = world.stop_a_waiter(World::Spare::the_first);
  worker.kill();
  world.replace(worker);
}

void holder_stopped_for_a_moment(World& world) {
  Worker* const worker = world.stop_a_holder().first;
  world.pass(a_moment(world));
  worker->resume();
}

void holder_stopped_too_long(World& world) {
  const auto [worker, lock] = world.stop_a_holder();
  world.another_enters(lock);
  worker->resume();
}

void waiter_stopped(World& world) {
  Worker& worker = world.stop_a_waiter();
  world.pass(world.chance().between(milliseconds{300}, milliseconds{1200}));
  worker.resume();
}

void all_stopped_too_long(World& world) {
  world.stop_a_holder();
  for (const auto& worker : world.workers()) {
    if (worker->number() != world.victim()) worker->stop();
  }
  world.pass(too_long(world));
  for (const auto& worker : world.workers()) worker->resume();
}

void program_killed(World& world) {
  const World::Run run = world.run_program();
  world.pass(a_moment(world));
  run.program->signal(SIGKILL);
  world.another_enters(run.lock);
  world.forget(run);
}

void program_stopped_too_long(World& world) {
  const World::Run run = world.run_program();
  run.program->signal(SIGSTOP);
  world.another_enters(run.lock);
  world.forget(run);
  run.program->signal(SIGCONT);
  run.program->wait();
}

void holders_fork(World& world) {
  for (const auto& worker : world.workers()) worker->tell_to_fork();
  for (const std::string& lock : world.locks()) world.another_enters(lock);
  world.pass(a_moment(world));
}

// Connections that are closed meanwhile cannot be replaced.
void descriptors_run_out(World& world) {
  // A program needs some to start.
  for (const auto& worker : world.workers()) {
    const int number = worker->number();
    world.comes_true([&world, number] {
      return world.history().is_waiting(number) || world.history().is_inside(number);
    });
  }
  for (const auto& worker : world.workers()) worker->limit_descriptors(true);
  for (const auto& network : world.networks()) network->cut();
  world.pass(a_moment(world));
  for (const auto& worker : world.workers()) worker->limit_descriptors(false);
}

// --- the server ----------------------------------------------------------------------------------

void restarted_with_data(World& world) {
  if (world.chance().below(2) == 0) {
    world.server().kill();
  } else {
    world.server().stop();
  }
  world.pass(a_moment(world));
  world.server().start();
}

void restarted_without_data(World& world) {
  world.server().kill();
  world.pass(a_moment(world));
  world.server().start_without_data();
}

void paused_for_a_moment(World& world) {
  world.server().pause();
  world.pass(a_moment(world));
  world.server().resume();
}

void paused_too_long(World& world) {
  world.sections_last();
  world.server().pause();
  world.pass(too_long(world));
  world.server().resume();
  world.sections_end();
}

// No ttl ends a key here: a lock stays held for ever if its release was not finished.
void away_at_releases(World& world) {
  world.sections_last();
  world.server().kill();
  world.sections_end();
  world.pass(a_moment(world));
  world.server().start();
  for (const std::string& lock : world.locks()) world.command({"PERSIST", lock});
}

void scripts_flushed(World& world) {
  for (int times = 0; times < 10; ++times) {
    world.command({"SCRIPT", "FLUSH"});
    world.pass(milliseconds{20});
  }
}

void clients_killed(World& world) {
  world.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  world.command({"CLIENT", "KILL", "TYPE", "pubsub"});
}

void everything_flushed(World& world) {
  world.command({"FLUSHALL"});
}

void memory_full(World& world) {
  world.command({"CONFIG", "SET", "maxmemory", "1"});
  world.pass(a_moment(world));
  world.command({"CONFIG", "SET", "maxmemory", "0"});
}

void keys_evicted(World& world) {
  world.command({"CONFIG", "SET", "maxmemory-policy", "allkeys-random"});
  memory_full(world);
  world.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
}

// A replica that has everything and was promoted. Workers' requests go nowhere until they are
// moved.
std::unique_ptr<RedisServer> successor(World& world) {
  auto replica = world.replica();
  all(world, FaultProxy::Mode::swallow);
  world.pass(milliseconds{50});
  // Not by WAIT: another replica, such as the primary of an earlier hand-over, may answer it.
  const std::string last = PlainRedis(world.server()).command({"INCR", "written-last"});
  PlainRedis there(*replica);
  world.comes_true([&] { return there.command({"GET", "written-last"}) == last; });
  replica->promote();
  return replica;
}

void promoted_with_everything(World& world) {
  world.move_to(successor(world));
}

void demoted(World& world) {
  world.hand_over_to(successor(world));
}

// Those whose connections break meet the new primary, the others stay with what is a replica now.
void demoted_for_some(World& world) {
  demoted(world);
  const std::size_t stays = world.chance().below(world.networks().size());
  for (std::size_t each = 0; each < world.networks().size(); ++each) {
    if (each != stays) world.networks()[each]->cut();
  }
}

void promoted_too_early(World& world) {
  auto replica = world.replica();
  replica->promote();
  // Meanwhile the workers go on at a server that nobody will ask again.
  world.pass(a_moment(world));
  world.move_to(std::move(replica));
}

// --- the network ---------------------------------------------------------------------------------

void connections_cut(World& world) {
  for (int times = 0; times < 3; ++times) {
    for (const auto& network : world.networks()) network->cut();
    world.pass(world.chance().between(milliseconds{0}, milliseconds{50}));
  }
}

void silent_for_a_moment(World& world) {
  for_a_moment(world, FaultProxy::Mode::swallow);
}

void silent_too_long(World& world) {
  const auto [worker, lock] = world.stop_a_holder();
  FaultProxy& network = world.network_of(*worker);
  network.set(FaultProxy::Mode::swallow);
  worker->tell_sections_to_last(true);
  worker->resume();
  world.another_enters(lock);
  worker->tell_sections_to_last(false);
  network.set(FaultProxy::Mode::forward);
}

void slow(World& world) {
  const milliseconds each_way = world.chance().between(milliseconds{20}, milliseconds{150});
  for (const auto& network : world.networks()) network->delay(each_way);
  world.pass(seconds{2});
  for (const auto& network : world.networks()) network->delay(Duration{0});
}

void half_open(World& world) {
  for (const auto& network : world.networks()) network->abandon();
}

void replies_dropped(World& world) {
  for_a_moment(world, FaultProxy::Mode::drop_replies);
}

void replies_broken_off(World& world) {
  for_a_moment(world, FaultProxy::Mode::half_replies);
}

void replies_doubled(World& world) {
  for_a_moment(world, FaultProxy::Mode::double_replies);
}

// --- and what is promised ------------------------------------------------------------------------

Promise nobody_notices() {
  Promise promise;
  promise.holders = "holders keep their leases";
  promise.waiters = "waiters go on waiting";
  return promise;
}

Promise everybody_keeps_on(std::string holders, std::string waiters) {
  Promise promise;
  promise.store_is_away = true;
  promise.holders = std::move(holders);
  promise.waiters = std::move(waiters);
  return promise;
}

Promise leases_are_lost(Losses losses, bool each_time, std::string holders, std::string waiters) {
  Promise promise = everybody_keeps_on(std::move(holders), std::move(waiters));
  promise.losses = losses;
  promise.somebody_loses = each_time;
  return promise;
}

Promise grants_are_forgotten(std::string holders, std::string waiters) {
  Promise promise =
      leases_are_lost(Losses::of_anybody, false, std::move(holders), std::move(waiters));
  promise.exclusion = false;
  return promise;
}

// What the store has forgotten is over before it grants a lock again.
Promise nothing_is_granted_yet(std::string holders) {
  Promise promise = grants_are_forgotten(
      std::move(holders), "waiters enter after one longest ttl; a queue may be lost, too");
  promise.exclusion = true;
  return promise;
}

const std::string resumed =
    "waiters go on waiting if the server answers again within 10 s (`outage_limit`); so does an "
    "acquire that begins meanwhile";

std::vector<Fault> processes() {
  const std::string group = "process";
  Promise killed = nobody_notices();
  killed.holders = "the section ends with its holder; the other holders keep their leases";
  killed.waiters =
      "waiters enter when the killed holder's lease has ended: after its ttl at the latest";
  Promise waiter = nobody_notices();
  waiter.waiters = "the other waiters go on; the place of the killed one in a queue is passed over";
  Promise late = nobody_notices();
  late.losses = Losses::of_the_victim;
  late.somebody_loses = true;
  late.holders =
      "the holder finds its lease `lost` when it first looks at it, and the client tells it; its "
      "release leaves the next holder's lock alone";
  late.waiters = "waiters enter when the stopped holder's lease has ended";
  Promise all_late = late;
  all_late.losses = Losses::of_anybody;
  all_late.holders =
      "holders find their leases `lost` when they first look at them, and the clients tell them";
  all_late.waiters = "waiters go on waiting";
  Promise stopped_waiter = nobody_notices();
  stopped_waiter.waiters =
      "the other waiters go on; if the stopped waiter was the first in a queue, those behind it go "
      "on at the latest when the ttl of the last holder would have ended. The stopped waiter keeps "
      "its place, and goes on waiting when it runs again";
  Promise program = nobody_notices();
  program.holders =
      "`il-watch` kills all that the command has started, at once; the other holders keep their "
      "leases";
  program.waiters = killed.waiters;
  Promise late_program = program;
  late_program.holders =
      "`il-watch` kills all that the command has started when the lease ends, which is 1 % of the "
      "ttl and 5 ms before another client can enter; a machine that does not let it run for so "
      "long lets the command run on; the program exits with 79 when it runs again";
  late_program.waiters = late.waiters;
  return {
      {"holder-killed", group, "A holder is killed (SIGKILL)", killed, holder_killed},
      {"waiter-killed", group, "A waiter is killed (SIGKILL)", waiter, waiter_killed},
      {"holder-stopped", group, "A holder is stopped for less than its lease (SIGSTOP, SIGCONT)",
       nobody_notices(), holder_stopped_for_a_moment},
      {"holder-stopped-too-long", group, "A holder is stopped beyond its lease", late,
       holder_stopped_too_long},
      {"waiter-stopped", group, "A waiter is stopped, and continued", stopped_waiter,
       waiter_stopped},
      {"all-stopped-too-long", group, "All clients are stopped beyond their leases", all_late,
       all_stopped_too_long},
      {"holders-fork", group, "Holders fork, and their children leave the section",
       nobody_notices(), holders_fork},
      {"descriptors-run-out", group,
       "The process has no free file descriptor, and its connections are cut",
       everybody_keeps_on(
           "holders keep their leases if they have renewed once, because the first renewal opens "
           "the connection for renewals; else the clients tell them of the loss",
           "waiters go on waiting, and connect when they can"),
       descriptors_run_out},
      {"program-killed", group,
       "`interlock run` is killed (SIGKILL) while its command has children, sessions of their own "
       "and orphans",
       program, program_killed},
      {"program-stopped-too-long", group, "`interlock run` is stopped beyond its lease",
       late_program, program_stopped_too_long},
  };
}

std::vector<Fault> server() {
  const std::string group = "server";
  const std::string forgotten =
      "the clients tell the holders of the loss at the next renewal, or when the lease ends";
  Promise full = nobody_notices();
  full.acquires = Acquires::are_refused;
  full.holders =
      "holders keep their leases; the server refuses a release that would hand over, and the ttl "
      "ends the lock";
  full.waiters = "waiters get `rejected`: the server answers OOM";
  Promise evicted = grants_are_forgotten(forgotten, "waiters get `rejected`, or enter");
  evicted.acquires = Acquires::are_refused;
  return {
      {"restarted-with-data", group,
       "Killed or shut down, and soon restarted with its data (`appendfsync always`)",
       everybody_keeps_on("holders keep their leases if the server is back before they end",
                          resumed),
       restarted_with_data},
      {"away-at-releases", group, "Killed before sections end, and soon restarted with its data",
       everybody_keeps_on(
           "the release of a holder fails with an error; the client repeats it in the background",
           "waiters enter as soon as the server is back; they do not wait for a ttl"),
       away_at_releases},
      {"restarted-without-data", group, "Killed, and restarted without its data",
       grants_are_forgotten(forgotten,
                            "waiters go on waiting; in a queue, at its end, because the "
                            "queue is lost, too"),
       restarted_without_data},
      {"server-paused", group, "Silent for less than a lease",
       everybody_keeps_on("holders keep their leases", resumed), paused_for_a_moment},
      {"server-paused-too-long", group, "Silent beyond the leases",
       leases_are_lost(Losses::of_anybody, true,
                       "the clients tell the holders when their leases end, by their own clocks",
                       resumed),
       paused_too_long},
      {"scripts-flushed", group, "`SCRIPT FLUSH`", nobody_notices(), scripts_flushed},
      {"clients-killed", group, "`CLIENT KILL` of all connections",
       everybody_keeps_on("holders keep their leases", "waiters go on waiting"), clients_killed},
      {"everything-flushed", group, "`FLUSHALL`",
       grants_are_forgotten(forgotten, "waiters enter; waiters in a queue queue up anew"),
       everything_flushed},
      {"memory-full", group, "`maxmemory` is reached (`noeviction`)", full, memory_full},
      {"keys-evicted", group, "`maxmemory` is reached, and locks are evicted (`allkeys-*`)",
       evicted, keys_evicted},
      {"promoted-with-everything", group,
       "A replica that has all data is promoted (`REPLICAOF NO ONE`)",
       everybody_keeps_on("holders keep their leases", resumed), promoted_with_everything},
      {"demoted", group,
       "The primary becomes a replica of its successor, which has all data. The old server goes "
       "on, and its connections stay",
       everybody_keeps_on("holders keep their leases", resumed), demoted},
      {"demoted-for-some", group, "The same, and the connections of all clients but one break",
       everybody_keeps_on("holders keep their leases", resumed), demoted_for_some},
      {"promoted-too-early", group, "A replica is promoted, and the last writes are lost",
       grants_are_forgotten(
           forgotten,
           "waiters enter or go on waiting; a waiter in a queue may have lost its place"),
       promoted_too_early},
      {"restarted-without-data-wait", group,
       "Killed, and restarted without its data (`after-failover=wait`)",
       nothing_is_granted_yet(forgotten), restarted_without_data, true},
      {"everything-flushed-wait", group, "`FLUSHALL` (`after-failover=wait`)",
       nothing_is_granted_yet(forgotten), everything_flushed, true},
      {"promoted-too-early-wait", group,
       "A replica is promoted, and the last writes are lost (`after-failover=wait`)",
       nothing_is_granted_yet("holders whom the replica knows keep their leases; else " +
                              forgotten),
       promoted_too_early, true},
  };
}

std::vector<Fault> network() {
  const std::string group = "network";
  return {
      {"connections-cut", group, "Connections are cut",
       everybody_keeps_on("holders keep their leases", "waiters go on waiting"), connections_cut},
      {"network-silent", group, "Silent for less than a lease",
       everybody_keeps_on("holders keep their leases", resumed), silent_for_a_moment},
      {"network-silent-too-long", group, "A holder's network is silent beyond its lease",
       leases_are_lost(Losses::of_the_victim, true,
                       "the client tells the holder when its lease ends, by its own clock",
                       "the other clients enter when that lease has ended"),
       silent_too_long},
      {"network-slow", group, "Slow: up to 150 ms each way", nobody_notices(), slow},
      {"half-open", group,
       "Half-open: the server has forgotten the connections, and the clients are not told",
       leases_are_lost(
           Losses::of_anybody, false,
           "holders keep their leases if these outlast the timeout of a command (1 s); else the "
           "clients tell them of the loss",
           "waiters go on waiting, and enter at the latest when the holder's ttl has ended"),
       half_open},
      {"replies-dropped", group, "Requests arrive, replies are lost",
       leases_are_lost(
           Losses::of_anybody, false,
           "holders keep their leases if a renewal is answered in time; a renewal without an "
           "answer does not count, and the clients tell the holders of the loss",
           "waiters claim again with the same token, and are granted the lock once"),
       replies_dropped},
      {"replies-doubled", group, "Each reply arrives twice",
       leases_are_lost(Losses::of_anybody, false,
                       "holders keep their leases; the client closes the connection, because it "
                       "would take the second reply for the answer to the next command",
                       "waiters go on waiting, on another connection"),
       replies_doubled},
      {"replies-broken-off", group, "Connections break in the midst of replies",
       everybody_keeps_on("holders keep their leases",
                          "waiters claim again with the same token, and are granted the lock once"),
       replies_broken_off},
  };
}

}  // namespace

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> list = processes();
    for (const auto& more : {server(), network(), faults_of_several_servers()})
      list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

}  // namespace interlock::test
