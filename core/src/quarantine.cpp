#include "quarantine.hpp"

#include <algorithm>
#include <string>

#include "fencing_counter.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/detail/ranges.hpp"
#include "interlock/quarantine.hpp"
#include "interlock/store/noted_incarnation.hpp"

namespace interlock {
namespace {

Error wrong_type_of(const Key& key) {
  return {Errc::rejected, wrong_type().detail() + ": " + key.text()};
}

}  // namespace

std::optional<NotedIncarnation> NotedIncarnation::parse(std::string_view text) {
  const std::size_t first = text.find(' ');
  const std::size_t second = text.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  const std::string_view instant = text.substr(first + 1, second - first - 1);
  const auto ends = detail::parse_number<std::int64_t>(instant, 0);
  const auto lasts = detail::parse_number<std::int64_t>(text.substr(second + 1), 0);
  if (first == 0 || !ends || !lasts) return std::nullopt;
  NotedIncarnation noted;
  noted.incarnation = text.substr(0, first);
  noted.ends = milliseconds{*ends};
  noted.lasts = milliseconds{*lasts};
  return noted;
}

std::string NotedIncarnation::text() const {
  return incarnation + " " + std::to_string(ends.count()) + " " + std::to_string(lasts.count());
}

std::optional<Error> Quarantine::wrong() const {
  return detail::Ranges("Quarantine").duration("old_primary", old_primary, milliseconds{0}).error();
}

Result<std::optional<milliseconds>> quarantine_left(Keyspace& keyspace,
                                                    const Key& key,
                                                    milliseconds lasts) {
  const std::string incarnation = keyspace.incarnation();
  const milliseconds now = now_ms(keyspace);
  const auto entry = keyspace.find(key);
  if (entry && !entry->is_string()) return wrong_type_of(key);
  std::optional<NotedIncarnation> before;
  if (entry) before = NotedIncarnation::parse(entry->value);

  NotedIncarnation noted = before.value_or(NotedIncarnation());
  noted.lasts = std::max(lasts, noted.lasts);
  bool changed = !before || noted.lasts != before->lasts;
  // An end that is too far away is one of before the clock was set back.
  if (noted.incarnation != incarnation || noted.ends > now + noted.lasts) {
    noted.incarnation = incarnation;
    noted.ends = now + noted.lasts;
    changed = true;
  } else if (changed && now < noted.ends) {
    noted.ends += noted.lasts - before->lasts;
  }
  if (changed) keyspace.put(key, Entry(noted.text()));
  std::optional<milliseconds> left;
  if (now < noted.ends) left = noted.ends - now;
  return left;
}

}  // namespace interlock
