#include "holder.hpp"

#include <fmt/format.h>

#include <charconv>

#include "duration_text.hpp"
#include "talk.hpp"

namespace interlock::cli {

std::optional<Whereabouts> whereabouts(const OwnerToken& owner) {
  if (!owner.announces_release()) return std::nullopt;
  const std::string& text = owner.text();
  const auto colon = text.find(':', OwnerToken::mark.size());
  const auto at = text.find('@', OwnerToken::mark.size());
  if (colon == std::string::npos || at == std::string::npos || at < colon) return std::nullopt;
  std::int64_t pid = 0;
  const char* const end = text.data() + at;
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, pid);
  if (error != std::errc() || stop != end || at + 1 == text.size()) return std::nullopt;
  std::string host = text.substr(at + 1);
  if (owner.hands_over()) host.resize(host.size() - OwnerToken::fair_mark.size());
  return Whereabouts(pid, std::move(host));
}

std::string owner_text(const OwnerToken& owner) {
  if (is_utf8(owner.text())) return owner.text();
  std::string hex = "hex:";
  for (const char byte : owner.text()) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return hex;
}

std::string holder_text(const OwnerToken& owner) {
  if (const auto found = whereabouts(owner)) {
    return fmt::format("{} pid {}", printable(found->host, 64), found->pid);
  }
  return fmt::format("another program (token {})", printable(owner.text(), 24));
}

std::string busy_text(const Busy& busy, Duration seen) {
  std::string text = "held by " + holder_text(busy.holder);
  if (busy.held_for) text += " for " + readable(*busy.held_for + seen);
  return text;
}

}  // namespace interlock::cli
