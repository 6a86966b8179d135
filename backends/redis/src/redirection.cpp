#include "redirection.hpp"

#include "interlock/detail/number.hpp"

namespace interlock::redis {

std::optional<Redirection> redirection(const Answer& answer, const std::string& teller) {
  if (!answer.is_error) return std::nullopt;
  std::string_view text = answer.error_text();
  const bool moved = text.starts_with("MOVED ");
  if (!moved && !text.starts_with("ASK ")) return std::nullopt;
  text.remove_prefix(text.find(' ') + 1);
  const auto slot =
      detail::parse_number<std::size_t>(text.substr(0, text.find(' ')), 0, hash_slots - 1);
  const auto space = text.find(' ');
  const auto colon = text.rfind(':');  // an IPv6 address has some, too
  if (!slot || space == std::string_view::npos || colon == std::string_view::npos) return {};
  const auto port = detail::parse_number(text.substr(colon + 1), 1, 65535);
  if (!port || colon < space) return std::nullopt;
  std::string host(text.substr(space + 1, colon - space - 1));
  if (host.empty() || host == "?") host = teller;
  return Redirection{moved ? RedirectionKind::moved : RedirectionKind::ask,
                     static_cast<HashSlot>(*slot), std::move(host),
                     static_cast<std::uint16_t>(*port)};
}

}  // namespace interlock::redis
