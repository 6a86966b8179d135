#include "interlock/detail/safe_text.hpp"

#include <algorithm>
#include <array>

namespace interlock::detail {

// Source: RFC 3629, 4.
TextCharacter first_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {1, lead, false};
  char32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t at = 1; at < bytes; ++at) {
    if ((byte(at) & 0xc0U) != 0x80U) return {1, lead, false};
    code = code << 6U | (byte(at) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least.at(bytes) || code > 0x10ffff || surrogate) return {1, lead, false};
  return {bytes, code, true};
}

namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array<Range, 10> unsafe{{{0x00, 0x1f},
                                        {0x7f, 0x9f},
                                        {0x061c, 0x061c},      // Arabic letter mark
                                        {0x200b, 0x200f},      // zero width, marks of direction
                                        {0x2028, 0x202e},      // separators, overrides
                                        {0x2060, 0x206f},      // word joiner, isolates
                                        {0xfeff, 0xfeff},      // byte order mark
                                        {0xfff9, 0xfffb},      // interlinear annotation
                                        {0xe0000, 0xe007f},    // tags
                                        {0xe0080, 0xe0fff}}};  // reserved, shown as nothing

}  // namespace

bool is_unsafe(char32_t code) {
  return std::any_of(unsafe.begin(), unsafe.end(), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

std::string safe_text(std::string_view text, std::size_t longest) {
  std::string safe;
  while (!text.empty()) {
    const TextCharacter next = first_character(text);
    if (safe.size() + next.bytes > longest) return safe + "...";
    if (next.valid && !is_unsafe(next.code)) {
      safe += text.substr(0, next.bytes);
    } else {
      safe += '?';
    }
    text.remove_prefix(next.bytes);
  }
  return safe;
}

}  // namespace interlock::detail
