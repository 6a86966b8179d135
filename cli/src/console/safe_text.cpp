#include "console/safe_text.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "console/urls.hpp"
#include "interlock/detail/safe_text.hpp"

namespace interlock::cli {
namespace {

using detail::first_character;
using detail::is_unsafe;
using detail::TextCharacter;

}  // namespace

std::string printable(std::string_view untrusted, std::size_t longest) {
  return detail::safe_text(without_passwords(untrusted), longest);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const TextCharacter next = first_character(text);
    if (!next.valid) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

std::string hex(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

std::string escaped_in_json(std::string_view json) {
  std::string safe;
  while (!json.empty()) {
    const TextCharacter next = first_character(json);
    if (!next.valid || next.code < 0x20 || !is_unsafe(next.code)) {
      safe += json.substr(0, next.bytes);
    } else if (next.code <= 0xffff) {
      safe += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(next.code));
    } else {
      const auto above = static_cast<std::uint32_t>(next.code) - 0x10000U;
      safe +=
          fmt::format("\\u{:04x}\\u{:04x}", 0xd800U + (above >> 10U), 0xdc00U + (above & 0x3ffU));
    }
    json.remove_prefix(next.bytes);
  }
  return safe;
}

}  // namespace interlock::cli
