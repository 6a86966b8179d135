// Every state that was seen, once, in the order of discovery, with how it was reached.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "flat_map.hpp"

namespace interlock::sim {

// A row that grows without moving what it holds, so that memory never doubles for a moment.
template <class T>
class Row {
 public:
  T& operator[](std::size_t at) { return blocks_[at >> bits][at & mask]; }
  const T& operator[](std::size_t at) const { return blocks_[at >> bits][at & mask]; }
  void push_back(const T& value) {
    if ((size_ >> bits) == blocks_.size()) blocks_.push_back(std::make_unique<T[]>(mask + 1));
    (*this)[size_++] = value;
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return blocks_.size() * (mask + 1) * sizeof(T); }

 private:
  static constexpr std::size_t bits = 14;
  static constexpr std::size_t mask = (std::size_t{1} << bits) - 1;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

class Origin {
 public:
  std::uint32_t parent = 0;
  std::uint32_t action = 0;
};

template <class S>
class StateSet {
 public:
  StateSet() : slots_(1024, empty) {}

  static std::uint64_t hash(const S& state) {
    std::uint64_t mixed = 0;
    for (std::size_t at = 0; at < S::words; ++at) mixed = mix(mixed + state.word(at));
    return mixed;
  }

  // In two stages, each some insertions before the state's own: where its slot is, then the state
  // that the slot seems to hold. Both are far away in memory most of the time.
  void prefetch_slot(std::uint64_t hash) const {
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  void prefetch_state(std::uint64_t hash) const {
    const auto number_mask = static_cast<std::uint32_t>(slots_.size() - 1);
    const std::uint32_t slot = slots_[hash & number_mask];
    if (slot == empty || (slot & ~number_mask) != tag_of(hash, number_mask)) return;
    __builtin_prefetch(&states_[slot & number_mask]);
  }

  // True if it is new. A slot holds the state's number and, in the bits that are left, a part of
  // its hash, which saves most looks at other states. States are compared whole.
  bool insert(const S& state, std::uint64_t hash, Origin origin) {
    const std::size_t mask = slots_.size() - 1;
    const auto number_mask = static_cast<std::uint32_t>(mask);
    const std::uint32_t tag = tag_of(hash, number_mask);
    std::size_t at = hash & mask;
    for (; slots_[at] != empty; at = (at + 1) & mask) {
      if ((slots_[at] & ~number_mask) != tag) continue;
      if (states_[slots_[at] & number_mask] == state) return false;
    }
    slots_[at] = tag | static_cast<std::uint32_t>(states_.size());
    states_.push_back(state);
    origins_.push_back(origin);
    if (states_.size() * 4 > slots_.size() * 3) grow();
    return true;
  }

  // Its number; `absent` if it was not seen.
  static constexpr std::uint32_t absent = ~std::uint32_t{0};
  std::uint32_t find(const S& state) const {
    const std::uint64_t mixed = hash(state);
    const std::size_t mask = slots_.size() - 1;
    const auto number_mask = static_cast<std::uint32_t>(mask);
    const std::uint32_t tag = tag_of(mixed, number_mask);
    for (std::size_t at = mixed & mask; slots_[at] != empty; at = (at + 1) & mask) {
      if ((slots_[at] & ~number_mask) != tag) continue;
      const std::uint32_t number = slots_[at] & number_mask;
      if (states_[number] == state) return number;
    }
    return absent;
  }

  const S& operator[](std::size_t number) const { return states_[number]; }
  const Origin& origin(std::size_t number) const { return origins_[number]; }
  std::size_t size() const { return states_.size(); }
  std::size_t bytes() const {
    return states_.bytes() + origins_.bytes() + slots_.size() * sizeof(std::uint32_t);
  }

 private:
  // Never a number: there is always a free slot, so the last number is not used.
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

  static std::uint32_t tag_of(std::uint64_t hash, std::uint32_t number_mask) {
    return static_cast<std::uint32_t>(hash >> 32) & ~number_mask;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, empty);
    const std::size_t mask = slots_.size() - 1;
    const auto number_mask = static_cast<std::uint32_t>(mask);
    for (std::size_t number = 0; number < states_.size(); ++number) {
      const std::uint64_t mixed = hash(states_[number]);
      std::size_t at = mixed & mask;
      while (slots_[at] != empty) at = (at + 1) & mask;
      slots_[at] = tag_of(mixed, number_mask) | static_cast<std::uint32_t>(number);
    }
  }

  Row<S> states_;
  Row<Origin> origins_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace interlock::sim
