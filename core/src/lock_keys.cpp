#include "interlock/store/lock_keys.hpp"

#include <string_view>

namespace interlock {
namespace {

constexpr std::string_view fencing_suffix = ":interlock:fence";
constexpr std::string_view queue_suffix = ":interlock:queue";
constexpr std::string_view holders_suffix = ":interlock:holders";
constexpr std::string_view last_run_suffix = ":interlock:last";
constexpr std::string_view leader_suffix = ":interlock:leader";
constexpr std::string_view release_suffix = ":interlock:released";

// Redis hashes what stands between the first '{' and the next '}', if that is not empty.
bool has_hash_tag(std::string_view key) {
  const auto open = key.find('{');
  if (open == std::string_view::npos) return false;
  const auto close = key.find('}', open + 1);
  return close != std::string_view::npos && close > open + 1;
}

void write_beside(const Key& lock, std::string_view suffix, std::string& into) {
  const std::string& name = lock.text();
  // The second colon keeps what belongs to a lock named "{a}" apart from what belongs to "a".
  const bool tagged = has_hash_tag(name);
  into.clear();
  into.reserve(name.size() + 2 + suffix.size());
  if (!tagged) into += '{';
  into += name;
  into += tagged ? ':' : '}';
  into += suffix;
}

std::string beside(const Key& lock, std::string_view suffix) {
  std::string key;
  write_beside(lock, suffix, key);
  return key;
}

std::optional<Key> lock_beside(const Key& key, std::string_view suffix) {
  std::string_view name = key.text();
  if (!name.ends_with(suffix)) return std::nullopt;
  name.remove_suffix(suffix.size());
  if (name.ends_with(':')) {
    name.remove_suffix(1);
  } else if (name.starts_with('{') && name.ends_with('}') && name.size() > 2) {
    name = name.substr(1, name.size() - 2);
  }
  const Key lock{std::string(name)};
  return beside(lock, suffix) == key.text() ? std::optional<Key>(lock) : std::nullopt;
}

}  // namespace

Key fencing_key(const Key& lock) {
  return Key(beside(lock, fencing_suffix));
}

Key queue_key(const Key& lock) {
  return Key(beside(lock, queue_suffix));
}

Key holders_key(const Key& lock) {
  return Key(beside(lock, holders_suffix));
}

Key last_run_key(const Key& lock) {
  return Key(beside(lock, last_run_suffix));
}

Key leader_key(const Key& lock) {
  return Key(beside(lock, leader_suffix));
}

Key incarnation_key() {
  return Key("interlock:incarnation");
}

Channel release_channel(const Key& lock) {
  return Channel(beside(lock, release_suffix));
}

void write_fencing_key(const Key& lock, std::string& into) {
  write_beside(lock, fencing_suffix, into);
}

void write_release_channel(const Key& lock, std::string& into) {
  write_beside(lock, release_suffix, into);
}

LockKeys::LockKeys(const Key& lock)
    : all_({lock, fencing_key(lock), queue_key(lock)}),
      released_(interlock::release_channel(lock)) {}

bool keys_share_a_slot(std::string_view name) {
  return has_hash_tag(name) || name.find('}') == std::string_view::npos;
}

bool is_reserved(std::string_view name) {
  return name.starts_with("interlock:") || name.find(":interlock:") != std::string_view::npos;
}

std::optional<Key> lock_of_fencing_key(const Key& key) {
  return lock_beside(key, fencing_suffix);
}

std::optional<Key> lock_of_last_run_key(const Key& key) {
  return lock_beside(key, last_run_suffix);
}

}  // namespace interlock
