#include "inspect_cluster.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inspect.hpp"
#include "lock_search.hpp"
#include "read_slot_map.hpp"

namespace interlock::redis {
namespace {

bool is_same(const Finding& one, const Finding& other) {
  return one.grade == other.grade && one.subject == other.subject && one.fact == other.fact &&
         one.advice == other.advice;
}

// Whether it differs from server to server although nothing is wrong.
bool is_measured(const Finding& finding) {
  return finding.grade == Finding::Grade::good &&
         (finding.subject == "round trip" || finding.subject == "clock");
}

bool is_at_all(const Finding& finding, const std::vector<std::vector<Finding>>& servers) {
  return std::all_of(servers.begin(), servers.end(), [&](const std::vector<Finding>& each) {
    return std::any_of(each.begin(), each.end(),
                       [&](const Finding& other) { return is_same(finding, other); });
  });
}

// Its hash tag makes it a key of that server, which keeps at least one slot.
std::string unused_key_at(const Cluster& cluster, NodeNumber server) {
  for (int tag = 0;; ++tag) {
    std::string key(unused_name);
    key.append("{").append(std::to_string(tag)).append("}");
    if (cluster.keeper(slot_of(key)) == server || tag > 1'000'000) return key;
  }
}

Finding slots(const Cluster& cluster) {
  const std::string servers = std::to_string(cluster.primaries().size()) + " primaries keep ";
  if (cluster.slots_kept() == hash_slots) {
    return {Finding::Grade::good, "cluster", servers + "all slots"};
  }
  return {Finding::Grade::bad, "cluster",
          servers + std::to_string(cluster.slots_kept()) + " of " + std::to_string(hash_slots) +
              " slots: locks in the others are refused",
          "assign all slots (redis-cli --cluster fix)"};
}

}  // namespace

Result<std::vector<Finding>> inspect_cluster(const std::shared_ptr<Cluster>& cluster,
                                             const std::optional<LockName>& lock) {
  if (cluster->process().in_child()) return posix::used_in_child("inspecting", "the store");
  if (auto error = read_slot_map(*cluster)) return *std::move(error);
  const std::vector<NodeNumber> primaries = cluster->primaries();
  std::vector<std::vector<Finding>> found;
  for (const NodeNumber each : primaries) {
    InspectedStore part;
    part.scope = ServerScope::one_of_cluster;
    part.unused_key = unused_key_at(*cluster, each);
    part.lock = lock;
    part.looks_at_keys = !lock || cluster->keeper(slot_of(lock->text())) == each;
    auto findings = inspect_server(cluster->endpoint(each), std::move(part));
    if (!findings) return findings;
    found.push_back(*std::move(findings));
  }
  std::vector<Finding> all{slots(*cluster)};
  for (std::size_t at = 0; at < found.size(); ++at) {
    const Options& server = cluster->endpoint(primaries[at])->options();
    for (Finding& each : found[at]) {
      const bool is_common = is_at_all(each, found);
      if (is_common && at > 0) continue;
      if (!is_common && !is_measured(each)) {
        each.subject += " of " + server.host + ":" + std::to_string(server.port);
      }
      if (is_common || !is_measured(each) || at == 0) all.push_back(each);
    }
  }
  return all;
}

namespace {

// Also `unavailable`, if not every slot has a server: some locks could not be seen.
std::optional<Error> read_whole_map(Cluster& cluster) {
  if (auto error = read_slot_map(cluster)) return error;
  if (cluster.slots_kept() == hash_slots) return std::nullopt;
  return Error(Errc::unavailable,
               "not every slot of " + cluster.name() +
                   " has a server, so some locks cannot be seen: wait for the end of a failover, "
                   "or see CLUSTER SLOTS");
}

// Each part has something of every server, so that it shows no server's locks alone.
class ClusterSearch final : public LockSearch {
 public:
  explicit ClusterSearch(std::shared_ptr<Cluster> cluster) : cluster_(std::move(cluster)) {}

  Result<FoundPart> next(std::size_t keys_max) override {
    if (cluster_->process().in_child()) return posix::used_in_child("listing locks", "the store");
    if (servers_.empty()) {
      if (auto error = begin_round()) return *std::move(error);
    }
    FoundPart all;
    if (auto error = add_part_of_each(keys_max / count_of_incomplete(), all.found)) {
      servers_.clear();
      return *std::move(error);
    }
    if (count_of_incomplete() == 0) {
      servers_.clear();
    } else {
      all.share_seen = mean_share_seen();
    }
    return all;
  }

 private:
  class ServerSearch {
   public:
    std::unique_ptr<LockSearch> search;
    double share_seen = 0;
    bool is_complete = false;
  };

  std::optional<Error> begin_round() {
    if (auto error = read_whole_map(*cluster_)) return error;
    for (const NodeNumber each : cluster_->primaries()) {
      servers_.push_back(
          {redis::search_locks(cluster_->endpoint(each), ServerScope::one_of_cluster)});
    }
    return std::nullopt;
  }

  std::optional<Error> add_part_of_each(std::size_t keys_max, std::vector<Key>& found) {
    for (ServerSearch& each : servers_) {
      if (each.is_complete) continue;
      auto part = each.search->next(keys_max);
      if (!part) return std::move(part).error();
      each.share_seen = part->share_seen;
      each.is_complete = part->is_complete();
      found.insert(found.end(), part->found.begin(), part->found.end());
    }
    return std::nullopt;
  }

  std::size_t count_of_incomplete() const {
    return static_cast<std::size_t>(std::count_if(
        servers_.begin(), servers_.end(), [](const auto& each) { return !each.is_complete; }));
  }

  double mean_share_seen() const {
    double sum = 0;
    for (const ServerSearch& each : servers_) sum += each.share_seen;
    return sum / static_cast<double>(servers_.size());
  }

  std::shared_ptr<Cluster> cluster_;
  std::vector<ServerSearch> servers_;  // of this round; empty: the next one begins
};

}  // namespace

std::unique_ptr<LockSearch> search_locks(const std::shared_ptr<Cluster>& cluster) {
  return std::make_unique<ClusterSearch>(cluster);
}

Result<std::vector<Key>> find_held_locks(const std::shared_ptr<Cluster>& cluster) {
  if (cluster->process().in_child()) return posix::used_in_child("listing locks", "the store");
  if (auto error = read_whole_map(*cluster)) return *std::move(error);
  std::set<Key> held;
  for (const NodeNumber each : cluster->primaries()) {
    auto found = find_held_locks(cluster->endpoint(each), ServerScope::one_of_cluster);
    if (!found) return found;
    held.insert(found->begin(), found->end());
  }
  return std::vector<Key>(held.begin(), held.end());
}

}  // namespace interlock::redis
