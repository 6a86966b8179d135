// Numbers by chance: the same for the same seed, with every compiler.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace interlock::sim::independent {

// Splitmix, by G. Steele and others (2014).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  int below(int bound) {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    mixed ^= mixed >> 31;
    return static_cast<int>(mixed % static_cast<std::uint64_t>(bound));
  }
  bool in(int hundredths) { return below(100) < hundredths; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return *(all.begin() + below(static_cast<int>(all.size())));
  }

 private:
  std::uint64_t state_;
};

}  // namespace interlock::sim::independent
