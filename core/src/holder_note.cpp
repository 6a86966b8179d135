#include "interlock/holder_note.hpp"

#include <charconv>

namespace interlock {
namespace {

bool stands_for_itself(unsigned char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') ||
         std::string_view("-._~").find(static_cast<char>(byte)) != std::string_view::npos;
}

}  // namespace

std::optional<Error> HolderNote::wrong(std::string_view note) {
  if (note.size() <= bytes_max) return std::nullopt;
  return Error(Errc::invalid_argument, "the note has " + std::to_string(note.size()) +
                                           " bytes: give it at most " + std::to_string(bytes_max));
}

std::string HolderNote::in_token(std::string_view note) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  if (note.empty()) return {};
  std::string text(mark);
  for (const char each : note) {
    const auto byte = static_cast<unsigned char>(each);
    if (stands_for_itself(byte)) {
      text += each;
    } else {
      text.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
    }
  }
  return text;
}

std::string HolderNote::of(const OwnerToken& owner) {
  std::string_view token = owner.text();
  if (!owner.announces_release()) return {};
  const auto begins = token.find(mark);
  if (begins == std::string_view::npos) return {};
  token.remove_prefix(begins + mark.size());
  token = token.substr(0, token.find('/'));
  std::string note;
  for (std::size_t at = 0; at < token.size(); ++at) {
    unsigned char byte = 0;
    const char* const digits = token.data() + at + 1;
    if (token[at] == '%' && at + 2 < token.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      note += static_cast<char>(byte);
      at += 2;
    } else {
      note += token[at];
    }
  }
  return note;
}

}  // namespace interlock
