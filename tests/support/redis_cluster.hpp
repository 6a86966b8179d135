// A Redis Cluster of one's own, on the loopback.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "support/redis_server.hpp"

namespace interlock::test {

// Start it on the main thread: see RedisServer. Three primaries keep a third of the slots each. The
// others take a server for dead after a second of silence.
class RedisCluster {
 public:
  enum class Replicas : bool { none, one_each };
  // `arguments`: of each server, as on a command line.
  explicit RedisCluster(Replicas replicas = Replicas::none,
                        const std::vector<std::string>& arguments = {});

  static constexpr std::size_t primaries = 3;
  // redis+cluster:// with the first primaries.
  std::string url() const;
  RedisServer& primary(std::size_t number) { return servers_[number]; }
  // The replica of the primary with that number.
  RedisServer& replica(std::size_t number) { return servers_[primaries + number]; }
  // The number of the server that kept this key at the beginning.
  std::size_t keeper(const std::string& key);
  // A name whose keys that server kept at the beginning.
  std::string name_kept_by(std::size_t number, const std::string& begin = "job");

  // Moves a slot with its keys, as `redis-cli --cluster reshard` does. begin_move() alone leaves it
  // between the two: MIGRATE and the two last commands come with end_move().
  void begin_move(int slot, std::size_t from, std::size_t to);
  void move_keys(int slot, std::size_t from, std::size_t to);
  void end_move(int slot, std::size_t from, std::size_t to);
  void move(int slot, std::size_t from, std::size_t to);
  int slot_of(const std::string& key);

  // The number of the server that keeps this key now: of a primary, or `primaries` more for its
  // replica. None: nobody does.
  std::optional<std::size_t> present_keeper(const std::string& key);
  // The number of a primary that keeps slots now, and is not that one.
  std::optional<std::size_t> other_primary(std::size_t than);
  RedisServer& server(std::size_t number) { return servers_[number]; }

  // All of these: false if it took more than a minute. Until all living servers serve.
  bool wait_until_ready();
  // Until the replica of that primary has become one.
  bool wait_until_replaced(std::size_t number);
  // Until another server than that one keeps this key.
  bool wait_until_kept_elsewhere(const std::string& key, std::size_t than);
  // Until that server, which has started again, is the replica of the one that has replaced it.
  bool wait_until_replica(std::size_t server);
  void empty();

 private:
  std::string say(std::size_t server, const std::vector<std::string>& command);
  void order(std::size_t server,
             const std::vector<std::string>& command,
             const std::string& also_fine = "OK");
  std::string view_of(std::size_t server);
  void wait_until_agreed();

  std::deque<RedisServer> servers_;
  std::vector<std::string> ids_;
};

}  // namespace interlock::test
