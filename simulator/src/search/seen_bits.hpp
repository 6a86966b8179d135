// The states that were seen, as a few bits each. A state that was not seen may have all of its bits
// set by others.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/chunked_vector.hpp"
#include "interlock/sim/bitstate_search.hpp"

namespace interlock::sim {

class SeenBits {
 public:
  static constexpr int per_state = BitstateSearch::bits_per_state;
  using Places = std::array<std::uint64_t, per_state>;

  explicit SeenBits(std::uint64_t bytes)
      : words_(static_cast<std::size_t>(bytes / sizeof(std::uint64_t))), table_(words_) {
    if (has_memory()) std::fill_n(&table_[0], words_, 0);
  }
  bool has_memory() const { return table_.has_memory(); }

  // The numbers of the state's bits: double hashing, so the bits of two states are independent of
  // each other unless both hashes of 64 bits are equal.
  template <class S>
  Places places(const S& state) const {
    std::uint64_t one = 0x9e3779b97f4a7c15ULL;
    std::uint64_t other = 0xd6e8feb86659fd93ULL;
    for (std::size_t at = 0; at < S::words; ++at) {
      one = mixed(one ^ state.word(at));
      other = mixed(std::rotl(other, 23) + state.word(at));
    }
    other |= 1;
    Places found;
    for (std::uint64_t& place : found) {
      place = mixed(one) % (words_ * 64);
      one += other;
    }
    return found;
  }
  void prefetch(const Places& places) const {
    for (const std::uint64_t place : places) __builtin_prefetch(&table_[word_of(place)], 1);
  }
  // True if one of them was not set.
  bool insert(const Places& places) {
    bool is_new = false;
    for (const std::uint64_t place : places) {
      std::uint64_t& word = table_[word_of(place)];
      const std::uint64_t bit = std::uint64_t{1} << (place % 64);
      if ((word & bit) != 0) continue;
      word |= bit;
      ++set_;
      is_new = true;
    }
    return is_new;
  }

  // The probability that all bits of a new state are set.
  double omission() const {
    const double share = static_cast<double>(set_) / (static_cast<double>(words_) * 64);
    double all = 1;
    for (int bit = 0; bit < per_state; ++bit) all *= share;
    return all;
  }

 private:
  static std::uint64_t mixed(std::uint64_t number) {
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
    number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
    return number ^ number >> 31;
  }
  static std::size_t word_of(std::uint64_t place) { return static_cast<std::size_t>(place / 64); }

  std::size_t words_;
  Block<std::uint64_t> table_;
  std::uint64_t set_ = 0;
};

}  // namespace interlock::sim
