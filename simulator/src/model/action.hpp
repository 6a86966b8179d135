// One possible step of the world as a number: small enough to keep for every state. What does not
// fit into its bits is refused where it is made: widths.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/widths.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {

// The first three are ordinary, the others name their fault: fault + `first_fault`.
enum class ActionKind : std::uint8_t { move, start, time, first_fault };

class Action {
 public:
  Action() = default;
  Action(ActionKind kind, std::size_t actor, std::size_t slot = 0, std::size_t variant = 0)
      : code_(static_cast<std::uint32_t>(kind) << 27 | static_cast<std::uint32_t>(actor) << 24 |
              static_cast<std::uint32_t>(slot) << 20 | static_cast<std::uint32_t>(variant) << 11) {}
  Action(Fault fault, std::size_t actor, std::size_t slot = 0, std::size_t variant = 0)
      : Action(static_cast<ActionKind>(static_cast<std::size_t>(ActionKind::first_fault) +
                                       static_cast<std::size_t>(fault)),
               actor,
               slot,
               variant) {}
  static Action from_code(std::uint32_t code) {
    Action action;
    action.code_ = code;
    return action;
  }

  std::uint32_t code() const { return code_; }
  std::uint32_t kind_number() const { return code_ >> 27; }
  bool is(ActionKind kind) const { return kind_number() == static_cast<std::uint32_t>(kind); }
  std::optional<Fault> fault() const {
    const auto first = static_cast<std::uint32_t>(ActionKind::first_fault);
    if (kind_number() < first) return std::nullopt;
    return static_cast<Fault>(kind_number() - first);
  }
  // A fault of a server or of its clock.
  bool is_about_server() const {
    const auto what = fault();
    if (!what) return false;
    const FaultTarget target = fault_kind(*what).target;
    return target == FaultTarget::server || (target == FaultTarget::clock && slot() == 1);
  }
  // A client; if is_about_server(), a server.
  std::size_t actor() const { return code_ >> 24 & 7; }
  std::size_t slot() const { return code_ >> 20 & 15; }
  bool held() const { return (code_ >> 10 & 1) != 0; }
  std::size_t choice() const { return held() ? 0 : low(); }
  // What is lost when the connection breaks. The client learns of it then, and not before.
  enum class Lost : std::uint8_t { nothing, request, answer };
  Lost lost() const { return held() ? static_cast<Lost>(low()) : Lost::nothing; }
  // For a fault that hits a key: which key of its server. For one that misses writes: how many it
  // misses besides the last one. Else the four below.
  std::size_t variant() const { return code_ >> 11 & (variants - 1); }
  // For a fault that misses writes.
  std::size_t missed_writes() const { return variant() + 1; }
  // A request that was left behind is carried out.
  bool late() const { return how() == late_copy; }
  // A wait for a message ends, because its subscription has ended with its connection.
  bool subscription_ends() const { return how() == ends; }
  // The client also starts in this step, and takes this branch when it does.
  std::optional<std::size_t> start_branch() const {
    if (how() < first_start) return std::nullopt;
    return how() - first_start;
  }
  // The client that misses a message, counted from 1; 0: no client does.
  std::size_t subscriber() const { return variant() / hows; }

  static constexpr std::size_t choices = Widths::branches;
  static constexpr std::uint32_t choice_bits = std::bit_width(choices) - 1;
  static constexpr std::size_t variants = 512;
  static constexpr std::size_t late_copy = 1;
  static constexpr std::size_t ends = 2;
  // A client with more ways to start does so in a step of its own.
  static constexpr std::size_t start_branches = 29;
  static std::size_t starting(std::size_t branch) { return first_start + branch; }

  Action with_choice(std::size_t choice) const {
    return from_code((code_ & ~std::uint32_t{choices - 1}) | static_cast<std::uint32_t>(choice));
  }
  Action with_held(Lost lost = Lost::nothing) const {
    return from_code(code_ | 1U << 10 | static_cast<std::uint32_t>(lost));
  }
  Action with_actor(std::size_t actor) const {
    return from_code((code_ & ~(7U << 24)) | static_cast<std::uint32_t>(actor) << 24);
  }
  Action with_subscription_ended() const { return with_variant(ends); }
  Action with_start_branch(std::size_t branch) const {
    return with_variant(subscriber() * hows + starting(branch));
  }
  Action with_subscriber(std::size_t subscriber) const {
    return with_variant(subscriber * hows + how());
  }

  friend bool operator==(const Action&, const Action&) = default;

 private:
  static constexpr std::size_t hows = 32;
  static constexpr std::size_t first_start = 3;
  static_assert(first_start + start_branches == hows);
  static_assert(static_cast<std::size_t>(ActionKind::first_fault) + fault_kinds <= 32);

  std::size_t how() const { return variant() % hows; }
  std::uint32_t low() const { return code_ & (choices - 1); }
  Action with_variant(std::size_t variant) const {
    constexpr std::uint32_t mask = std::uint32_t{variants - 1} << 11;
    return from_code((code_ & ~mask) | static_cast<std::uint32_t>(variant) << 11);
  }

  std::uint32_t code_ = 0;
};

}  // namespace interlock::sim
