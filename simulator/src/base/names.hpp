// Names of clients: owner tokens name their client, and symmetry exchanges names.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/store/value.hpp"

namespace interlock::sim {

// For each client, the client that takes its place.
class Permutation {
 public:
  static constexpr std::size_t count = 8;

  Permutation() {
    for (std::size_t i = 0; i < count; ++i) image_[i] = static_cast<std::uint8_t>(i);
  }
  static Permutation swap(std::size_t one, std::size_t other) {
    Permutation permutation;
    permutation.image_[one] = static_cast<std::uint8_t>(other);
    permutation.image_[other] = static_cast<std::uint8_t>(one);
    return permutation;
  }

  std::size_t operator[](std::size_t client) const { return image_[client]; }
  void set(std::size_t client, std::size_t to) { image_[client] = static_cast<std::uint8_t>(to); }
  bool identity() const { return key() == Permutation().key(); }

  // First this, then `next`.
  Permutation then(const Permutation& next) const {
    Permutation both;
    for (std::size_t i = 0; i < count; ++i) both.image_[i] = next.image_[image_[i]];
    return both;
  }
  Permutation inverse() const {
    Permutation back;
    for (std::size_t i = 0; i < count; ++i) back.image_[image_[i]] = static_cast<std::uint8_t>(i);
    return back;
  }
  std::uint32_t key() const {
    std::uint32_t packed = 0;
    for (const std::uint8_t image : image_) packed = packed << 3 | image;
    return packed;
  }

 private:
  std::array<std::uint8_t, count> image_{};
};

std::string client_name(std::size_t client);

// How often a client has crashed and begun its program again.
using Life = std::uint8_t;
using Lives = std::array<Life, Permutation::count>;

// The owner token of a client's n-th draw: `il1:A1`; after its second restart `il1:A1r2`.
std::string token_text(std::size_t client, std::uint64_t n, Life life = 0);
// The life in which the first owner token of the text was drawn; 0: it has none.
Life life_of_token(std::string_view text);

// Renames every owner token in a text.
void rename(std::string& text, const Permutation& permutation);
// The same in a copy.
std::string renamed(std::string_view text, const Permutation& permutation);
Value renamed(const Value& value, const Permutation& permutation);
Reply renamed(const Reply& reply, const Permutation& permutation);

// One bit for each client that a text names.
std::uint32_t mentions(std::string_view text);
std::uint32_t mentions(const Reply& reply);
// The same of the tokens alone that the clients have drawn in these lives.
std::uint32_t mentions(std::string_view text, const Lives& lives);

}  // namespace interlock::sim
