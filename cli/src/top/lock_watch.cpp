#include "top/lock_watch.hpp"

#include <algorithm>
#include <tuple>

#include "interlock/store/lock_keys.hpp"

namespace interlock::cli {
namespace {

using std::chrono::seconds;

// Over which grants are counted.
constexpr seconds rate_window{10};
// How long a free lock stays known: sections that are short and frequent are seldom seen held.
constexpr seconds forgotten_after{60};

double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::size_t LockLook::held() const {
  return static_cast<std::size_t>(std::count_if(
      locks.begin(), locks.end(), [](const TopLock& one) { return one.lock.view.holder; }));
}

std::size_t LockLook::queued() const {
  std::size_t all = 0;
  for (const TopLock& one : locks) all += one.lock.view.queued;
  return all;
}

double LockLook::grants_per_second() const {
  double all = 0;
  for (const TopLock& one : locks) all += one.grants_per_second.value_or(0);
  return all;
}

LockWatch::LockWatch(Backend& backend, std::vector<LockName> names)
    : is_by_name_(!names.empty()),
      quarantine_(backend.quarantine()),
      store_(backend.open()),
      search_(is_by_name_ ? nullptr : backend.search_locks()) {
  for (const LockName& name : names) known_.try_emplace(lock_key(name));
}

Result<LockLook> LockWatch::look(TimePoint now, Duration interval) {
  if (!is_by_name_) {
    if (auto error = find_more(now, interval)) return *std::move(error);
  }
  std::vector<Key> keys;
  for (const auto& [key, known] : known_) keys.push_back(key);
  const auto views = inspect_locks(*store_, keys);
  if (!views) return views.error();
  const auto quarantine = look_for_quarantine(*store_, quarantine_);
  if (!quarantine) return quarantine.error();
  LockLook look;
  look.quarantine = *quarantine;
  look.share_seen = is_by_name_ || had_whole_round_ ? 1 : share_seen_;
  look.is_full = is_full_;
  for (std::size_t at = 0; at < keys.size(); ++at) {
    const LockView& view = (*views)[at];
    KnownLock& known = known_[keys[at]];
    note(known, view, now);
    const bool is_old = now - known.last_held > forgotten_after;
    if (!is_by_name_ && !view.holder && is_old) {
      known_.erase(keys[at]);
      continue;
    }
    if (!view.holder && known.grants.empty() && !is_by_name_) continue;
    TopLock watched{{keys[at].text(), view}, std::nullopt};
    const Duration watched_for = std::min<Duration>(now - known.since, rate_window);
    if (watched_for > Duration::zero()) {
      watched.grants_per_second =
          static_cast<double>(known.grants.size()) / in_seconds(watched_for);
    }
    look.locks.push_back(std::move(watched));
  }
  std::sort(look.locks.begin(), look.locks.end(), [](const TopLock& a, const TopLock& b) {
    return std::tie(b.lock.view.queued, a.lock.name) < std::tie(a.lock.view.queued, b.lock.name);
  });
  return look;
}

std::optional<Error> LockWatch::find_more(TimePoint now, Duration interval) {
  constexpr double least = 1000;
  const double keys = std::max(least, in_seconds(interval) * keys_per_second);
  const auto part = search_->next(static_cast<std::size_t>(keys));
  if (!part) return part.error();
  share_seen_ = part->share_seen;
  for (const Key& key : part->found) {
    if (known_.contains(key)) continue;
    if (known_.size() >= locks_max) {
      is_full_ = true;
      break;
    }
    KnownLock& known = known_[key];
    known.since = now;
    known.last_held = now;
  }
  if (part->is_complete()) {
    had_whole_round_ = true;
    if (known_.size() < locks_max) is_full_ = false;
  }
  return std::nullopt;
}

void LockWatch::note(KnownLock& known, const LockView& view, TimePoint now) const {
  if (known.since == TimePoint()) known.since = now;
  const bool is_first = now == known.since;
  // A foreign holder has no fencing token.
  const bool is_granted = view.fencing != known.fencing ||
                          (view.holder && !view.fencing && view.holder != known.holder);
  if (is_granted && !is_first) known.grants.push_back(now);
  while (!known.grants.empty() && now - known.grants.front() >= rate_window) {
    known.grants.pop_front();
  }
  known.fencing = view.fencing;
  if (view.holder) {
    known.holder = view.holder;
    known.last_held = now;
  }
}

}  // namespace interlock::cli
