// FIPS 180-4, for texts that fit in memory.
#include "server/sha1.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>

namespace interlock::harness {
namespace {

using State = std::array<std::uint32_t, 5>;

std::uint32_t mixed(std::size_t round, const State& s) {
  if (round < 20) return ((s[1] & s[2]) | (~s[1] & s[3])) + 0x5A827999U;
  if (round < 40) return (s[1] ^ s[2] ^ s[3]) + 0x6ED9EBA1U;
  if (round < 60) return ((s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3])) + 0x8F1BBCDCU;
  return (s[1] ^ s[2] ^ s[3]) + 0xCA62C1D6U;
}

void add_block(State& state, std::string_view block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t at = 0; at < 16; ++at) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      words[at] = words[at] << 8U | static_cast<unsigned char>(block[at * 4 + byte]);
    }
  }
  for (std::size_t at = 16; at < 80; ++at) {
    words[at] = std::rotl(words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16], 1);
  }
  State s = state;
  for (std::size_t at = 0; at < 80; ++at) {
    const std::uint32_t next = std::rotl(s[0], 5) + mixed(at, s) + s[4] + words[at];
    s = {next, s[0], std::rotl(s[1], 30), s[2], s[3]};
  }
  for (std::size_t at = 0; at < 5; ++at) state[at] += s[at];
}

}  // namespace

std::string sha1(std::string_view text) {
  std::string padded(text);
  padded += static_cast<char>(0x80);
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = text.size() * 8;
  for (int shift = 56; shift >= 0; shift -= 8) {
    padded += static_cast<char>(bits >> static_cast<unsigned>(shift) & 0xFFU);
  }
  State state{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  for (std::size_t at = 0; at < padded.size(); at += 64) {
    add_block(state, std::string_view(padded).substr(at, 64));
  }
  std::string digits;
  for (const std::uint32_t word : state) {
    std::array<char, 9> part{};
    std::snprintf(part.data(), part.size(), "%08x", word);
    digits += part.data();
  }
  return digits;
}

}  // namespace interlock::harness
