// The vocabulary as types, so that a lock name cannot be passed where an owner token is meant. All
// are classes with constructors: GCC 12 destroys braced aggregates twice when they share a full
// expression with a co_await. They are plain values: different objects may be used by different
// threads.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "interlock/detail/shared_text.hpp"
#include "interlock/error.hpp"

#pragma GCC visibility push(default)

namespace interlock {

using Duration = std::chrono::microseconds;  // a time between two instants
using std::chrono::milliseconds;

// The local clock that leases are measured by: it never jumps, and it counts on while the machine
// sleeps. It has no now() on purpose: only a TimeSource knows what time it is.
class LocalClock {
 public:
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<LocalClock>;
  static constexpr bool is_steady = true;
};
using TimePoint = LocalClock::time_point;  // an instant of the local clock

// The clock of a store, by which its keys expire. Never compared with a TimePoint.
class StoreClock {
 public:
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<StoreClock>;
  static constexpr bool is_steady = false;
};
using StoreTime = StoreClock::time_point;  // an instant of a store's clock

// Text with one meaning. `Tag` distinguishes the kinds. Copies share the text.
template <class Tag>
class Text {
 public:
  Text() = default;
  explicit Text(std::string text) : text_(std::move(text)) {}
  // A template, because a literal would suit both constructors.
  template <std::same_as<detail::SharedText> Shared>
  explicit Text(Shared text) : text_(std::move(text)) {}

  const std::string& text() const noexcept { return text_.text(); }
  const detail::SharedText& shared() const noexcept { return text_; }
  bool empty() const noexcept { return text_.empty(); }

  friend auto operator<=>(const Text&, const Text&) = default;
  friend bool operator==(const Text&, const Text&) = default;

 private:
  detail::SharedText text_;
};

// The name under which a protocol keeps state in the store.
using Key = Text<class KeyTag>;

// The name under which a store sends messages to subscribers; on Redis a publish/subscribe channel.
using Channel = Text<class ChannelTag>;

class LockKeys;

// The name of a lock, as users write it: 1 to 512 bytes without control characters, so that it fits
// on one line of a message and into any store's key. It is the lock's key in the store. Other keys
// of the lock are kept beside it, and their names cannot be names of locks. Braces mean what they
// mean to a Redis Cluster: a name with a '}' must have a hash tag, as `{eu}/orders` has, so that
// all keys of a lock are in one slot. The rules are the same on every store, so that a name is
// valid on all or none. Copies share the name and what keys() made: keep a name that is used often.
class LockName {
 public:
  static constexpr std::size_t size_max = 512;  // bytes of the longest name

  // `invalid_argument`: empty, longer than `size_max`, with a control character, beginning with
  // `interlock:` or with `:interlock:` in it, or with a '}' and no hash tag (`a}b`, `{}x`).
  static Result<LockName> parse(std::string_view text);

  // Empty if the name was moved from.
  const std::string& text() const noexcept;
  // The keys of the lock in a store: interlock/store/lock_keys.hpp. Made by the first call and kept
  // for all copies of this name. Any thread. If the name was moved from, the process ends with a
  // message.
  const LockKeys& keys() const;

  friend std::strong_ordering operator<=>(const LockName& one, const LockName& other) {
    return one.text() <=> other.text();
  }
  friend bool operator==(const LockName& one, const LockName& other) {
    return one.shared_ == other.shared_ || one.text() == other.text();
  }

 private:
  class NameAndKeys;
  explicit LockName(std::shared_ptr<const NameAndKeys> shared) : shared_(std::move(shared)) {}
  friend Key lock_key(const LockName& name);

  std::shared_ptr<const NameAndKeys> shared_;
};

// An unguessable value, new for each acquire, which proves to the store who holds a lock.
class OwnerToken {
 public:
  // Tokens of this library begin with this mark. A client that finds it in a lock's key knows that
  // the holder will announce its release; a foreign holder (redis-py, redsync) will not.
  static constexpr std::string_view mark = "il1:";
  // The end of the tokens of holders that hand over to the clients which queue for the lock.
  static constexpr std::string_view fair_mark = "/fair";
  // Before fair_mark in the tokens of holders that may keep the lock after their section; between
  // the two is the wake-up channel, without its prefix, on which a message makes them give it back.
  static constexpr std::string_view keep_mark = "/keep:";

  // The end of the tokens of holders that have the lock together with other readers.
  static constexpr std::string_view shared_mark = "/shared/fair";
  // Before `<n>of<all>/fair` in the tokens of holders that have n permits: see Permits.
  static constexpr std::string_view permits_mark = "/permits:";

  // What a store with a quarantine names as the holder of every lock that it does not grant yet. It
  // ends and begins like a token of ours, because waiters need not poll.
  static constexpr std::string_view quarantine = "il1:quarantine/fair";

  OwnerToken() = default;
  explicit OwnerToken(std::string text) : text_(std::move(text)) {}

  const std::string& text() const noexcept { return text_.text(); }  // as the store has it
  const detail::SharedText& shared() const noexcept { return text_; }
  // What its marks say of the holder.
  bool announces_release() const noexcept { return text().starts_with(mark); }
  bool hands_over() const noexcept { return text().ends_with(fair_mark); }
  bool is_quarantine() const noexcept { return text() == quarantine; }

  friend auto operator<=>(const OwnerToken&, const OwnerToken&) = default;
  friend bool operator==(const OwnerToken&, const OwnerToken&) = default;

 private:
  detail::SharedText text_;
};

// A number that grows with every grant of a lock name; readers that have a lock together have the
// same one. A resource that refuses numbers smaller than the largest it has seen cannot be harmed
// by a holder that was paused past its lease.
// Source: M. Kleppmann, "How to do distributed locking", 2016.
class FencingToken {
 public:
  FencingToken() = default;
  explicit FencingToken(std::uint64_t value) : value_(value) {}

  std::uint64_t value() const noexcept { return value_; }  // 0: there is none

  friend auto operator<=>(const FencingToken&, const FencingToken&) = default;
  friend bool operator==(const FencingToken&, const FencingToken&) = default;

 private:
  std::uint64_t value_ = 0;
};

// How long a lease lasts in the store without a renewal, by the store's clock: 1 ms to 365 days.
class Ttl {
 public:
  static constexpr milliseconds shortest{1};  // 1 ms; an acquire needs more: see LockOptions::ttl
  static constexpr milliseconds longest{std::chrono::hours{24 * 365}};  // 365 days

  // `invalid_argument`: outside [shortest, longest].
  static Result<Ttl> parse(milliseconds duration);

  // For constants in code; a value out of range ends the process with a message.
  explicit Ttl(milliseconds duration);

  milliseconds duration() const noexcept { return duration_; }  // as it was given

  friend auto operator<=>(const Ttl&, const Ttl&) = default;
  friend bool operator==(const Ttl&, const Ttl&) = default;

 private:
  milliseconds duration_;
};

// Another owner holds the lock, or the store grants none yet (OwnerToken::is_quarantine): what a
// claim and an acquire give then.
class Busy {
 public:
  Busy(OwnerToken by, std::optional<milliseconds> expires_in, std::optional<milliseconds> since)
      : holder(std::move(by)), remaining(expires_in), held_for(since) {}
  OwnerToken holder;  // or what the lock's key says of a group: see GroupOfHolders
  std::optional<milliseconds> remaining;  // none: the key does not expire, or it is not known
  std::optional<milliseconds> held_for;   // none: it is not known, as with foreign holders
  // For a protocol with a queue: when the request was sent that this answers, and the last fencing
  // token that the store had given by then. None: it is not known.
  TimePoint asked{};
  std::optional<FencingToken> last_given;
};

}  // namespace interlock

template <>
struct std::hash<interlock::LockName> {
  // Not noexcept: with that, libstdc++ keeps no hashes, and makes those of a name's neighbours
  // anew.
  std::size_t operator()(const interlock::LockName& name) const {
    return std::hash<std::string>()(name.text());
  }
};

#pragma GCC visibility pop
