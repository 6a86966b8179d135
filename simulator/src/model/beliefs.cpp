#include "model/beliefs.hpp"

#include <algorithm>
#include <bit>

namespace interlock::sim {

void Beliefs::set(std::size_t client, std::int32_t end, bool by_wall_clock) {
  ends_[client] = end;
  by_wall_clock_ &= ~(1U << client);
  if (by_wall_clock) by_wall_clock_ |= 1U << client;
}

void Beliefs::set_end(std::size_t client, std::int32_t instant, bool by_wall_clock) {
  // An end that is too far away to come is still an end.
  set(client, std::clamp(instant, over + 1, never - 1), by_wall_clock);
}

void Beliefs::stop(std::size_t client) {
  set(client, over, false);
  now_ &= ~(1U << client);
}

Beliefs::Settled Beliefs::settle(const ClocksOfAll& clocks, Setback setback, std::size_t at_most) {
  Settled settled;
  std::uint32_t now = 0;
  for (std::size_t client = 0; client < Permutation::count; ++client) {
    const std::uint32_t me = 1U << client;
    const std::int32_t shows = shown(clocks, client);
    const std::int32_t back = (by_wall_clock_ & me) != 0 ? setback.wall : setback.time;
    // Which clock it was does not matter any more.
    if (has_end(client) && ends_[client] <= shows - back) set(client, over, false);
    if (ends_[client] <= shows) continue;
    now |= me;
    if (has_end(client)) settled.with_an_end |= me;
  }
  const auto believers = static_cast<std::size_t>(std::popcount(now));
  settled.too_many = (now & ~now_) != 0 && believers > at_most;
  now_ = now;
  return settled;
}

bool Beliefs::one_will_end() const {
  for (std::size_t client = 0; client < Permutation::count; ++client) {
    if (has_end(client) && (now_ >> client & 1U) != 0) return true;
  }
  return false;
}

bool Beliefs::may_end_before(const Beliefs& others, std::size_t client) const {
  const bool other_clock = ((by_wall_clock_ ^ others.by_wall_clock_) >> client & 1U) != 0;
  if (ends_[client] == never || others.ends_[client] == over) return false;
  return other_clock || ends_[client] < others.ends_[client];
}

std::int32_t Beliefs::longest(const ClocksOfAll& clocks) const {
  std::int32_t longest = 0;
  for (std::size_t client = 0; client < Permutation::count; ++client) {
    if (has_end(client)) longest = std::max(longest, ends_[client] - shown(clocks, client));
  }
  return longest;
}

void Beliefs::age() {
  for (std::size_t client = 0; client < Permutation::count; ++client) {
    if (has_end(client)) --ends_[client];
  }
}

Beliefs Beliefs::renamed(const Permutation& permutation) const {
  Beliefs other;
  for (std::size_t client = 0; client < Permutation::count; ++client) {
    const std::size_t to = permutation[client];
    other.ends_[to] = ends_[client];
    other.by_wall_clock_ |= (by_wall_clock_ >> client & 1U) << to;
    other.now_ |= (now_ >> client & 1U) << to;
  }
  return other;
}

std::uint16_t Beliefs::role(std::size_t client) const {
  constexpr std::uint32_t some_bits = 7;
  const auto end = static_cast<std::uint32_t>(ends_[client]) & some_bits;
  return static_cast<std::uint16_t>(end << 1 | (now_ >> client & 1U));
}

void Beliefs::encode(Encoder& out) const {
  out.number(now_).number(by_wall_clock_);
  for (const std::int32_t end : ends_) out.number(end);
}

}  // namespace interlock::sim
