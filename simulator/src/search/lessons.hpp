// In which expansions of states a search has learned something. A search that repeats these in
// their order learns the same, so that every number means what it meant.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/chunked_vector.hpp"

namespace interlock::sim {

enum class Steps : std::uint8_t { ordinary, faulty };

class Lessons {
 public:
  // False: there is not enough memory.
  [[nodiscard]] bool add(std::uint32_t state, Steps which) {
    if (!entries_.reserve(entries_.size() + 1)) return false;
    entries_.push_back(which == Steps::faulty ? state | faulty : state);
    return true;
  }
  static std::uint32_t state_in(std::uint32_t entry) { return entry & ~faulty; }
  static Steps steps_in(std::uint32_t entry) {
    return (entry & faulty) != 0 ? Steps::faulty : Steps::ordinary;
  }

  std::uint32_t operator[](std::size_t at) const { return entries_[at]; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return entries_.bytes(); }

 private:
  // No state has such a number: Widths::states.
  static constexpr std::uint32_t faulty = std::uint32_t{1} << 31;

  ChunkedVector<std::uint32_t> entries_;
};

}  // namespace interlock::sim
