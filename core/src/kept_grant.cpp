#include "interlock/kept_grant.hpp"

namespace interlock {
namespace {

enum KeptState : std::uint64_t {
  closed,
  section,  // goes on
  kept,
  taken,  // closed while it was kept
};
constexpr std::uint64_t state_mask = 3;
constexpr std::uint64_t one_section = 4;

KeptState state_of(std::uint64_t word) {
  return static_cast<KeptState>(word & state_mask);
}

std::int64_t section_of(std::uint64_t word) {
  return static_cast<std::int64_t>(word / one_section);
}

std::uint64_t in_state(std::uint64_t word, KeptState state) {
  return (word & ~state_mask) | state;
}

}  // namespace

bool KeptGrant::keep() noexcept {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  if (state_of(word) != KeptState::section || section_of(word) >= sections_) return false;
  return word_.compare_exchange_strong(word, in_state(word, KeptState::kept),
                                       std::memory_order_acq_rel, std::memory_order_relaxed);
}

bool KeptGrant::is_kept() const noexcept {
  return state_of(word_.load(std::memory_order_relaxed)) == KeptState::kept;
}

KeptGrant::Begins KeptGrant::begin_section(TimePoint now) noexcept {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  if (state_of(word) != KeptState::kept) return Begins::no;
  // At the time of the exchange, the word may already be that of a later grant with another limit.
  const bool in_time = now.time_since_epoch().count() < until_.load(std::memory_order_relaxed);
  const std::uint64_t begun = in_time ? word + one_section : word;
  if (!word_.compare_exchange_strong(word, in_state(begun, KeptState::section),
                                     std::memory_order_acq_rel, std::memory_order_relaxed)) {
    return Begins::no;
  }
  return in_time ? Begins::in_time : Begins::too_late;
}

std::int64_t KeptGrant::section() const noexcept {
  return section_of(word_.load(std::memory_order_relaxed));
}

bool KeptGrant::is_open() const noexcept {
  return state_of(word_.load(std::memory_order_relaxed)) == KeptState::section;
}

bool KeptGrant::was_taken() const noexcept {
  return state_of(word_.load(std::memory_order_acquire)) == KeptState::taken;
}

void KeptGrant::open(std::int64_t sections, TimePoint until) noexcept {
  sections_ = sections;
  until_.store(until.time_since_epoch().count(), std::memory_order_relaxed);
  word_.store(KeptState::section, std::memory_order_release);
}

void KeptGrant::leave_closed() noexcept {
  word_.store(KeptState::closed, std::memory_order_release);
}

KeptGrant::ClosedGrant KeptGrant::close() noexcept {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const bool was_kept = state_of(word) == KeptState::kept;
    const std::uint64_t next = in_state(word, was_kept ? KeptState::taken : KeptState::closed);
    if (word_.compare_exchange_weak(word, next, std::memory_order_acq_rel,
                                    std::memory_order_relaxed)) {
      return {was_kept, section_of(word)};
    }
  }
}

}  // namespace interlock
