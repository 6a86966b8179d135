#include "support/redis_cluster.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <sstream>
#include <thread>

#include "support/plain_redis.hpp"

namespace interlock::test {
namespace {

constexpr int slots = 16'384;

[[noreturn]] void give_up(const std::string& message) {
  std::fprintf(stderr, "redis_cluster: %s\n", message.c_str());
  std::abort();
}

bool within_a_minute(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return true;
}

int first_slot(std::size_t primary) {
  return slots * static_cast<int>(primary) / static_cast<int>(RedisCluster::primaries);
}

// The default port for the other servers is too great beside a free port of the system.
RedisSettings settings_with(int bus_port,
                            RedisCluster::Replicas replicas,
                            const std::vector<std::string>& more) {
  RedisSettings settings;
  // Where nobody is to be replaced, a server that gets no time for a while is not to be missed.
  settings.arguments = {
      "--cluster-enabled",      "yes",
      "--cluster-port",         std::to_string(bus_port),
      "--cluster-node-timeout", replicas == RedisCluster::Replicas::none ? "10000" : "1000"};
  settings.arguments.insert(settings.arguments.end(), more.begin(), more.end());
  return settings;
}

}  // namespace

RedisCluster::RedisCluster(Replicas replicas, const std::vector<std::string>& arguments) {
  const std::size_t count = replicas == Replicas::none ? primaries : 2 * primaries;
  std::vector<int> bus_ports;
  for (std::size_t n = 0; n < count; ++n) {
    bus_ports.push_back(free_port());
    servers_.emplace_back(settings_with(bus_ports.back(), replicas, arguments));
    ids_.push_back(say(n, {"CLUSTER", "MYID"}));
  }
  for (std::size_t n = 0; n < count; ++n) {
    say(n, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(n + 1)});
    if (n >= primaries) continue;
    say(n, {"CLUSTER", "ADDSLOTSRANGE", std::to_string(first_slot(n)),
            std::to_string(first_slot(n + 1) - 1)});
  }
  for (std::size_t n = 1; n < count; ++n) {
    say(n, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(servers_[0].port()),
            std::to_string(bus_ports[0])});
  }
  const auto knows_all = [&] {
    for (std::size_t n = 0; n < count; ++n) {
      if (say(n, {"CLUSTER", "INFO"}).find("cluster_known_nodes:" + std::to_string(count)) ==
          std::string::npos) {
        return false;
      }
    }
    return true;
  };
  if (!within_a_minute(knows_all)) give_up("the servers do not find each other");
  for (std::size_t n = primaries; n < count; ++n) {
    if (!within_a_minute([&] {
          return say(n, {"CLUSTER", "REPLICATE", ids_[n - primaries]}) == "OK";
        })) {
      give_up("a server does not become a replica");
    }
  }
  const auto has_replica = [&](std::size_t n) {
    return say(n, {"INFO", "replication"}).find("state=online") != std::string::npos;
  };
  for (std::size_t n = primaries; n < count; ++n) {
    if (!within_a_minute([&] { return has_replica(n - primaries); })) give_up("no replica");
  }
  if (!wait_until_ready()) give_up("the cluster does not begin to serve");
}

std::string RedisCluster::say(std::size_t server, const std::vector<std::string>& command) {
  return PlainRedis(servers_[server]).command(command);
}

void RedisCluster::order(std::size_t server,
                         const std::vector<std::string>& command,
                         const std::string& also_fine) {
  const std::string answer = say(server, command);
  if (answer == "OK" || answer == also_fine) return;
  std::string all;
  for (const std::string& each : command) all += each + " ";
  give_up(all + "-> " + answer);
}

std::string RedisCluster::url() const {
  std::string hosts;
  for (std::size_t n = 0; n < primaries; ++n) {
    hosts += (n == 0 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(servers_[n].port());
  }
  return "redis+cluster://" + hosts;
}

int RedisCluster::slot_of(const std::string& key) {
  return std::stoi(say(0, {"CLUSTER", "KEYSLOT", key}));
}

std::size_t RedisCluster::keeper(const std::string& key) {
  const int slot = slot_of(key);
  std::size_t found = 0;
  while (found + 1 < primaries && first_slot(found + 1) <= slot) ++found;
  return found;
}

std::string RedisCluster::name_kept_by(std::size_t number, const std::string& begin) {
  for (int n = 0;; ++n) {
    std::string name = begin + std::to_string(n);
    if (keeper(name) == number) return name;
  }
}

void RedisCluster::begin_move(int slot, std::size_t from, std::size_t to) {
  order(to, {"CLUSTER", "SETSLOT", std::to_string(slot), "IMPORTING", ids_[from]});
  order(from, {"CLUSTER", "SETSLOT", std::to_string(slot), "MIGRATING", ids_[to]});
}

void RedisCluster::move_keys(int slot, std::size_t from, std::size_t to) {
  for (;;) {
    std::string key = say(from, {"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), "1"});
    if (key == "[]") return;
    key = key.substr(1, key.size() - 2);
    const std::string port = std::to_string(servers_[to].port());
    // NOKEY: it has expired meanwhile.
    order(from, {"MIGRATE", "127.0.0.1", port, key, "0", "20000"}, "NOKEY");
  }
}

void RedisCluster::end_move(int slot, std::size_t from, std::size_t to) {
  move_keys(slot, from, to);
  for (const std::size_t each : {to, from}) {
    order(each, {"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", ids_[to]});
  }
  wait_until_agreed();
}

// Who keeps which slots, and since which epoch, as one server sees it.
std::string RedisCluster::view_of(std::size_t server) {
  std::istringstream lines(say(server, {"CLUSTER", "NODES"}));
  std::set<std::string> nodes;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id;
    std::string skipped;
    std::string epoch;
    std::string rest;
    words >> id >> skipped >> skipped >> skipped >> skipped >> skipped >> epoch >> skipped;
    std::getline(words, rest);
    if (!rest.empty()) nodes.insert(id + " " + epoch + rest);
  }
  std::string all;
  for (const std::string& each : nodes) all += each + "\n";
  return all;
}

// A server that gets a slot raises its epoch above those that it knows. If it does not know all, a
// later message of another server takes the slot away from it.
void RedisCluster::wait_until_agreed() {
  const auto agree = [this] {
    const std::string first = view_of(0);
    for (std::size_t n = 1; n < servers_.size(); ++n) {
      if (servers_[n].pid() != 0 && view_of(n) != first) return false;
    }
    return true;
  };
  if (!within_a_minute(agree))
    give_up("the servers do not agree on who keeps a slot:\n" + view_of(0) + view_of(1) +
            view_of(2));
}

void RedisCluster::move(int slot, std::size_t from, std::size_t to) {
  begin_move(slot, from, to);
  end_move(slot, from, to);
}

bool RedisCluster::wait_until_ready() {
  return within_a_minute([this] {
    for (std::size_t n = 0; n < servers_.size(); ++n) {
      if (servers_[n].pid() == 0) continue;
      const std::string info = say(n, {"CLUSTER", "INFO"});
      if (info.find("cluster_state:ok") == std::string::npos) return false;
    }
    return true;
  });
}

bool RedisCluster::wait_until_replaced(std::size_t number) {
  return within_a_minute(
      [&] { return say(primaries + number, {"ROLE"}).find("master") != std::string::npos; });
}

std::optional<std::size_t> RedisCluster::present_keeper(const std::string& key) {
  for (std::size_t n = 0; n < servers_.size(); ++n) {
    if (servers_[n].pid() != 0 && !say(n, {"EXISTS", key}).starts_with("(")) return n;
  }
  return std::nullopt;
}

std::optional<std::size_t> RedisCluster::other_primary(std::size_t than) {
  for (std::size_t n = 0; n < servers_.size(); ++n) {
    const bool is_primary =
        n != than && servers_[n].pid() != 0 && say(n, {"ROLE"}).starts_with("[master");
    if (is_primary) return n;
  }
  return std::nullopt;
}

bool RedisCluster::wait_until_kept_elsewhere(const std::string& key, std::size_t than) {
  return within_a_minute([&] {
    for (std::size_t n = 0; n < servers_.size(); ++n) {
      if (n == than || servers_[n].pid() == 0) continue;
      if (!say(n, {"EXISTS", key}).starts_with("(")) return true;
    }
    return false;
  });
}

bool RedisCluster::wait_until_replica(std::size_t server) {
  return within_a_minute([&] {
    return say(server, {"INFO", "replication"}).find("master_link_status:up") != std::string::npos;
  });
}

void RedisCluster::empty() {
  for (std::size_t n = 0; n < servers_.size(); ++n) {
    if (servers_[n].pid() != 0) say(n, {"FLUSHALL"});
  }
}

}  // namespace interlock::test
