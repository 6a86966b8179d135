#include "interlock/group.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "held_group.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/store/group_scripts.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock {

std::optional<GroupOfHolders> GroupOfHolders::parse(const OwnerToken& holder) {
  constexpr std::string_view readers = "shared:";
  std::string_view text = holder.text();
  if (!text.starts_with(mark) || !text.ends_with(OwnerToken::fair_mark)) return std::nullopt;
  text.remove_prefix(mark.size());
  text.remove_suffix(OwnerToken::fair_mark.size());
  GroupOfHolders group;
  group.are_readers = text.starts_with(readers);
  if (group.are_readers) {
    const auto token = detail::parse_number<std::uint64_t>(text.substr(readers.size()));
    if (!token) return std::nullopt;
    group.token = FencingToken(*token);
    return group;
  }
  const auto all = detail::take_number<std::int64_t>(text);
  if (!all || !text.starts_with(':')) return std::nullopt;
  const auto in_use = detail::parse_number<std::int64_t>(text.substr(1));
  if (!in_use || *in_use < 0) return std::nullopt;
  group.all_permits = *all;
  group.permits_in_use = *in_use;
  return group;
}

std::optional<std::int64_t> OneOfGroup::permits() const {
  const Wish wish = Wish::of(owner.text());
  return wish.weight > 0 ? std::optional(wish.weight) : std::nullopt;
}

Task<Result<std::vector<OneOfGroup>>> look_at_group(KeyValueStore& store,
                                                    LockName name,
                                                    std::size_t at_most) {
  std::vector<Key> keys{lock_key(name), holders_key(lock_key(name))};
  std::vector<detail::SharedText> arguments;
  arguments.emplace_back(std::to_string(at_most));
  const Result<Value> seen =
      co_await store.run(group_look_script(), std::move(keys), std::move(arguments));
  if (!seen) co_return seen.error();
  const auto* const list = seen->list();
  std::vector<OneOfGroup> found;
  for (std::size_t at = 0; list != nullptr && at + 1 < list->size(); at += 2) {
    const auto* const owner = (*list)[at].text();
    const auto* const remaining = (*list)[at + 1].number();
    if (owner == nullptr || remaining == nullptr) {
      co_return Error(Errc::indeterminate,
                      "the store's answer makes no sense: " + to_string(*seen));
    }
    found.emplace_back(OwnerToken(*owner), milliseconds{*remaining});
  }
  co_return found;
}

}  // namespace interlock
