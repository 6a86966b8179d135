// Searches the C++ twin of a Promela model in this folder, and prints the verdict's figures as one
// JSON object. against_spin runs it beside SPIN.
// usage: spin_pairs [--distinguish] (peterson|peterson-liveness|setnx-lock|stamp-lock) CLIENTS
#include <array>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace {

namespace sim = interlock::sim;
using namespace std::chrono_literals;

// peterson.pml: a key that is there is a variable that is true.
interlock::Task<void> process(sim::Client& me, std::string mine, std::string others) {
  interlock::KeyValueStore& store = me.store();
  const interlock::Key my_wish(mine);
  const interlock::Key their_wish(others);
  const interlock::Key turn("turn");
  const std::string yes = "1";
  for (;;) {
    co_await me.loop_head(0);
    me.wants("section");
    const auto wished = co_await store.set(my_wish, yes);
    const auto gave_way = co_await store.set(turn, others);
    if (!wished || !gave_way) co_return;
    for (;;) {
      co_await me.loop_head(1);
      const auto theirs = co_await store.get(their_wish);
      if (!theirs || !*theirs) break;
      const auto now = co_await store.get(turn);
      if (!now || *now == mine) break;
    }
    me.enter("section");
    co_await me.leave("section");
    static_cast<void>(co_await store.erase(my_wish));
  }
}

sim::Scenario peterson(sim::Property property) {
  sim::Scenario scenario("peterson");
  scenario.client([](sim::Client& me) { return process(me, "A", "B"); });
  scenario.client([](sim::Client& me) { return process(me, "B", "A"); });
  scenario.initially(interlock::Key("turn"), interlock::Entry("A"));
  return scenario.require(std::move(property));
}

// setnx_lock.pml
interlock::Task<void> two_attempts(sim::Client& me) {
  interlock::KeyValueStore& store = me.store();
  const interlock::Key key("lock");
  const interlock::OwnerToken owner = me.tokens().fresh();
  for (int left = 2; left > 0; --left) {
    co_await me.loop_head(left);
    const auto set = co_await store.set_if_absent(key, owner.text(), 1000ms);
    if (!set || !*set) continue;
    me.enter("lock");
    co_await me.leave("lock");
    static_cast<void>(co_await store.release(key, owner));
  }
}

sim::Scenario setnx_lock(std::size_t clients) {
  sim::Scenario scenario("setnx-lock");
  scenario.clients(clients, two_attempts).instants(4).require(sim::owner_only("lock"));
  return scenario;
}

std::optional<sim::Scenario> scenario_of(std::string_view name, std::size_t clients) {
  if (name == "peterson") return peterson(sim::mutual_exclusion("section"));
  if (name == "peterson-liveness") return peterson(sim::every_waiter_acquires("section"));
  if (name == "setnx-lock") return setnx_lock(clients);
  if (name != "stamp-lock") return {};
  return sim::catalogue::stamp_lock_scenario(sim::catalogue::TakeOver::getset, clients, 2, 3);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  const bool distinguish = !words.empty() && words.front() == "--distinguish";
  if (distinguish) words.erase(words.begin());
  std::size_t clients = 0;
  if (words.size() == 2) {
    std::from_chars(words[1].data(), words[1].data() + words[1].size(), clients);
  }
  std::optional<sim::Scenario> scenario;
  if (clients > 0) scenario = scenario_of(words[0], clients);
  if (!scenario) {
    std::cerr << "spin_pairs: no such case: spin_pairs [--distinguish] "
                 "(peterson|peterson-liveness|setnx-lock|stamp-lock) CLIENTS\n";
    return 64;
  }
  scenario->symmetry(!distinguish);
  const sim::Verdict verdict = sim::explore(*scenario);
  std::cout << "{\"outcome\": \"" << to_string(verdict.outcome)
            << "\", \"states\": " << verdict.states << ", \"transitions\": " << verdict.transitions
            << ", \"depth\": " << verdict.depth << "}\n";
  if (!verdict.reason.empty()) std::cerr << verdict.reason << '\n';
  return verdict.outcome == sim::Outcome::proved ? 0 : 1;
}
