// One possible step of the world as a number: small enough to keep for every state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "interlock/sim/faults.hpp"

namespace interlock::sim {

class Action {
 public:
  // The first three are ordinary, the others name their fault: fault + `first_fault`.
  enum class Kind : std::uint8_t { move, start, time, first_fault };

  Action() = default;
  Action(Kind kind, std::size_t actor, std::size_t slot = 0, std::size_t variant = 0)
      : code_(static_cast<std::uint32_t>(kind) << 27 | static_cast<std::uint32_t>(actor) << 23 |
              static_cast<std::uint32_t>(slot) << 19 | static_cast<std::uint32_t>(variant) << 12) {}
  Action(Fault fault, std::size_t actor, std::size_t slot = 0, std::size_t variant = 0)
      : Action(static_cast<Kind>(static_cast<std::size_t>(Kind::first_fault) +
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
  bool is(Kind kind) const { return kind_number() == static_cast<std::uint32_t>(kind); }
  std::optional<Fault> fault() const {
    const auto first = static_cast<std::uint32_t>(Kind::first_fault);
    if (kind_number() < first) return std::nullopt;
    return static_cast<Fault>(kind_number() - first);
  }
  // A client; for faults of a server, that server.
  std::size_t actor() const { return code_ >> 23 & 15; }
  std::size_t slot() const { return code_ >> 19 & 15; }
  std::size_t variant() const { return code_ >> 12 & 127; }
  bool held() const { return (code_ >> 11 & 1) != 0; }
  std::size_t choice() const { return code_ & 2047; }

  Action with_choice(std::size_t choice) const {
    return from_code((code_ & ~2047U) | static_cast<std::uint32_t>(choice));
  }
  Action with_held() const { return from_code(code_ | 1U << 11); }
  Action with_actor(std::size_t actor) const {
    return from_code((code_ & ~(15U << 23)) | static_cast<std::uint32_t>(actor) << 23);
  }
  // Of a move that ends a wait for a message: the subscription has ended with its connection. (Of a
  // request, the same number says that it is late.)
  static constexpr std::size_t subscription_ends = 1;
  Action with_variant(std::size_t variant) const {
    return from_code((code_ & ~(127U << 12)) | static_cast<std::uint32_t>(variant) << 12);
  }

  friend bool operator==(const Action&, const Action&) = default;

 private:
  std::uint32_t code_ = 0;
};

}  // namespace interlock::sim
