// Every state that was seen, once, in the order of discovery, with how it was reached.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/chunked_vector.hpp"

namespace interlock::sim {

class Origin {
 public:
  std::uint32_t parent = 0;
  std::uint32_t action = 0;
};

// The table of slots is divided into parts, by the first bits of the hash, and a state's slot is
// always in its own part: so that several workers can fill the table at a time, each its own parts.
template <class S>
class StateSet {
 public:
  static constexpr std::size_t parts = 64;

  StateSet() : slots_(std::size_t{1} << bits_) {
    if (has_memory()) clear(slots_, slot_count());
  }
  // False: not even the memory of an empty set is there. Then only this and bytes() may be called.
  bool has_memory() const { return slots_.has_memory(); }

  static std::uint32_t hash(const S& state) {
    std::uint64_t mixed = 0;
    for (std::size_t at = 0; at < S::words; ++at) {
      mixed = std::rotl(mixed, 32) + state.word(at) * 0x9e3779b97f4a7c15ULL;
    }
    mixed = (mixed ^ mixed >> 29) * 0xd6e8feb86659fd93ULL;
    return static_cast<std::uint32_t>(mixed >> 32);
  }
  static std::size_t part_of(std::uint32_t hash) { return hash >> (32 - part_bits); }

  // Prefetches in two stages, each some insertions before the state's own: its slot, then the state
  // that the slot seems to hold. Both are far away in memory most of the time.
  void prefetch_slot(std::uint32_t hash) const { __builtin_prefetch(&slots_[home(hash)]); }
  void prefetch_state(std::uint32_t hash) const {
    const std::uint32_t slot = slots_[home(hash)];
    if (slot == empty || tag_of(slot) != tag_for(hash)) return;
    // A newcomer's number is not that of a state yet.
    const std::size_t number = number_in(slot);
    if (number < states_.size()) __builtin_prefetch(&states_[number]);
  }

  // Makes room for so many insertions into each part. Nothing else makes the table grow. False:
  // there is not enough memory; the set is as it was.
  [[nodiscard]] bool reserve(const std::array<std::uint32_t, parts>& more) {
    std::size_t all = states_.size();
    for (const std::uint32_t of_part : more) all += of_part;
    if (!states_.reserve(all) || !origins_.reserve(all)) return false;
    // With linear probing a miss looks at four slots on average when the table is this full.
    const auto crowded = [&] {
      if (states_.size() * 8 > slot_count() * 5) return true;
      for (std::size_t part = 0; part < parts; ++part) {
        if (counts_[part] + more[part] >= part_size()) return true;
      }
      return false;
    };
    while (crowded()) {
      if (!grow()) return false;
    }
    return true;
  }

  // True if it is new. There must be room in its part.
  bool insert(const S& state, std::uint32_t hash, Origin origin) {
    const auto number = static_cast<std::uint32_t>(states_.size());
    const std::size_t slot =
        claim_slot(hash, number, [&](std::uint32_t other) { return states_[other] == state; });
    if (slot == known) return false;
    states_.push_back(state);
    origins_.push_back(origin);
    return true;
  }

  // States that one worker has found to be new, in the order in which it came upon them.
  using Newcomers = std::vector<const S*>;
  static constexpr std::size_t known = ~std::size_t{0};
  // A slot for a state that is new, also among the newcomers; else `known`. Any number of workers
  // at a time, each for other parts and with newcomers of its own; there must be room. Then
  // settle() says what number the state gets: the order of discovery is not the order of claims.
  std::size_t claim(const S& state, std::uint32_t hash, Newcomers& newcomers) {
    const auto first = static_cast<std::uint32_t>(states_.size());
    const auto number = static_cast<std::uint32_t>(first + newcomers.size());
    const std::size_t slot = claim_slot(hash, number, [&](std::uint32_t other) {
      return (other < first ? states_[other] : *newcomers[other - first]) == state;
    });
    if (slot != known) newcomers.push_back(&state);
    return slot;
  }
  void add_unsettled(std::size_t count) {
    states_.resize(states_.size() + count);
    origins_.resize(origins_.size() + count);
  }
  void settle(std::size_t slot, std::size_t number, const S& state, Origin origin) {
    slots_[slot] = tag_of(slots_[slot]) | static_cast<std::uint32_t>(number);
    states_[number] = state;
    origins_[number] = origin;
  }

  // The number of the state; `absent` if it was not seen.
  static constexpr std::uint32_t absent = ~std::uint32_t{0};
  std::uint32_t find(const S& state) const {
    const std::uint32_t mixed = hash(state);
    for (std::size_t at = home(mixed); slots_[at] != empty; at = next(at)) {
      const std::uint32_t slot = slots_[at];
      if (tag_of(slot) == tag_for(mixed) && states_[number_in(slot)] == state) {
        return number_in(slot);
      }
    }
    return absent;
  }

  // How many slots there are: 2 to the power of this.
  int slot_bits() const { return bits_; }
  // Makes so many. False: there is not enough memory.
  [[nodiscard]] bool grow_to(int slot_bits) {
    while (bits_ < slot_bits) {
      if (!grow()) return false;
    }
    return true;
  }

  const S& operator[](std::size_t number) const { return states_[number]; }
  const Origin& origin(std::size_t number) const { return origins_[number]; }
  std::size_t size() const { return states_.size(); }
  std::size_t bytes() const {
    return states_.bytes() + origins_.bytes() + slot_count() * sizeof(std::uint32_t);
  }

 private:
  static constexpr int part_bits = std::countr_zero(parts);
  // A slot has 32 bits, and at least one of them belongs to the hash.
  static constexpr int bits_most = 31;
  // Never a slot's content: there are always free slots, so the last number is not used.
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

  // A slot holds the state's number in as many bits as are needed to count slots, and in the others
  // the last bits of its hash, which save most looks at other states.
  std::uint32_t number_mask() const { return (std::uint32_t{1} << bits_) - 1; }
  std::uint32_t number_in(std::uint32_t slot) const { return slot & number_mask(); }
  std::uint32_t tag_of(std::uint32_t slot) const { return slot & ~number_mask(); }
  std::uint32_t tag_for(std::uint32_t hash) const { return hash << bits_; }

  std::size_t slot_count() const { return std::size_t{1} << bits_; }
  std::size_t part_size() const { return slot_count() / parts; }
  std::size_t home(std::uint32_t hash) const { return hash >> (32 - bits_); }
  std::size_t next(std::size_t slot) const {
    const std::size_t within = part_size() - 1;
    return (slot & ~within) | ((slot + 1) & within);
  }

  // The slot that the state got, or `known`. States are compared whole.
  template <class IsSame>
  std::size_t claim_slot(std::uint32_t hash, std::uint32_t number, IsSame is_same) {
    const std::uint32_t tag = tag_for(hash);
    std::size_t at = home(hash);
    for (; slots_[at] != empty; at = next(at)) {
      if (tag_of(slots_[at]) == tag && is_same(number_in(slots_[at]))) return known;
    }
    slots_[at] = tag | number;
    ++counts_[part_of(hash)];
    return at;
  }

  static void clear(Block<std::uint32_t>& slots, std::size_t count) {
    std::fill_n(&slots[0], count, empty);
  }

  // Every state is settled now. They are gone through in the order of their numbers, one after the
  // other in memory; the slots, in no order, are the smaller part.
  bool grow() {
    if (bits_ == bits_most) return false;
    Block<std::uint32_t> larger(slot_count() * 2);
    if (!larger.has_memory()) return false;
    ++bits_;
    slots_ = std::move(larger);
    clear(slots_, slot_count());
    constexpr std::size_t batch = 32;
    std::array<std::uint32_t, batch> hashes;
    for (std::size_t begin = 0; begin < states_.size(); begin += batch) {
      const std::size_t count = std::min(batch, states_.size() - begin);
      for (std::size_t at = 0; at < count; ++at) {
        hashes[at] = hash(states_[begin + at]);
        prefetch_slot(hashes[at]);
      }
      for (std::size_t at = 0; at < count; ++at) {
        std::size_t to = home(hashes[at]);
        while (slots_[to] != empty) to = next(to);
        slots_[to] = tag_for(hashes[at]) | static_cast<std::uint32_t>(begin + at);
      }
    }
    return true;
  }

  int bits_ = 12;
  Block<std::uint32_t> slots_;
  std::array<std::uint32_t, parts> counts_{};
  ChunkedVector<S> states_;
  ChunkedVector<Origin> origins_;
};

}  // namespace interlock::sim
