#include "model/arrangements.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace interlock::sim {
namespace {

std::size_t clients_in(const Snapshot& world) {
  return world.clients.size();
}
std::size_t clients_in(const StepView& step) {
  return clients_in(step.before);
}

// The clients that a Snapshot names outside of their own views: by owner tokens in its texts, and
// as last writers. (Names of locks and resources hold no tokens: the audit makes sure of that.)
std::uint32_t named_in_texts(const Snapshot& world) {
  std::uint32_t named = 0;
  for (const KeyView& key : world.keys) named |= mentions(key.key) | mentions(key.value);
  for (const ClientView& client : world.clients) named |= mentions(client.next);
  for (const ResourceView& resource : world.resources) {
    for (std::size_t client = 0; client < world.clients.size(); ++client) {
      if (resource.last_writer == world.clients[client].name) named |= 1U << client;
    }
  }
  return named;
}
// A step names its mover, too.
std::uint32_t named_in_texts(const StepView& step) {
  return named_in_texts(step.before) | named_in_texts(step.after) |
         (step.client ? 1U << *step.client : 0U);
}

bool look_alike_in(const Snapshot& world, std::size_t one, std::size_t other) {
  const ClientView& left = world.clients[one];
  const ClientView& right = world.clients[other];
  return left.status == right.status && left.next == right.next && left.inside == right.inside &&
         left.wants == right.wants && left.ghosts == right.ghosts &&
         left.restarts == right.restarts;
}
bool look_alike_in(const StepView& step, std::size_t one, std::size_t other) {
  return look_alike_in(step.before, one, other) && look_alike_in(step.after, one, other);
}

void exchange_views(Snapshot& world, std::size_t one, std::size_t other) {
  std::swap(world.clients[one], world.clients[other]);
  std::swap(world.clients[one].name, world.clients[other].name);
}
void exchange_views(StepView& step, std::size_t one, std::size_t other) {
  exchange_views(step.before, one, other);
  exchange_views(step.after, one, other);
}

void rename_texts(Snapshot& world, std::size_t one, std::size_t other) {
  const Permutation permutation = Permutation::swap(one, other);
  for (ClientView& client : world.clients) rename(client.next, permutation);
  for (KeyView& key : world.keys) {
    rename(key.key, permutation);
    rename(key.value, permutation);
  }
  std::sort(world.keys.begin(), world.keys.end(), [](const KeyView& left, const KeyView& right) {
    return std::tie(left.server, left.key) < std::tie(right.server, right.key);
  });
  const std::string& first = world.clients[one].name;
  const std::string& second = world.clients[other].name;
  for (ResourceView& resource : world.resources) {
    if (resource.last_writer == first) {
      resource.last_writer = second;
    } else if (resource.last_writer == second) {
      resource.last_writer = first;
    }
  }
}
void rename_texts(StepView& step, std::size_t one, std::size_t other) {
  rename_texts(step.before, one, other);
  rename_texts(step.after, one, other);
  if (step.client) step.client = Permutation::swap(one, other)[*step.client];
}

}  // namespace

template <class Seen>
Arrangements<Seen>::Arrangements(const Engine& engine, Seen view)
    : view_(std::move(view)), clients_(clients_in(view_)), named_(named_in_texts(view_)) {
  const bool merges = engine.merges_identical_clients();
  for (std::size_t client = 0; client < clients_; ++client) {
    who_[client] = static_cast<std::uint8_t>(client);
    // Identical clients stand side by side.
    std::size_t& end = end_of_class_[client];
    for (end = client + 1; merges && end < clients_; ++end) {
      if (engine.class_of(end) != engine.class_of(client)) break;
    }
    looks_like_[client] = static_cast<std::uint8_t>(client);
    for (std::size_t other = engine.class_of(client); other < client; ++other) {
      if (!look_alike(other, client)) continue;
      looks_like_[client] = looks_like_[other];
      break;
    }
  }
}

template <class Seen>
Permutation Arrangements<Seen>::permutation() const {
  Permutation permutation;
  for (std::size_t place = 0; place < clients_; ++place) permutation.set(who_[place], place);
  return permutation;
}

template <class Seen>
bool Arrangements<Seen>::look_alike(std::size_t one, std::size_t other) const {
  return (named_ >> one & 1) == 0 && (named_ >> other & 1) == 0 && look_alike_in(view_, one, other);
}

template <class Seen>
void Arrangements<Seen>::exchange(std::size_t one, std::size_t other) {
  if (one == other) return;
  std::swap(who_[one], who_[other]);
  std::swap(looks_like_[one], looks_like_[other]);
  exchange_views(view_, one, other);
  const std::uint32_t both = 1U << one | 1U << other;
  if ((named_ & both) == 0) return;
  if ((named_ & both) != both) named_ ^= both;
  rename_texts(view_, one, other);
}

template class Arrangements<Snapshot>;
template class Arrangements<StepView>;

}  // namespace interlock::sim
