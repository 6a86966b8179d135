#include "held_group.hpp"

#include "fencing_counter.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/group.hpp"

namespace interlock {
namespace {

std::optional<std::int64_t> number_of(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  return detail::parse_number<std::int64_t>(digits);
}

}  // namespace

Wish Wish::of(std::string_view owner) {
  Wish wish;
  if (!owner.ends_with(OwnerToken::fair_mark)) return wish;
  if (owner.ends_with(OwnerToken::shared_mark)) {
    wish.kind = Wish::readers;
    return wish;
  }
  owner.remove_suffix(OwnerToken::fair_mark.size());
  const auto begins = owner.rfind(OwnerToken::permits_mark);
  if (begins == std::string_view::npos) return wish;
  owner.remove_prefix(begins + OwnerToken::permits_mark.size());
  const auto of = owner.find("of");
  if (of == std::string_view::npos) return wish;
  const auto weight = number_of(owner.substr(0, of));
  if (!weight || !number_of(owner.substr(of + 2))) return wish;
  wish.kind = owner.substr(of + 2);
  wish.weight = *weight;
  return wish;
}

bool HeldGroup::read(const std::optional<std::string>& holder) {
  const auto group = holder ? GroupOfHolders::parse(OwnerToken(*holder)) : std::nullopt;
  if (!group) return true;
  if (group->are_readers) {
    kind_ = Wish::readers;
    token_ = static_cast<std::int64_t>(group->token->value());
  } else {
    kind_ = std::to_string(group->all_permits);
    used_ = group->permits_in_use;
  }
  const auto holders = keyspace_.find(holders_);
  if (!holders) return true;
  if (holders->type != Entry::Type::list) return false;
  const milliseconds now = now_ms(keyspace_);
  for (const std::string& line : holders->lines()) {
    std::string_view rest = line;
    const auto ends = detail::take_number<std::int64_t>(rest);
    if (!ends || rest.empty()) continue;
    const std::string owner(rest.substr(1));
    if (milliseconds{*ends} >= now) {
      ends_[owner] = milliseconds{*ends};
    } else {
      take_away(owner);
    }
  }
  return true;
}

bool HeldGroup::has(const std::string& owner) const {
  return ends_.contains(owner);
}

std::optional<milliseconds> HeldGroup::first_end() const {
  std::optional<milliseconds> first;
  for (const auto& [owner, ends] : ends_) first = first ? std::min(*first, ends) : ends;
  return first;
}

bool HeldGroup::fits(const Wish& wish) const {
  if (wish.kind.empty() || wish.kind != kind_) return false;
  return is_shared() || used_ + wish.weight <= *number_of(kind_);
}

void HeldGroup::start(const Wish& wish, std::int64_t token) {
  kind_ = wish.kind;
  token_ = token;
  used_ = wish.weight;
}

void HeldGroup::admit(const Wish& wish) {
  used_ += wish.weight;
}

void HeldGroup::remove(const std::string& owner) {
  take_away(owner);
  ends_.erase(owner);
}

// Never less than none: somebody may have changed one of the keys alone.
void HeldGroup::take_away(const std::string& owner) {
  used_ = std::max<std::int64_t>(0, used_ - Wish::of(owner).weight);
}

void HeldGroup::save(milliseconds at_least) {
  milliseconds last = at_least;
  std::vector<std::string> lines;
  for (const auto& [owner, ends] : ends_) {
    lines.push_back(std::to_string(ends.count()) + " " + owner);
    last = std::max(last, ends);
  }
  const std::int64_t number = is_shared() ? token_ : used_;
  std::string text(GroupOfHolders::mark);
  text.append(kind_).append(":").append(std::to_string(number)).append(OwnerToken::fair_mark);
  keyspace_.put(lock_, Entry(text, last));
  keyspace_.put(holders_, Entry::list(lines, last));
}

}  // namespace interlock
