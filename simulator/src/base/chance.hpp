// Pseudo-random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cstdint>

namespace interlock::sim {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}

  std::uint64_t number() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
    return mixed ^ mixed >> 31;
  }
  // A number in [0, bound). The distribution is uniform up to an error of less than one in 2^64 /
  // bound.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t drawn = number();
    return bound == 1 ? 0 : drawn % bound;  // a division costs more than the number
  }

 private:
  std::uint64_t state_;
};

}  // namespace interlock::sim
