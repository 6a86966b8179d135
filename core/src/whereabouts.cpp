#include "interlock/whereabouts.hpp"

#include <string_view>

#include "interlock/detail/number.hpp"

namespace interlock {

std::optional<Whereabouts> whereabouts(const OwnerToken& owner) {
  if (!owner.announces_release()) return std::nullopt;
  const std::string& text = owner.text();
  const auto colon = text.find(':', OwnerToken::mark.size());
  const auto at = text.find('@', OwnerToken::mark.size());
  if (colon == std::string::npos || at == std::string::npos || at < colon) return std::nullopt;
  const std::string_view digits = std::string_view(text).substr(colon + 1, at - colon - 1);
  const auto pid = detail::parse_number<std::int64_t>(digits);
  if (!pid) return std::nullopt;
  // What follows the host's name says what the owner wants, and how it holds the lock.
  std::string host = text.substr(at + 1, text.find('/', at) - at - 1);
  if (host.empty()) return std::nullopt;
  return Whereabouts(*pid, std::move(host));
}

}  // namespace interlock
