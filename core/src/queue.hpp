// The queue of a lock for the native halves of scripts; lua/parts/queue.lua is the other half.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/store/keyspace.hpp"

namespace interlock {

// One line of a queue.
class Place {
 public:
  static std::optional<Place> parse(std::string_view line);
  std::string text() const;
  bool listens() const { return wake_up != "-"; }

  std::string owner;
  bool waits = true;  // false: it has had an offer
  milliseconds kept_until{0};
  std::string wake_up;
};

class Queue {
 public:
  Queue(Keyspace& keyspace, const std::vector<Key>& keys, milliseconds window, std::int64_t block)
      : keyspace_(keyspace), keys_(keys), window_(window), block_(block) {}

  // False: a key is of another type.
  bool read();
  bool read_counter();

  milliseconds now() const;
  bool empty() const { return lines_.empty(); }
  const std::string& front() const { return lines_.front(); }
  std::optional<std::int64_t> previous() const { return previous_; }

  // How long the holder has held the lock, in ms; -1: unknown. Its grant has the first token of the
  // block that the counter ends.
  std::int64_t held_by(const Entry& holder) const;

  // Writes the queue, without the lines that were dropped.
  void save();
  // Keeps the queue for `life` and long beyond it: a waiter whose place has expired must still be
  // found in it, to be notified of that. Its expiry is set once in a retention at most.
  void keep(milliseconds life, milliseconds retention);

  // The first fencing token of the grant or offer that is made now.
  std::int64_t fencing() const;
  std::int64_t next_number(milliseconds kept);

  static constexpr std::size_t nowhere = ~std::size_t{0};
  std::size_t place_of(const std::string& owner) const;
  std::size_t size() const { return lines_.size(); }
  std::optional<Place> place_at(std::size_t n) const { return Place::parse(lines_[n]); }
  bool is_gone(std::size_t n) const { return lines_[n].empty(); }
  void change(std::size_t n, std::string line);
  void drop(std::size_t n);
  void drop_front();
  void append(std::string line);

  struct First {
    std::optional<std::string> owner;
    std::vector<std::size_t> places_of_mine;
  };
  // Returns the owner that is to have the lock: the first that waits and listens. Notifies it.
  // `joins`: the owner of this call takes a place behind all others after this.
  enum class Joins : bool { no, yes };
  First first_in_line(const std::string& owner, bool claims, Joins joins = Joins::no);
  void offer_to(const std::string& owner, milliseconds counter_kept);

  // Tells one who waits to ask again.
  void rouse(const Place& place);
  // The first that waits behind this place.
  void rouse_after(std::size_t n);

 private:
  bool is_heard(const Place& place, bool others_queue);

  Keyspace& keyspace_;
  const std::vector<Key>& keys_;
  milliseconds window_;
  std::int64_t block_;
  std::vector<std::string> lines_;
  bool changed_ = false;
  bool goes_ = false;
  std::optional<milliseconds> ends_;
  std::optional<std::int64_t> previous_;
};

// Whether the lock's key says that a group has the lock.
bool is_group(std::string_view holder);

// In a quarantine the lock is offered to nobody.
enum class Offers : bool { none, to_the_first };

// What queue_release does. `holder`: what the lock's key holds; or the owner, if the lock is to be
// released as if the owner had it alone.
Reply release_lock(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments,
                   Offers offers,
                   const std::optional<std::string>& holder);
// What the lock's key holds, for release_lock().
std::optional<std::string> holder_of(Keyspace& keyspace, const Key& lock);

}  // namespace interlock
