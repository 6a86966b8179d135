#include "interlock/detail/sha1.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace interlock::detail {
namespace {

using State = std::array<std::uint32_t, 5>;

std::uint32_t word_at(std::string_view block, std::size_t index) {
  std::uint32_t word = 0;
  for (std::size_t byte = 0; byte < 4; ++byte) {
    word = (word << 8) | static_cast<unsigned char>(block[index * 4 + byte]);
  }
  return word;
}

// The function and the constant of one of the four rounds.
std::uint32_t mix(std::size_t step, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (step < 20) return ((b & c) | (~b & d)) + 0x5a827999U;
  if (step < 40) return (b ^ c ^ d) + 0x6ed9eba1U;
  if (step < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
  return (b ^ c ^ d) + 0xca62c1d6U;
}

void add_block(State& state, std::string_view block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t index = 0; index < 16; ++index) words[index] = word_at(block, index);
  for (std::size_t index = 16; index < 80; ++index) {
    words[index] =
        std::rotl(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t step = 0; step < 80; ++step) {
    const std::uint32_t next = std::rotl(a, 5) + mix(step, b, c, d) + e + words[step];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

// What follows the text: a one bit, zeros, and the text's length in bits, up to a block's end.
std::string padded_tail(std::string_view tail, std::uint64_t text_size) {
  std::string padded(tail);
  padded.push_back('\x80');
  while (padded.size() % 64 != 56) padded.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded.push_back(static_cast<char>(((text_size * 8) >> shift) & 0xff));
  }
  return padded;
}

}  // namespace

std::string sha1_hex(std::string_view text) {
  State state{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  const std::uint64_t size = text.size();
  for (; text.size() >= 64; text.remove_prefix(64)) add_block(state, text.substr(0, 64));
  const std::string tail = padded_tail(text, size);
  for (std::size_t begin = 0; begin < tail.size(); begin += 64) {
    add_block(state, std::string_view(tail).substr(begin, 64));
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 0xf];
  }
  return hex;
}

}  // namespace interlock::detail
