#include "offer.hpp"

#include "fencing_counter.hpp"
#include "interlock/detail/number.hpp"

namespace interlock {
namespace {

constexpr std::int64_t most_tokens = 1'000'000;  // QueuePolicy::fencing_block

// The next word; empty if there is none. Words are separated by one space.
std::string_view take_word(std::string_view& rest) {
  const std::size_t end = rest.find(' ');
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return word;
}

std::optional<std::int64_t> take_number(std::string_view& rest,
                                        std::int64_t least,
                                        std::int64_t most) {
  return detail::parse_number<std::int64_t>(take_word(rest), least, most);
}

}  // namespace

std::optional<Offer> Offer::parse(std::string_view message) {
  Offer offer;
  offer.owner = take_word(message);
  const auto fencing = take_number(message, 1, largest_fencing);
  const auto tokens = take_number(message, 1, most_tokens);
  const auto others = take_number(message, 0, 1);
  const auto window = take_number(message, Ttl::shortest.count(), Ttl::longest.count());
  if (!fencing || !tokens || !others || !window || !message.empty()) return std::nullopt;
  offer.fencing = FencingToken(static_cast<std::uint64_t>(*fencing));
  offer.tokens = *tokens;
  offer.others_queue = *others == 1;
  offer.window = Ttl(milliseconds{*window});
  return offer;
}

std::string Offer::text() const {
  return owner + " " + std::to_string(fencing.value()) + " " + std::to_string(tokens) +
         (others_queue ? " 1 " : " 0 ") + std::to_string(window.duration().count());
}

}  // namespace interlock
