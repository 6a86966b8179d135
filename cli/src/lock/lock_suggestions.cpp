#include "lock/lock_suggestions.hpp"

#include <filesystem>

#include "interlock/store/lock_keys.hpp"
#include "lock/holder.hpp"
#include "lock/inspect.hpp"

namespace interlock::cli {
namespace {

// More are no help to a person.
constexpr std::size_t most = 500;

std::optional<Store> asked(const StoreFlags& flags) {
  std::error_code error;
  if (flags.file && !std::filesystem::is_regular_file(flags.file->text, error)) return std::nullopt;
  auto store = choose_store(flags, Purpose::look);
  if (!store || !store->backend) return std::nullopt;
  return *std::move(store);
}

std::vector<SuggestedWord> held_in(const StoreFlags& flags) {
  const auto store = asked(flags);
  if (!store) return {};
  auto keys = store->backend->held_locks();
  if (!keys) return {};
  if (keys->size() > most) keys->resize(most, keys->front());
  const auto connection = store->backend->open();
  const auto seen = inspect_locks(*connection, *keys);
  if (!seen) return {};
  std::vector<SuggestedWord> found;
  for (std::size_t at = 0; at < keys->size(); ++at) {
    const LockView& view = (*seen)[at];
    if (view.holder) found.push_back({(*keys)[at].text(), "held by " + holder_text(*view.holder)});
  }
  return found;
}

std::vector<SuggestedWord> tokens_in(const StoreFlags& flags, const std::string& typed) {
  const auto name = LockName::parse(typed);
  const auto store = asked(flags);
  if (!name || !store) return {};
  const auto connection = store->backend->open();
  const auto seen = inspect_lock(*connection, lock_key(*name));
  if (!seen || !seen->holder) return {};
  std::vector<SuggestedWord> found;
  if (const auto token = seen->holders_token()) {
    found.push_back({std::to_string(token->value()), holder_text(*seen->holder)});
  }
  if (const auto group = inspect_group(*connection, *name, *seen)) {
    for (const OneOfGroup& one : *group) {
      found.push_back({owner_text(one.owner), holder_text(one.owner)});
    }
  }
  if (found.empty()) found.push_back({owner_text(*seen->holder), holder_text(*seen->holder)});
  return found;
}

}  // namespace

Suggestions held_locks_of(const StoreFlags& store) {
  return Suggestions([&store](const TypedWords&) { return held_in(store); });
}

Suggestions locks_to_acquire(const StoreFlags& store, const bool* all) {
  return Suggestions([&store, all](const TypedWords& typed) {
    const auto held = held_in(store);
    return all != nullptr && *all ? next_of_list(typed.begun, ",", held) : held;
  });
}

Suggestions tokens_of(const StoreFlags& store) {
  return Suggestions([&store](const TypedWords& typed) {
    return typed.operands.empty() ? std::vector<SuggestedWord>()
                                  : tokens_in(store, typed.operands.front());
  });
}

}  // namespace interlock::cli
