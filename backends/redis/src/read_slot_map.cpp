#include "read_slot_map.hpp"

#include "blocking_connection.hpp"

namespace interlock::redis {
namespace {

std::optional<Error> ask(Cluster& cluster, const std::shared_ptr<Endpoint>& server) {
  BlockingConnection connection(server);
  if (auto error = connection.begin(Cluster::question())) return error;
  const Result<Answer> slots = connection.await_answer();
  if (!slots) return slots.error();
  const Result<Answer> info = connection.await_answer();
  if (!info) return info.error();
  return cluster.learn(*slots, *info, *server);
}

}  // namespace

std::optional<Error> read_slot_map(Cluster& cluster) {
  std::optional<Error> error = cluster.wrong_options();
  if (error) return error;
  for (const std::shared_ptr<Endpoint>& server : cluster.to_ask()) {
    error = ask(cluster, server);
    if (!error) return error;
  }
  return cluster.nobody_tells(*error);
}

}  // namespace interlock::redis
