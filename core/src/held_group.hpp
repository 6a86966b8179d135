// The group that has a lock, for the native halves of scripts; lua/parts/group.lua is the other
// half.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/store/keyspace.hpp"

namespace interlock {

// What an owner wants, by the end of its token.
class Wish {
 public:
  static constexpr std::string_view readers = "shared";

  static Wish of(std::string_view owner);

  std::string kind;  // `shared`, or the number of all permits; empty: the lock alone
  std::int64_t weight = 0;
};

class HeldGroup {
 public:
  HeldGroup(Keyspace& keyspace, const Key& lock, const Key& holders)
      : keyspace_(keyspace), lock_(lock), holders_(holders) {}

  // False: a key is of another type.
  bool read(const std::optional<std::string>& holder);

  bool is_there() const { return !kind_.empty(); }
  const std::string& kind() const { return kind_; }
  bool is_shared() const { return kind_ == Wish::readers; }
  bool has(const std::string& owner) const;
  std::size_t size() const { return ends_.size(); }
  std::int64_t token() const { return token_; }
  std::vector<std::pair<milliseconds, std::string>> by_end() const {
    std::vector<std::pair<milliseconds, std::string>> all;
    for (const auto& [owner, ends] : ends_) all.emplace_back(ends, owner);
    std::sort(all.begin(), all.end());
    return all;
  }
  // None: it has no holder.
  std::optional<milliseconds> first_end() const;

  bool fits(const Wish& wish) const;
  // It is for another number of permits.
  bool counts_otherwise(const Wish& wish) const {
    return is_there() && !is_shared() && !wish.kind.empty() && wish.kind != Wish::readers &&
           wish.kind != kind_;
  }
  void admit(const Wish& wish);
  // A new group, of a first owner that has come with this token. Only where none is there: so no
  // holder of one before was read.
  void start(const Wish& wish, std::int64_t token);
  void set(const std::string& owner, milliseconds ends) { ends_[owner] = ends; }
  void remove(const std::string& owner);
  // The lock's key stays until then at least.
  void save(milliseconds at_least = milliseconds{0});

 private:
  void take_away(const std::string& owner);

  Keyspace& keyspace_;
  const Key& lock_;
  const Key& holders_;
  std::string kind_;
  std::int64_t token_ = 0;  // of readers
  std::int64_t used_ = 0;
  std::map<std::string, milliseconds> ends_;  // of those whose leases have not ended
};

}  // namespace interlock
