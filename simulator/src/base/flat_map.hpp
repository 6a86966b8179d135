// Lookup tables of the search: flat, never iterated, so that no result depends on an order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace interlock::sim {

inline std::uint64_t mix(std::uint64_t key) {
  key *= 0x9e3779b97f4a7c15ULL;
  key ^= key >> 32;
  key *= 0xd6e8feb86659fd93ULL;
  return key ^ (key >> 29);
}

// To numbers, or to something as small. A key that is never used marks an empty slot.
template <class V = std::uint32_t>
class FlatMap {
 public:
  FlatMap() : slots_(64, Cell{empty, V()}) {}

  const V* find(std::uint64_t key) const {
    for (std::size_t at = mix(key) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return &slots_[at].value;
      if (slots_[at].key == empty) return nullptr;
    }
  }

  void insert(std::uint64_t key, V value) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    ++count_;
    place(key, value);
  }

  std::size_t bytes() const { return slots_.size() * sizeof(Cell); }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Cell {
    std::uint64_t key;
    V value;
  };

  void place(std::uint64_t key, V value) {
    std::size_t at = mix(key) & (slots_.size() - 1);
    while (slots_[at].key != empty) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = Cell{key, value};
  }

  void grow() {
    std::vector<Cell> old(slots_.size() * 2, Cell{empty, V()});
    old.swap(slots_);
    for (const Cell& slot : old) {
      if (slot.key != empty) place(slot.key, slot.value);
    }
  }

  std::vector<Cell> slots_;
  std::size_t count_ = 0;
};

// Writes values so that equal ones, and only these, give equal bytes.
class Encoder {
 public:
  Encoder& number(std::int64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift));
    }
    return *this;
  }
  Encoder& text(const std::string& value) {
    number(static_cast<std::int64_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Gives equal values the same small number, in the order in which they first come up.
template <class T>
class Interner {
 public:
  // The second value is true if the value is new.
  std::pair<std::uint32_t, bool> add(T value, std::string encoded) {
    const auto next = static_cast<std::uint32_t>(values_.size());
    const auto [at, added] = ids_.emplace(std::move(encoded), next);
    if (added) values_.push_back(std::move(value));
    return {at->second, added};
  }
  const T& operator[](std::uint32_t id) const { return values_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }

 private:
  std::map<std::string, std::uint32_t> ids_;
  std::vector<T> values_;
};

}  // namespace interlock::sim
