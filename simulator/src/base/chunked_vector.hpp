// Memory for arrays of millions of small things.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "interlock/detail/assert.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace interlock::sim {

// The memory is not initialised, and in pages of two megabytes where the system has them. A search
// looks at its states in no order; with small pages it would spend half of its time in finding the
// pages.
template <class T>
class Block {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t page = std::size_t{2} << 20;

  Block() = default;
  // If the system has not enough memory, the block has none: see has_memory().
  explicit Block(std::size_t count) {
    constexpr std::size_t most = ~std::size_t{0} / 2;
    if (count > most / sizeof(T)) return;
    const bool large = count * sizeof(T) >= page;
    const std::size_t unit = large ? page : alignof(std::max_align_t);
    const std::size_t bytes = (count * sizeof(T) + unit - 1) / unit * unit;
    memory_.reset(static_cast<T*>(std::aligned_alloc(unit, bytes)));
#ifdef MADV_HUGEPAGE
    if (large && memory_ != nullptr)
      static_cast<void>(::madvise(memory_.get(), bytes, MADV_HUGEPAGE));
#endif
  }
  bool has_memory() const {
    return memory_ != nullptr;
  }
  T& operator[](std::size_t at) {
    return memory_.get()[at];
  }
  const T& operator[](std::size_t at) const {
    return memory_.get()[at];
  }

 private:
  struct FreeMemory {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, FreeMemory> memory_;
};

// A row that grows without moving what it holds, so that memory never doubles for a moment. The
// first block has 2^14 places, and each other one as many as all before it.
template <class T>
class ChunkedVector {
 public:
  T& operator[](std::size_t at) {
    const Position place(at);
    return blocks_[place.block][place.at];
  }
  const T& operator[](std::size_t at) const {
    const Position place(at);
    return blocks_[place.block][place.at];
  }
  // Makes room for this number of elements in all. False: there is not enough memory, and the
  // contents are as they were.
  [[nodiscard]] bool reserve(std::size_t size) {
    while (size > room()) {
      Block<T> block(std::max(first, room()));
      if (!block.has_memory()) return false;
      blocks_.push_back(std::move(block));
    }
    return true;
  }
  // There must be room for one more.
  void push_back(const T& value) {
    if (next_ == end_) {
      resize(size_ + 1);
      (*this)[size_ - 1] = value;
      return;
    }
    *next_++ = value;
    ++size_;
  }
  // New elements have no value yet. There must be room.
  void resize(std::size_t size) {
    INTERLOCK_ASSERT(size <= room());
    size_ = size;
    // The places that push_back() fills next: the rest of the block in which the row ends, if it
    // ends within one.
    const Position place(size_);
    next_ = end_ = nullptr;
    if (place.block == blocks_.size()) return;
    T* const block = &blocks_[place.block][0];
    next_ = block + place.at;
    end_ = block + (place.block == 0 ? first : first << (place.block - 1));
  }
  std::size_t size() const { return size_; }
  // Counts the pages that were touched.
  std::size_t bytes() const {
    const std::size_t unit = std::min(first * sizeof(T), Block<T>::page);
    return (size_ * sizeof(T) + unit - 1) / unit * unit;
  }

 private:
  static constexpr int first_bits = 14;
  static constexpr std::size_t first = std::size_t{1} << first_bits;

  class Position {
   public:
    explicit Position(std::size_t index)
        : block(static_cast<std::size_t>(std::bit_width(index >> first_bits))),
          at(block == 0 ? index : index - (first << (block - 1))) {}
    std::size_t block;
    std::size_t at;
  };

  std::size_t room() const { return blocks_.empty() ? 0 : first << (blocks_.size() - 1); }

  std::vector<Block<T>> blocks_;
  std::size_t size_ = 0;
  T* next_ = nullptr;
  T* end_ = nullptr;
};

}  // namespace interlock::sim
