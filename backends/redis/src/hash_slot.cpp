#include "hash_slot.hpp"

#include <array>

namespace interlock::redis {
namespace {

// CRC16 in its XMODEM form: polynomial 0x1021, from zero, the highest bit first.
constexpr std::array<std::uint16_t, 256> crc_of_bytes() {
  constexpr std::uint32_t polynomial = 0x1021;
  constexpr std::uint32_t highest = 0x8000;
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc << 1U) ^ ((crc & highest) != 0 ? polynomial : 0U);
    }
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}
constexpr std::array<std::uint16_t, 256> crc_table = crc_of_bytes();

std::uint32_t crc16(std::string_view text) {
  std::uint32_t crc = 0;
  for (const char each : text) {
    const std::uint32_t byte = ((crc >> 8U) ^ static_cast<unsigned char>(each)) & 0xFFU;
    crc = ((crc << 8U) ^ crc_table[byte]) & 0xFFFFU;
  }
  return crc;
}

// What stands between the first '{' and the next '}', if that is not empty; else the whole key.
std::string_view hashed_part(std::string_view key) {
  const auto open = key.find('{');
  if (open == std::string_view::npos) return key;
  const auto close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

HashSlot slot_of(std::string_view key) {
  return static_cast<HashSlot>(crc16(hashed_part(key)) % hash_slots);
}

HashSlot slot_of(const Operation& operation) {
  return slot_of(operation.keys.empty() ? operation.key.text() : operation.keys.front().text());
}

}  // namespace interlock::redis
