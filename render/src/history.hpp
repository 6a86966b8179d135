// Facts about a run: which client wrote the key last, which clients are inside, and why a step
// violates a property.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/run.hpp"

namespace interlock::sim::draw {

// A moment is the world after so many steps; moment 0 is the beginning.
class History {
 public:
  explicit History(const Run& run);

  const std::string& key() const { return key_; }
  const std::string& lock() const { return lock_; }
  std::size_t servers() const { return servers_; }
  const Snapshot& world(std::size_t moment) const {
    return moment == 0 ? run_.before : run_.steps[moment - 1].after;
  }

  // The clients that believe that they hold the lock.
  std::vector<std::size_t> holders(std::size_t moment) const;
  // The clients that begin to hold a lock in this step.
  std::optional<std::size_t> entered(std::size_t step) const;
  // If this is a step of time: the clients whose belief that they hold a lock ends in it.
  std::optional<std::size_t> ended(std::size_t step) const;
  // The owner whose key another client removes or replaces in this step, while the owner is inside.
  std::optional<std::size_t> robbed(std::size_t step) const;
  // The client believes that it holds the lock, and the key says otherwise.
  bool outlived(std::size_t moment, std::size_t client) const;
  // The key holds an instant, as stamp locks write it, and that instant is over.
  bool stamp_is_past(std::size_t moment) const;

  // Why the step could break a lock, in one line; empty if there is no simple reason.
  std::string why(std::size_t step) const;

 private:
  std::string find_lock() const;
  std::string find_key() const;
  void follow_writers();
  std::optional<std::size_t> inside_only_in(std::size_t one, std::size_t other) const;
  bool is_about_key(const RunStep& step) const;
  std::optional<std::size_t> stale_read(std::size_t step) const;
  std::string why_stale(std::size_t step, std::size_t other) const;
  std::string why_outlived(std::size_t step, std::size_t other) const;
  std::string why_anothers(std::size_t step) const;
  std::string last_change(const KeyView& key, std::size_t step) const;

  const Run& run_;
  std::string lock_;
  std::string key_;
  std::size_t servers_ = 1;
  std::vector<std::optional<std::size_t>> writers_;  // of the key's value, by moment
};

}  // namespace interlock::sim::draw
