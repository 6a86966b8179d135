#include "lock/lock_json.hpp"

#include <nlohmann/json.hpp>

#include "interlock/group.hpp"
#include "lock/holder.hpp"

namespace interlock::cli {

namespace {

void add_holder(nlohmann::ordered_json& object, const OwnerToken& holder) {
  if (const auto found = whereabouts(holder)) {
    object["holder"] = {{"host", found->host}, {"pid", found->pid}};
  }
  object["owner"] = owner_text(holder);
  if (std::string note = note_text(holder); !note.empty()) object["note"] = note;
  if (const auto group = GroupOfHolders::parse(holder)) {
    object["kind"] = group->are_readers ? "shared" : "permits";
    if (!group->are_readers) {
      object["permits"] = {{"in_use", group->permits_in_use}, {"all", group->all_permits}};
    }
  }
}

}  // namespace

nlohmann::ordered_json lock_json(const NamedLock& lock) {
  nlohmann::ordered_json object{{"lock", lock.name}, {"held", lock.view.holder.has_value()}};
  if (lock.view.queued > 0) object["queued"] = lock.view.queued;
  if (!lock.view.holder) return object;
  add_holder(object, *lock.view.holder);
  if (const auto token = lock.view.holders_token()) {
    object["token"] = std::to_string(token->value());
  }
  if (lock.view.held_for) object["held_ms"] = lock.view.held_for->count();
  if (lock.view.remaining) object["remaining_ms"] = lock.view.remaining->count();
  if (lock.command_has_ended) object["command_has_ended"] = true;
  return object;
}

nlohmann::ordered_json busy_json(const Busy& busy) {
  nlohmann::ordered_json object;
  if (busy.holder.is_quarantine()) {
    object["reason"] = "quarantine";
  } else {
    object["reason"] = held_around_us(busy.holder) ? "held_around_us" : "held";
    add_holder(object, busy.holder);
  }
  if (busy.held_for) object["held_ms"] = busy.held_for->count();
  if (busy.remaining) object["remaining_ms"] = busy.remaining->count();
  return object;
}

}  // namespace interlock::cli
