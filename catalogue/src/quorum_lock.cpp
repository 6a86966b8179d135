#include "quorum_lock.hpp"

#include <vector>

#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::size_t servers = 3;
constexpr std::size_t quorum = 2;

Task<void> release_at(Client& me, OwnerToken owner, std::vector<std::size_t> some) {
  for (const std::size_t server : some) {
    static_cast<void>(co_await me.store(server).release(Key(foo), owner));
  }
}

Task<void> ask_all(Client& me, QuorumOptions options) {
  const OwnerToken owner = me.tokens().fresh();
  const std::optional<milliseconds> ttl = std::chrono::duration_cast<milliseconds>(options.ttl);
  const TimePoint began = me.time().now();
  std::vector<std::size_t> granted;
  for (std::size_t server = 0; server < servers && granted.size() < quorum; ++server) {
    const Result<bool> set = co_await me.store(server).set_if_absent(Key(foo), owner.text(), ttl);
    if (set && *set) granted.push_back(server);
  }
  const bool over = me.time().now() > began + options.ttl;
  const std::vector<std::size_t> everywhere{0, 1, 2};
  const std::vector<std::size_t>& giving_back = options.to_all ? everywhere : granted;
  const bool held = granted.size() >= quorum && !(options.checks_validity && over);
  if (!held) {
    if (options.cleans_up) co_await release_at(me, owner, giving_back);
    co_return;
  }
  me.reach(late_entry, over);
  me.enter(foo, FencingToken(), began + options.ttl);
  co_await me.leave(foo);
  co_await release_at(me, owner, giving_back);
}

}  // namespace

Program quorum_client(QuorumOptions options) {
  return [=](Client& me) { return ask_all(me, options); };
}

Scenario quorum_world(QuorumOptions options, std::size_t instants) {
  Scenario scenario = world(instants);
  scenario.servers(servers).clients(2, quorum_client(options)).offer(lease_exclusion(foo));
  return scenario;
}

}  // namespace interlock::sim::catalogue
