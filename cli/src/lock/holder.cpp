#include "lock/holder.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "console/duration_text.hpp"
#include "console/talk.hpp"
#include "interlock/group.hpp"
#include "interlock/holder_note.hpp"
#include "interlock/store/backend.hpp"

namespace interlock::cli {

namespace {

std::string utf8_or_hex(const std::string& text) {
  return is_utf8(text) ? text : "hex:" + hex(text);
}

}  // namespace

std::string owner_text(const OwnerToken& owner) {
  return utf8_or_hex(owner.text());
}

std::string note_text(const OwnerToken& owner) {
  return utf8_or_hex(HolderNote::of(owner));
}

std::string quarantine_text(std::optional<milliseconds> left) {
  return "no lock is granted at this store" + (left ? " for another " + readable(*left) : "") +
         ", because it is new or has just changed (failover or restart)";
}

std::string busy_text(const Busy& busy) {
  if (busy.holder.is_quarantine()) return quarantine_text(busy.remaining);
  std::string text = held_by_text(busy.holder);
  if (busy.held_for) text += " for " + readable(*busy.held_for);
  return text;
}

std::string not_acquired_text(const LockName& name,
                              const Busy& busy,
                              Duration waited,
                              const Store& store) {
  const std::string lock = printable(name.text(), 100);
  if (held_around_us(busy.holder)) {
    return fmt::format(
        "'{}' not acquired: this command runs under it, by {}: it would wait for itself: take it "
        "once, or choose another name",
        lock, holder_text(busy.holder));
  }
  return fmt::format("'{}' not acquired: {} (waited {}): see interlock status {}{}", lock,
                     busy_text(busy), readable(waited), store.flag, lock);
}

std::string held_with(const GuardSet& guards) {
  const char* const around = std::getenv(held_variable);
  std::string owners = around == nullptr ? "" : around;
  for (const Guard& each : guards) owners += (owners.empty() ? "" : " ") + each.owner().text();
  return owners;
}

bool runs_under_locks() {
  const char* const around = std::getenv(held_variable);
  return around != nullptr && *around != '\0';
}

bool held_around_us(const OwnerToken& owner) {
  const char* const around = std::getenv(held_variable);
  if (around == nullptr) return false;
  return (" " + std::string(around) + " ").find(" " + owner.text() + " ") != std::string::npos;
}

HeldAroundUs::HeldAroundUs(Backend& backend,
                           const std::vector<LockName>& names,
                           const LockOptions& wanted) {
  const char* const around = std::getenv(held_variable);
  const std::string_view owners = around == nullptr ? "" : around;
  const bool are_some = owners.find(OwnerToken::shared_mark) != std::string_view::npos ||
                        owners.find(OwnerToken::permits_mark) != std::string_view::npos;
  if (!are_some) return;
  constexpr std::size_t most = 10'000;
  const auto store = backend.open();
  for (const LockName& name : names) {
    const auto group = interlock::run(look_at_group(*store, name, most));
    if (!group) continue;
    std::int64_t ours = 0;
    for (const OneOfGroup& one : *group) {
      if (!held_around_us(one.owner)) continue;
      owners_.insert_or_assign(name, one.owner);
      ours += one.permits().value_or(0);
    }
    // Others may give back as many permits as are missing.
    if (wanted.permits && ours > 0 && ours + wanted.permits->wanted() <= wanted.permits->all()) {
      owners_.erase(name);
    }
  }
}

Busy HeldAroundUs::seen_from_inside(const LockName& name, Busy busy) const {
  const auto found = owners_.find(name);
  if (found != owners_.end() && GroupOfHolders::parse(busy.holder)) busy.holder = found->second;
  return busy;
}

}  // namespace interlock::cli
