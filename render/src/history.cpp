#include "history.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "base/names.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/sim/property.hpp"
#include "interlock/sim/violation.hpp"
#include "interlock/store/script.hpp"
#include "process/wait.hpp"
#include "run/words.hpp"

namespace interlock::sim::draw {
namespace {

bool is_inside(const Snapshot& world, std::size_t client, const std::string& lock) {
  if (client >= world.clients.size()) return false;
  const ClientView& view = world.clients[client];
  if (view.status == ClientView::Status::crashed) return false;
  return std::find(view.inside.begin(), view.inside.end(), lock) != view.inside.end();
}

std::string step_text(std::size_t step) {
  return "step " + std::to_string(step + 1);
}

bool stores(OperationKind kind) {
  return kind == OperationKind::set || kind == OperationKind::exchange ||
         kind == OperationKind::set_if_absent || kind == OperationKind::claim;
}

bool is_count(const Operation& operation) {
  if (operation.kind == OperationKind::increment) return true;
  if (!is_spelled_out(operation)) return false;
  const std::string& name = operation.script->name();
  return name == "INCR" || name == "INCRBY" || name == "DECR" || name == "DECRBY";
}

// Several clients may have members in it, so the last one to change it does not own it. The server
// that answers programs writes the type of such a value in front of its members. A text that begins
// alike is taken for one; then less is said.
bool has_members(const KeyView* key) {
  if (key == nullptr) return false;
  constexpr std::array<std::string_view, 4> types{"list ", "set ", "hash ", "zset "};
  return std::any_of(types.begin(), types.end(),
                     [key](std::string_view type) { return key->value.starts_with(type); });
}

}  // namespace

History::History(const Run& run) : run_(run), lock_(find_lock()), key_(find_key()) {
  if (lock_.empty()) lock_ = key_;
  const auto count = [this](const Snapshot& world) {
    for (const KeyView& view : world.keys) servers_ = std::max(servers_, view.server + 1);
  };
  count(run.before);
  for (const RunStep& step : run.steps) {
    servers_ = std::max(servers_, step.server + 1);
    count(step.after);
  }
  follow_writers();
}

// The lock that the broken property names, else the first that a client holds.
std::string History::find_lock() const {
  const std::string broken = violated_property(run_);
  std::string first;
  for (std::size_t moment = 0; moment <= run_.steps.size(); ++moment) {
    for (const ClientView& client : world(moment).clients) {
      for (const std::string& lock : client.inside) {
        if (broken.ends_with(" " + lock)) return lock;
        if (first.empty()) first = lock;
      }
    }
  }
  return first;
}

std::string History::find_key() const {
  std::string first;
  for (const RunStep& step : run_.steps) {
    const std::string target = target_of(step);
    if (!lock_.empty() && target == lock_) return lock_;
    if (first.empty()) first = target;
  }
  if (run_.before.find(lock_) != nullptr) return lock_;
  if (first.empty() && !run_.before.keys.empty()) return run_.before.keys.front().key;
  return first.empty() ? lock_ : first;
}

void History::follow_writers() {
  std::optional<std::size_t> writer;
  writers_.push_back(writer);
  for (std::size_t at = 0; at < run_.steps.size(); ++at) {
    const RunStep& step = run_.steps[at];
    const KeyView* before = world(at).find(key_, step.server);
    const KeyView* after = step.after.find(key_, step.server);
    if (after == nullptr) {
      writer = std::nullopt;
    } else if (step.client && step.applied && is_about_key(step)) {
      const bool changed = before == nullptr || before->value != after->value;
      const bool same_again =
          step.operation->value == after->value && step.operation->kind == OperationKind::exchange;
      // A client that raises a count does not own it.
      const bool counts = before != nullptr && is_count(*step.operation);
      if ((changed || same_again) && !counts) writer = step.client;
    } else if (before == nullptr || before->value != after->value) {
      writer = std::nullopt;  // the world: a replica took over, say
    }
    writers_.push_back(writer);
  }
}

bool History::is_about_key(const RunStep& step) const {
  return step.operation && target_of(step) == key_;
}

std::vector<std::size_t> History::holders(std::size_t moment) const {
  // The holders of the lock that has most of them: the drawing shows one key, and a run may be
  // about several.
  std::vector<std::size_t> most;
  const Snapshot& now = world(moment);
  std::vector<std::string> locks{lock_};
  for (const ClientView& client : now.clients) {
    locks.insert(locks.end(), client.inside.begin(), client.inside.end());
  }
  for (const std::string& lock : locks) {
    std::vector<std::size_t> inside;
    for (std::size_t client = 0; client < now.clients.size(); ++client) {
      if (is_inside(now, client, lock)) inside.push_back(client);
    }
    if (inside.size() > most.size()) most = std::move(inside);
  }
  return most;
}

std::optional<std::size_t> History::inside_only_in(std::size_t one, std::size_t other) const {
  const Snapshot& there = world(one);
  for (std::size_t client = 0; client < there.clients.size(); ++client) {
    for (const std::string& lock : there.clients[client].inside) {
      if (!is_inside(world(other), client, lock)) return client;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> History::entered(std::size_t step) const {
  return inside_only_in(step + 1, step);
}

std::optional<std::size_t> History::ended(std::size_t step) const {
  if (run_.steps[step].kind != StepKind::time) return std::nullopt;
  return inside_only_in(step, step + 1);
}

std::optional<std::size_t> History::robbed(std::size_t step) const {
  const RunStep& one = run_.steps[step];
  if (!one.client || !one.applied || !is_about_key(one)) return std::nullopt;
  if (has_members(world(step).find(key_, one.server))) return std::nullopt;
  const auto owner = writers_[step];
  if (!owner || owner == one.client || writers_[step + 1] == owner) return std::nullopt;
  if (!is_inside(world(step), *owner, lock_)) return std::nullopt;
  return owner;
}

bool History::outlived(std::size_t moment, std::size_t client) const {
  if (servers_ > 1 || key_ != lock_ || !is_inside(world(moment), client, lock_)) return false;
  return writers_[moment] != client && !has_members(world(moment).find(key_));
}

bool History::stamp_is_past(std::size_t moment) const {
  const Snapshot& now = world(moment);
  const KeyView* view = now.find(key_);
  if (view == nullptr || view->remaining) return false;
  const auto stamp = detail::parse_number<std::int64_t>(view->value);
  const auto seconds = (run_.clocks_start_at + now.time) / std::chrono::seconds{1};
  if (!stamp || *stamp <= 0 || *stamp >= seconds) return false;
  // It is a stamp if what the clients write there lies in the future.
  return std::any_of(run_.steps.begin(), run_.steps.end(), [&](const RunStep& step) {
    if (!is_about_key(step) || !stores(step.operation->kind)) return false;
    const auto written = detail::parse_number<std::int64_t>(step.operation->value.text());
    return written && *written >= seconds;
  });
}

// The last look at the key before the step that changed it.
std::optional<std::size_t> History::stale_read(std::size_t step) const {
  for (std::size_t at = step; at-- > 0;) {
    const RunStep& one = run_.steps[at];
    if (one.client != run_.steps[step].client || !is_about_key(one)) continue;
    if (one.operation->kind == OperationKind::get ||
        one.operation->kind == OperationKind::remaining) {
      return at;
    }
  }
  return std::nullopt;
}

std::string History::why_stale(std::size_t step, std::size_t other) const {
  const auto read = stale_read(step);
  if (!read) return {};
  // The value that was read is still there, so this read was not the mistake.
  if (writers_[*read] == other && stamp_is_past(*read)) {
    const std::string& name = run_.clients[other];
    return name + "'s time was over when " + run_.clients[*run_.steps[step].client] +
           " looked in " + step_text(*read) + ", and " + name + " still acts on it";
  }
  for (std::size_t at = *read + 1; at <= step; ++at) {
    const RunStep& one = run_.steps[at];
    if (one.client != run_.steps[step].client || !one.applied || !is_about_key(one)) continue;
    if (writers_[at] != other || writers_[at + 1] == other) continue;
    const std::string what = word_of(run_.steps[*read]);
    return run_.clients[*one.client] + " acted on its " + what + " of " + step_text(*read) +
           "; by " + step_text(at) + " the key was " + run_.clients[other] + "'s";
  }
  return {};
}

std::string History::why_outlived(std::size_t step, std::size_t other) const {
  for (std::size_t at = step; at-- > 0;) {
    if (writers_[at] != other || writers_[at + 1] == other) continue;
    const RunStep& one = run_.steps[at];
    const std::string name = run_.clients[other];
    if (one.kind == StepKind::time || one.fault == Fault::pause) {
      return name + "'s key expired in " + step_text(at) + ", and " + name + " still acts on it";
    }
    if (one.fault && !one.client) {
      return "the server lost " + name + "'s key in " + step_text(at) + ": " + one.what;
    }
    if (one.client && !has_members(world(at).find(key_, one.server))) {
      const std::string who = run_.clients[*one.client];
      return who + "'s " + word_of(one) + " of " + step_text(at) + " took away " + name + "'s key";
    }
    return {};
  }
  return {};
}

// `, which A changed last, in step 3`; empty: no client of the run did.
std::string History::last_change(const KeyView& key, std::size_t step) const {
  // The properties take a token's client for its owner, whichever client has stored it.
  const std::uint32_t named = key.value.starts_with(OwnerToken::mark) ? mentions(key.value) : 0;
  for (std::size_t at = step; at-- > 0;) {
    const KeyView* const was = world(at).find(key.key, key.server);
    if (was != nullptr && was->value == key.value) continue;
    const auto& who = run_.steps[at].client;
    if (!who) break;
    if (std::has_single_bit(named) && (named >> *who & 1) == 0) break;
    return ", which " + run_.clients[*who] + " changed last, in " + step_text(at);
  }
  if (!std::has_single_bit(named)) return {};
  return ", whose value is a token of " +
         run_.clients[static_cast<std::size_t>(std::countr_zero(named))];
}

// Says what a command that a program has sent did to the key, and no more: the last client to
// change a list need not be the one whose member was removed, and why the program sent it is not
// known.
std::string History::why_anothers(std::size_t step) const {
  const RunStep& one = run_.steps[step];
  if (!one.client || !one.operation || !is_spelled_out(*one.operation)) return {};
  const std::string broken = violated_property(run_);
  for (const KeyView& key : world(step).keys) {
    if (key.server != one.server) continue;
    if (broken != owner_only(key.key).name && broken != no_overwrite(key.key).name) continue;
    const KeyView* const after = one.after.find(key.key, key.server);
    std::string what = " wrote to ";
    if (after == nullptr) {
      what = " removed ";
    } else if (after->value != key.value) {
      what = " changed ";
    } else if (after->remaining != key.remaining) {
      what = " changed the expiry of ";
    }
    return run_.clients[*one.client] + what + key.key + last_change(key, step);
  }
  return {};
}

std::string History::why(std::size_t step) const {
  const auto mover = run_.steps[step].client;
  if (!mover) return {};
  if (std::string reason = why_anothers(step); !reason.empty()) return reason;
  for (const std::size_t other : holders(step + 1)) {
    if (other == *mover) continue;
    std::string reason = why_stale(step, other);
    if (reason.empty()) reason = why_outlived(step, other);
    if (!reason.empty()) return reason;
  }
  if (const auto owner = robbed(step)) return "the key was " + run_.clients[*owner] + "'s";
  return {};
}

}  // namespace interlock::sim::draw
