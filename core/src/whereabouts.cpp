#include "interlock/whereabouts.hpp"

#include <string_view>

#include "interlock/detail/number.hpp"
#include "interlock/detail/safe_text.hpp"
#include "interlock/group.hpp"
#include "interlock/holder_note.hpp"

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

std::string holder_text(const OwnerToken& owner) {
  if (const auto group = GroupOfHolders::parse(owner)) {
    if (group->are_readers) return "readers";
    return std::to_string(group->permits_in_use) + " of " + std::to_string(group->all_permits) +
           " permits";
  }
  if (const auto found = whereabouts(owner)) {
    return detail::safe_text(found->host, 64) + " pid " + std::to_string(found->pid);
  }
  return "another program (token " + detail::safe_text(owner.text(), 24) + ")";
}

std::string held_by_text(const OwnerToken& owner) {
  const auto group = GroupOfHolders::parse(owner);
  const bool of_permits = group && !group->are_readers;
  std::string text =
      of_permits ? holder_text(owner) + " are taken" : "held by " + holder_text(owner);
  if (const std::string note = HolderNote::of(owner); !note.empty()) {
    text += " (" + detail::safe_text(note, 80) + ")";
  }
  return text;
}

}  // namespace interlock
