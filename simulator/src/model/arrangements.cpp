#include "model/arrangements.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace interlock::sim {

Arrangements::Arrangements(const Engine& engine, Snapshot view)
    : view_(std::move(view)), named_(named_in_texts()) {
  const bool merges = engine.merges_identical_clients();
  for (std::size_t client = 0; client < view_.clients.size(); ++client) {
    who_[client] = static_cast<std::uint8_t>(client);
    // Identical clients stand side by side.
    std::size_t& end = end_of_class_[client];
    for (end = client + 1; merges && end < view_.clients.size(); ++end) {
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

Permutation Arrangements::permutation() const {
  Permutation permutation;
  for (std::size_t place = 0; place < view_.clients.size(); ++place)
    permutation.set(who_[place], place);
  return permutation;
}

// The clients that a Snapshot names outside of their own views: by owner tokens in its texts, and
// as last writers. (Names of locks and resources hold no tokens: the audit makes sure of that.)
std::uint32_t Arrangements::named_in_texts() const {
  std::uint32_t named = 0;
  for (const KeyView& key : view_.keys) named |= mentions(key.key) | mentions(key.value);
  for (const ClientView& client : view_.clients) named |= mentions(client.next);
  for (const ResourceView& resource : view_.resources) {
    for (std::size_t client = 0; client < view_.clients.size(); ++client) {
      if (resource.last_writer == view_.clients[client].name) named |= 1U << client;
    }
  }
  return named;
}

bool Arrangements::look_alike(std::size_t one, std::size_t other) const {
  const ClientView& left = view_.clients[one];
  const ClientView& right = view_.clients[other];
  return (named_ >> one & 1) == 0 && (named_ >> other & 1) == 0 && left.status == right.status &&
         left.next == right.next && left.inside == right.inside && left.wants == right.wants;
}

void Arrangements::exchange(std::size_t one, std::size_t other) {
  if (one == other) return;
  std::swap(who_[one], who_[other]);
  std::swap(looks_like_[one], looks_like_[other]);
  std::swap(view_.clients[one], view_.clients[other]);
  std::swap(view_.clients[one].name, view_.clients[other].name);
  const std::uint32_t both = 1U << one | 1U << other;
  if ((named_ & both) == 0) return;
  if ((named_ & both) != both) named_ ^= both;
  rename_texts(one, other);
}

void Arrangements::rename_texts(std::size_t one, std::size_t other) {
  const Permutation permutation = Permutation::swap(one, other);
  for (ClientView& client : view_.clients) rename(client.next, permutation);
  for (KeyView& key : view_.keys) {
    rename(key.key, permutation);
    rename(key.value, permutation);
  }
  std::sort(view_.keys.begin(), view_.keys.end(), [](const KeyView& left, const KeyView& right) {
    return std::tie(left.server, left.key) < std::tie(right.server, right.key);
  });
  const std::string& first = view_.clients[one].name;
  const std::string& second = view_.clients[other].name;
  for (ResourceView& resource : view_.resources) {
    if (resource.last_writer == first) {
      resource.last_writer = second;
    } else if (resource.last_writer == second) {
      resource.last_writer = first;
    }
  }
}

}  // namespace interlock::sim
