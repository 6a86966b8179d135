// The servers of a Redis Cluster, and which of them keeps which hash slots.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "endpoint.hpp"
#include "hash_slot.hpp"
#include "interlock/posix/fork.hpp"
#include "redirection.hpp"

namespace interlock::redis {

// A server that a cluster has, or once had. Its number never changes, so that it can be compared.
using NodeNumber = std::uint32_t;
inline constexpr NodeNumber no_node = 0xFFFF'FFFF;

// The subscriptions of a store of many servers have numbers that tell the server.
inline constexpr SubscriptionId subscription_step = 1 << 20;
constexpr SubscriptionId first_subscription(NodeNumber node) {
  return subscription_step + static_cast<SubscriptionId>(node);
}
constexpr NodeNumber node_of(SubscriptionId subscription) {
  return static_cast<NodeNumber>(subscription % subscription_step);
}
bool names_subscription(OperationKind kind);
// The reply to such an operation if there is no subscription of that number.
Reply without_subscription(OperationKind kind);

// What all stores of one backend know of their cluster. Safe for several threads.
class Cluster final : private posix::ForkGuard {
 public:
  explicit Cluster(const Options& options);
  ~Cluster() { leave(); }

  using ForkGuard::process;
  const Options& options() const noexcept { return options_; }
  // "redis+cluster://..."
  const std::string& name() const noexcept { return name_; }

  // The server that keeps this slot; `no_node`: as far as this knows, none does.
  NodeNumber keeper(HashSlot slot) const noexcept { return keepers_[slot].load(); }
  // Whether a server has told once who keeps which slots.
  bool is_known() const noexcept { return version_.load() != 0; }
  // Changes with what keeper() says.
  std::uint64_t version() const noexcept { return version_.load(); }
  bool keeps_slots(NodeNumber node) const noexcept;
  // The servers that keep slots.
  std::vector<NodeNumber> primaries() const;
  std::size_t slots_kept() const noexcept;

  // The connections to a server begin here.
  std::shared_ptr<Endpoint> endpoint(NodeNumber node);

  // Where a server sends an operation.
  NodeNumber follow(const Redirection& to);
  // Two servers may send it to each other while neither has heard which of them has the slot. More
  // than so many times, and it is `unavailable`.
  static constexpr std::uint8_t most_sent_on = 5;
  Error sent_in_circles() const;

  // --- asking a server who keeps which slots -----------------------------------------------------
  // The question is two commands. learn() takes both answers.
  static constexpr std::size_t answers_to_question = 2;
  static std::string question();
  // None: learned. `unavailable`: this server knows less than another that answered before, or does
  // not know the slots' servers; ask the next one. `rejected`: it is no server of a cluster, or
  // this user may not ask.
  std::optional<Error> learn(const Answer& slots, const Answer& info, const Endpoint& teller);
  // `rejected`, for options that a cluster cannot keep: nothing is asked then.
  std::optional<Error> wrong_options() const;
  // The servers to ask one after the other, and no more of them: together they take at most the
  // connect_timeout. All that the options name, while nothing is known; later some, and each call
  // begins with the next one.
  std::vector<std::shared_ptr<Endpoint>> to_ask();
  // How long to wait before asking once more. A caller that need not wait asks now: others wait
  // from now on.
  Duration pause_before_asking(Clock::time_point now);
  // `unavailable`, if no server keeps the slot.
  Error nobody_keeps(HashSlot slot) const;
  // Why nobody could tell, from the error of the last that was asked.
  Error nobody_tells(const Error& last) const;

 private:
  class ClusterNode {
   public:
    HostAndPort address;
    std::shared_ptr<Endpoint> endpoint;  // made when first needed
  };
  using Keepers = std::array<NodeNumber, hash_slots>;

  void before_fork() override { mutex_.lock(); }
  void after_fork_in_parent() override { mutex_.unlock(); }
  void after_fork_in_child() override { mutex_.unlock(); }

  std::vector<HostAndPort> addresses_to_ask();
  // All of these: under the mutex.
  NodeNumber number_of(const std::string& host, std::uint16_t port);
  bool read_range(const Value& range, const Endpoint& teller, Keepers& keepers);
  void keep(const Keepers& keepers);

  const Options options_;
  const std::string name_;
  std::mutex mutex_;
  std::vector<ClusterNode> nodes_;  // first those that the options name
  std::int64_t epoch_ = -1;         // the greatest that a server has told
  std::size_t stale_answers_ = 0;
  std::size_t next_to_ask_ = 0;
  Clock::time_point asked_at_{};

  std::array<std::atomic<NodeNumber>, hash_slots> keepers_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace interlock::redis
