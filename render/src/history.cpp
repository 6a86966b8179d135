#include "history.hpp"

#include <algorithm>

#include "interlock/detail/number.hpp"
#include "interlock/sim/violation.hpp"
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
      const bool counts = before != nullptr && step.operation->kind == OperationKind::increment;
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
  const auto owner = writers_[step];
  if (!owner || owner == one.client || writers_[step + 1] == owner) return std::nullopt;
  if (!is_inside(world(step), *owner, lock_)) return std::nullopt;
  return owner;
}

bool History::outlived(std::size_t moment, std::size_t client) const {
  if (servers_ > 1 || key_ != lock_ || !is_inside(world(moment), client, lock_)) return false;
  return writers_[moment] != client;
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
    if (one.client) {
      const std::string who = run_.clients[*one.client];
      return who + "'s " + word_of(one) + " of " + step_text(at) + " took away " + name + "'s key";
    }
    return {};
  }
  return {};
}

std::string History::why(std::size_t step) const {
  const auto mover = run_.steps[step].client;
  if (!mover) return {};
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
