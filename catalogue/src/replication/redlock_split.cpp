#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::size_t servers = 3;

// Asks every server, beginning with one of its own; less than two grants are given back, and it
// tries again at once. With `one_order` everybody begins with the same server, and stops at the
// first refusal.
Task<void> ask(Client& me, std::size_t first, bool one_order) {
  me.wants(foo);
  const OwnerToken owner = me.tokens().fresh();
  for (;;) {
    co_await me.loop_head();
    std::vector<std::size_t> granted;
    for (std::size_t at = 0; at < servers; ++at) {
      const std::size_t server = one_order ? at : (first + at) % servers;
      const Result<bool> set = co_await me.store(server).set_if_absent(Key(foo), owner.text());
      if (set && *set) granted.push_back(server);
      if (one_order && !(set && *set)) break;
    }
    const bool held = granted.size() >= 2;
    if (held) me.enter(foo);
    if (held) co_await me.leave(foo);
    // The last one first, so that a client which gets the first server finds the others free.
    while (!granted.empty()) {
      const std::size_t server = granted.back();
      granted.pop_back();
      static_cast<void>(co_await me.store(server).release(Key(foo), owner));
    }
    if (held) co_return;
  }
}

Scenario make(bool one_order) {
  Scenario scenario = world();
  scenario.servers(servers);
  for (std::size_t first = 0; first < servers; ++first) {
    scenario.client([=](Client& me) { return ask(me, first, one_order); });
  }
  scenario.require(every_waiter_acquires(foo));
  return scenario;
}

}  // namespace

Entries redlock_split() {
  return {{
              .name = "redlock-split",
              .family = Family::replication,
              .summary = "three clients get one server each, give it back, and try again in step",
              .protocol = "quorum-lock",
              .make = [](const Bounds&) { return make(false); },
              .expected = violated("every waiter acquires lock.foo", 15),
              .explanation = R"(Each gets the server it asks first: step 1 (A SETNX), step 2 (B
server 1 SETNX), step 3 (C server 2 SETNX). Each is refused by the other two, gives its one server
back, and takes it again at once: step 7 (A SETNX), step 11 (B server 1 SETNX), step 15 (C server
2 SETNX). Nobody ever has two.)",
              .fix = "a random pause makes it unlikely; one order of servers makes it impossible",
              .repairs = {{"redlock-split-repaired",
                           "everybody asks the same server first, and stops at a refusal", true,
                           "The client that gets the first server gets the others."}},
              .sources = {"Redis manual, Distributed Locks: retry on failure, random delay"},
          },
          {
              .name = "redlock-split-repaired",
              .family = Family::replication,
              .summary = "one order of servers: the first one decides",
              .protocol = "quorum-lock",
              .make = [](const Bounds&) { return make(true); },
              .expected = proved,
              .explanation = "Split votes cannot happen; the price is that everybody depends on "
                             "the first server. The random pause of the original cannot be proved "
                             "here: a search may draw the same numbers for ever.",
              .repairs_what = "redlock-split",
          }};
}

}  // namespace interlock::sim::catalogue
