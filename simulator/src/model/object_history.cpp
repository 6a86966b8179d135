#include "model/object_history.hpp"

#include <algorithm>
#include <utility>

namespace interlock::sim {
namespace {

constexpr std::size_t configurations_max = 16'384;

bool is_before(const PendingCall& call, std::size_t client) {
  return call.client < client;
}

auto placed_of(const Configuration& configuration, std::size_t client) {
  return std::find_if(configuration.placed.begin(), configuration.placed.end(),
                      [client](const Configuration::Placed& one) { return one.client == client; });
}

void encode(Encoder& identity, std::optional<std::int64_t> number) {
  identity.number(number ? 1 : 0).number(number.value_or(0));
}
void encode(Encoder& identity, const OpenCall& call) {
  identity.text(call.operation);
  encode(identity, call.argument);
}

// Tries the orders in which an operation may return, from the configurations before it.
class Placing {
 public:
  Placing(const ObjectHistory& history, const Property& property, Specifications& specifications)
      : history_(history), property_(property), specifications_(specifications) {}

  // False: there are too many.
  bool place(const PendingCall& returning, std::optional<std::int64_t> result) {
    for (const Configuration& one : history_.possible) reach(one);
    while (!to_do_.empty() && seen_.size() <= configurations_max) {
      const Configuration at = std::move(to_do_.back());
      to_do_.pop_back();
      const auto placed = placed_of(at, returning.client);
      if (placed == at.placed.end()) {
        go_on(at, returning, result);
      } else if (placed->result == result) {
        fits_.insert(without(at, returning.client));
      }
    }
    return to_do_.empty();
  }

  std::vector<Configuration> fits() const { return {fits_.begin(), fits_.end()}; }

 private:
  static Configuration without(Configuration at, std::size_t client) {
    at.placed.erase(placed_of(at, client));
    return at;
  }

  void reach(Configuration configuration) {
    const auto [at, is_new] = seen_.insert(std::move(configuration));
    if (is_new) to_do_.push_back(*at);
  }

  // The operation itself comes next, or first one more of the others that have no place.
  void go_on(const Configuration& at,
             const PendingCall& returning,
             std::optional<std::int64_t> result) {
    for (const AllowedResult& one : allowed(at, returning.call)) {
      if (one.result == result) fits_.insert(Configuration{one.state, at.placed, at.open});
    }
    for (const PendingCall& other : history_.pending) {
      const bool may_come = other.has_begun && other.client != returning.client;
      if (may_come && placed_of(at, other.client) == at.placed.end()) place_pending(at, other);
    }
    for (std::size_t open = 0; open < at.open.size(); ++open) {
      if (open > 0 && at.open[open] == at.open[open - 1]) continue;
      place_open(at, open);
    }
  }

  void place_pending(const Configuration& at, const PendingCall& other) {
    for (const AllowedResult& one : allowed(at, other.call)) {
      Configuration next{one.state, at.placed, at.open};
      const auto place =
          std::find_if(next.placed.begin(), next.placed.end(),
                       [&other](const auto& placed) { return placed.client > other.client; });
      next.placed.insert(place, Configuration::Placed{other.client, one.result});
      reach(std::move(next));
    }
  }

  void place_open(const Configuration& at, std::size_t open) {
    for (const AllowedResult& one : allowed(at, at.open[open])) {
      Configuration next{one.state, at.placed, at.open};
      next.open.erase(next.open.begin() + static_cast<std::ptrdiff_t>(open));
      reach(std::move(next));
    }
  }

  const std::vector<AllowedResult>& allowed(const Configuration& at, const OpenCall& call) {
    return specifications_.ask(property_, at.state, call.operation, call.argument);
  }

  const ObjectHistory& history_;
  const Property& property_;
  Specifications& specifications_;
  std::set<Configuration> seen_;
  std::set<Configuration> fits_;
  std::vector<Configuration> to_do_;
};

}  // namespace

void ObjectHistory::invoke(std::size_t client, OpenCall call) {
  const auto at = std::lower_bound(pending.begin(), pending.end(), client, is_before);
  PendingCall called;
  called.client = client;
  called.call = std::move(call);
  pending.insert(at, std::move(called));
}

void ObjectHistory::begin(std::size_t client) {
  for (PendingCall& call : pending) call.has_begun = call.has_begun || call.client == client;
}

void ObjectHistory::begin_all() {
  for (PendingCall& call : pending) call.has_begun = true;
}

bool ObjectHistory::has_unbegun(std::size_t client) const {
  const PendingCall* const call = find(client);
  return call != nullptr && !call->has_begun;
}

bool ObjectHistory::has_unbegun() const {
  return std::any_of(pending.begin(), pending.end(),
                     [](const PendingCall& call) { return !call.has_begun; });
}

bool ObjectHistory::has_others(std::size_t client) const {
  return std::any_of(pending.begin(), pending.end(),
                     [client](const PendingCall& call) { return call.client != client; });
}

const PendingCall* ObjectHistory::find(std::size_t client) const {
  const auto at = std::lower_bound(pending.begin(), pending.end(), client, is_before);
  return at == pending.end() || at->client != client ? nullptr : &*at;
}

void ObjectHistory::give_back(std::size_t client,
                              std::optional<std::int64_t> result,
                              const Property& property,
                              Specifications& specifications,
                              Capacity& capacity) {
  Placing placing(*this, property, specifications);
  if (!placing.place(*find(client), result)) {
    capacity.fits(configurations_max + 1, configurations_max,
                  "orders of the operations on " + name);
  }
  possible = placing.fits();
  std::erase_if(pending, [client](const PendingCall& call) { return call.client == client; });
}

void ObjectHistory::leave_open(std::size_t client) {
  const PendingCall* const found = find(client);
  if (found == nullptr) return;
  const PendingCall left = *found;
  std::erase_if(pending, [client](const PendingCall& call) { return call.client == client; });
  // The client has done nothing for it yet.
  if (!left.has_begun) return;
  for (Configuration& one : possible) {
    const auto placed = placed_of(one, client);
    if (placed != one.placed.end()) {
      one.placed.erase(placed);
    } else {
      one.open.insert(std::upper_bound(one.open.begin(), one.open.end(), left.call), left.call);
    }
  }
  put_in_order();
}

void ObjectHistory::put_in_order() {
  std::sort(possible.begin(), possible.end());
  possible.erase(std::unique(possible.begin(), possible.end()), possible.end());
}

void ObjectHistory::rename(const Permutation& permutation) {
  for (PendingCall& call : pending) call.client = permutation[call.client];
  std::sort(pending.begin(), pending.end(), [](const PendingCall& one, const PendingCall& other) {
    return one.client < other.client;
  });
  for (Configuration& one : possible) {
    for (Configuration::Placed& placed : one.placed) placed.client = permutation[placed.client];
    std::sort(one.placed.begin(), one.placed.end());
  }
  put_in_order();
}

void ObjectHistory::encode(Encoder& identity) const {
  identity.text(name).number(static_cast<std::int64_t>(pending.size()));
  for (const PendingCall& one : pending) {
    identity.number(static_cast<std::int64_t>(one.client)).number(one.has_begun ? 1 : 0);
    sim::encode(identity, one.call);
  }
  identity.number(static_cast<std::int64_t>(possible.size()));
  for (const Configuration& one : possible) {
    identity.number(static_cast<std::int64_t>(one.state.size()));
    for (const std::int64_t number : one.state) identity.number(number);
    identity.number(static_cast<std::int64_t>(one.placed.size()));
    for (const Configuration::Placed& placed : one.placed) {
      identity.number(static_cast<std::int64_t>(placed.client));
      sim::encode(identity, placed.result);
    }
    identity.number(static_cast<std::int64_t>(one.open.size()));
    for (const OpenCall& call : one.open) sim::encode(identity, call);
  }
}

std::size_t ObjectHistory::size() const {
  std::size_t size = 0;
  for (const Configuration& one : possible) {
    size += 1 + one.state.size() + one.placed.size() + one.open.size();
  }
  return size;
}

std::uint16_t ObjectHistory::role(std::size_t client) const {
  const PendingCall* const found = find(client);
  if (found == nullptr) return 0;
  constexpr std::uint32_t odd = 31;
  std::uint32_t role = found->has_begun ? 2 : 1;
  const auto add = [&role](std::int64_t number) {
    role = role * odd + static_cast<std::uint32_t>(number) + 1U;
  };
  for (const char letter : found->call.operation) add(letter);
  add(found->call.argument.value_or(-1));
  for (const Configuration& one : possible) {
    const auto placed = placed_of(one, client);
    // Names order the configurations, so their order must not matter here.
    if (placed == one.placed.end()) continue;
    role += odd * (static_cast<std::uint32_t>(placed->result.value_or(-1)) + 2U);
  }
  return static_cast<std::uint16_t>(role);
}

}  // namespace interlock::sim
