// The scripts of groups for stores without Lua. They do the same steps as the Lua
// (lua/parts/group.lua, group_admit.lua, group_claim_one.lua, group_release_one.lua). The holders,
// which are a sorted set on Redis, are a list of lines here: "<end of the lease in ms> <owner>".
#include "interlock/store/group_scripts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fencing_counter.hpp"
#include "held_group.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/detail/wake_up_channel.hpp"
#include "lua/scripts.hpp"
#include "quarantine.hpp"
#include "queue.hpp"

namespace interlock {
namespace {

// lua/parts/group_admit.lua
class Admission {
 public:
  Admission(
      Keyspace& keyspace, Queue& queue, HeldGroup& group, std::string owner, milliseconds window)
      : keyspace_(keyspace),
        queue_(queue),
        group_(group),
        owner_(std::move(owner)),
        wish_(Wish::of(owner_)),
        window_(window) {}

  // `asks`: the owner of this call wants to be admitted. Returns whether it is.
  bool admit(bool asks);
  bool has_admitted() const { return has_admitted_; }

 private:
  enum class Admitting : bool { goes_on, stops };
  Admitting look_at(std::size_t n, const Place& place, bool asks);

  Keyspace& keyspace_;
  Queue& queue_;
  HeldGroup& group_;
  const std::string owner_;
  const Wish wish_;
  const milliseconds window_;
  bool is_admitted_ = false;
  bool has_admitted_ = false;
};

Admission::Admitting Admission::look_at(std::size_t n, const Place& place, bool asks) {
  if (place.owner == owner_) {
    if (asks && !is_admitted_) {
      if (!group_.fits(wish_)) return Admitting::stops;
      group_.admit(wish_);
      is_admitted_ = true;
    }
    queue_.drop(n);
    return Admitting::goes_on;
  }
  if (place.kept_until < queue_.now()) {
    queue_.drop(n);
    queue_.rouse(place);
    return Admitting::goes_on;
  }
  if (!place.waits) return Admitting::goes_on;
  if (place.listens() && !keyspace_.may_be_heard(Channel(place.wake_up))) {
    Place passed_over = place;
    passed_over.waits = false;
    queue_.change(n, passed_over.text());
    queue_.rouse(place);
    return Admitting::goes_on;
  }
  const Wish its = Wish::of(place.owner);
  // It counts to another number of permits: it asks again, and is told.
  if (group_.counts_otherwise(its)) {
    queue_.drop(n);
    queue_.rouse(place);
    return Admitting::goes_on;
  }
  if (!group_.fits(its)) return Admitting::stops;
  group_.admit(its);
  group_.set(place.owner, queue_.now() + window_);
  has_admitted_ = true;
  queue_.drop(n);
  queue_.rouse(place);
  return Admitting::goes_on;
}

bool Admission::admit(bool asks) {
  for (std::size_t n = 0; n < queue_.size(); ++n) {
    if (queue_.is_gone(n)) continue;
    const auto place = queue_.place_at(n);
    if (!place) {
      queue_.drop(n);
    } else if (look_at(n, *place, asks) == Admitting::stops) {
      return is_admitted_;
    }
  }
  if (asks && !is_admitted_ && group_.fits(wish_)) {
    group_.admit(wish_);
    is_admitted_ = true;
  }
  return is_admitted_;
}

// lua/parts/group_claim_one.lua
class GroupClaim {
 public:
  GroupClaim(Keyspace& keyspace,
             const std::vector<Key>& keys,
             const std::vector<std::string>& arguments,
             std::optional<milliseconds> quarantine);
  // The owner who has the lock alone.
  void instead_of(std::string owner) { instead_of_ = std::move(owner); }
  Reply run();

 private:
  bool waits() const { return !wake_up_.empty(); }
  void measure(const std::optional<Entry>& holder);
  void recall(const std::string& holder);
  bool take_free_lock(bool joins);
  // `had_it`: the owner, or the one whose lease it takes over, had the lock before.
  enum class HadIt : bool { no, yes };
  void start(HadIt had_it);
  void wait_in_queue(std::size_t place);
  Value busy(const std::optional<std::string>& holder);
  Value not_downgraded(const std::optional<std::string>& holder) const;
  Value granted();

  Keyspace& keyspace_;
  const std::vector<Key>& keys_;
  const std::string& owner_;
  const Wish wish_;
  const milliseconds ttl_;
  const milliseconds kept_;
  const std::int64_t block_;
  const milliseconds window_;
  std::string wake_up_;
  milliseconds recheck_{0};
  milliseconds grace_{0};
  bool asked_before_ = false;
  std::string instead_of_;
  const std::optional<milliseconds> quarantine_;

  Queue queue_;
  HeldGroup group_;
  Admission admission_;
  std::string front_;
  std::optional<std::string> first_;  // who is offered a lock that was free
  milliseconds lock_ends_{0};
  std::int64_t remaining_ = 0;
  std::int64_t held_for_ = -1;
  milliseconds life_{0};
  Place mine_;
};

GroupClaim::GroupClaim(Keyspace& keyspace,
                       const std::vector<Key>& keys,
                       const std::vector<std::string>& arguments,
                       std::optional<milliseconds> quarantine)
    : keyspace_(keyspace),
      keys_(keys),
      owner_(arguments[0]),
      wish_(Wish::of(owner_)),
      ttl_(parse_ms(arguments[1])),
      kept_(parse_ms(arguments[2])),
      block_(*detail::parse_number<std::int64_t>(arguments[3])),
      window_(parse_ms(arguments[4])),
      quarantine_(quarantine),
      queue_(keyspace, keys, window_, block_),
      group_(keyspace, keys[0], keys[3]),
      admission_(keyspace, queue_, group_, owner_, window_) {
  if (arguments.size() < 9) return;
  wake_up_ = arguments[5];
  recheck_ = parse_ms(arguments[6]);
  grace_ = parse_ms(arguments[7]);
  asked_before_ = arguments[8] == "1";
}

// How long it may take until the lock, or a permit, is free.
void GroupClaim::measure(const std::optional<Entry>& holder) {
  remaining_ = quarantine_ ? quarantine_->count() : window_.count();
  if (!holder) return;
  held_for_ = queue_.held_by(*holder);
  if (quarantine_) return;
  remaining_ = remaining_ms(keyspace_, *holder);
  if (!group_.is_there() || group_.is_shared()) return;
  if (const auto first = group_.first_end()) remaining_ = (*first - queue_.now()).count();
}

// The holder may keep the lock although its section is over, if nobody queued when it came.
void GroupClaim::recall(const std::string& holder) {
  if (!queue_.empty() || asked_before_) return;
  const auto recalled_on = detail::recall_channel_of(holder);
  if (recalled_on) keyspace_.publish(*recalled_on, keys_[0].text());
}

// False: another owner is first.
bool GroupClaim::take_free_lock(bool joins) {
  if (queue_.empty()) return true;
  auto [first, places_of_mine] =
      queue_.first_in_line(owner_, true, joins ? Queue::Joins::yes : Queue::Joins::no);
  first_ = std::move(first);
  if (first_ && *first_ != owner_) return false;
  for (const std::size_t n : places_of_mine) queue_.drop(n);
  return true;
}

void GroupClaim::start(HadIt had_it) {
  group_.start(wish_, queue_.fencing());
  if (queue_.empty()) return;
  const std::string& had_offer = instead_of_.empty() ? owner_ : instead_of_;
  if (front_.starts_with(had_offer + " ")) {
    queue_.drop(0);
  } else if (had_it == HadIt::yes && asked_before_) {
    const std::size_t place = queue_.place_of(owner_);
    if (place != Queue::nowhere) queue_.drop(place);
  }
  if (!quarantine_) static_cast<void>(admission_.admit(false));
}

void GroupClaim::wait_in_queue(std::size_t place) {
  if (place == Queue::nowhere) queue_.append(mine_.text());
  queue_.keep(life_, kept_ - ttl_);
}

Value GroupClaim::busy(const std::optional<std::string>& holder) {
  std::string text = holder ? *holder : std::string();
  if (quarantine_) {
    text = OwnerToken::quarantine;
    held_for_ = -1;
  } else if (!holder) {
    text = *first_;
    held_for_ = 0;
    queue_.offer_to(*first_, window_ + kept_ - ttl_);
  }
  return Value(std::vector<Value>{Value(0), Value(std::move(text)), Value(remaining_),
                                  Value(held_for_), Value(queue_.previous().value_or(-1))});
}

Value GroupClaim::not_downgraded(const std::optional<std::string>& holder) const {
  return Value(std::vector<Value>{Value(0), Value(holder.value_or("")), Value(remaining_),
                                  Value(held_for_), Value(queue_.previous().value_or(-1))});
}

Value GroupClaim::granted() {
  group_.set(owner_, queue_.now() + ttl_);
  // A claim never lets the lock's key end earlier.
  group_.save(lock_ends_);
  const std::int64_t number = queue_.next_number(kept_);
  if (!group_.is_shared()) return Value(number);
  return Value(std::vector<Value>{Value(3), Value(number), Value(group_.token())});
}

Reply GroupClaim::run() {
  if (!queue_.read() || !queue_.read_counter()) return wrong_type();
  const auto entry = keyspace_.find(keys_[0]);
  const auto holder = entry ? std::optional<std::string>(entry->value) : std::nullopt;
  if (!group_.read(holder)) return wrong_type();
  front_ = queue_.empty() ? std::string() : queue_.front();
  measure(entry);

  bool starts = holder && (*holder == owner_ || (!instead_of_.empty() && *holder == instead_of_));
  const bool counts_otherwise = group_.counts_otherwise(wish_);
  bool is_mine = starts || group_.has(owner_);
  if (!instead_of_.empty() && !is_mine) return not_downgraded(holder);
  const bool may_wait = waits() && !is_mine && !counts_otherwise;
  std::size_t place = Queue::nowhere;
  if (may_wait) {
    life_ = (remaining_ >= 0 ? milliseconds{remaining_} : recheck_) + grace_;
    mine_.owner = owner_;
    mine_.kept_until = queue_.now() + life_;
    mine_.wake_up = wake_up_;
    if (holder) recall(*holder);
    if (asked_before_) place = queue_.place_of(owner_);
    if (place != Queue::nowhere) queue_.change(place, mine_.text());
  }
  if (!is_mine && !quarantine_ && !counts_otherwise) {
    if (holder) {
      is_mine = group_.is_there() && group_.kind() == wish_.kind && admission_.admit(true);
    } else {
      starts = take_free_lock(may_wait && place == Queue::nowhere);
      is_mine = starts;
    }
  }
  if (starts) start(holder ? HadIt::yes : HadIt::no);
  if (!starts && entry && entry->expiry) lock_ends_ = *entry->expiry;
  if (!is_mine && may_wait) wait_in_queue(place);
  queue_.save();
  if (is_mine) return granted();
  if (admission_.has_admitted()) group_.save(lock_ends_);
  return busy(holder);
}

Reply look_native(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& arguments) {
  const auto entry = keyspace.find(keys[0]);
  if (entry && !entry->is_string()) return wrong_type();
  std::vector<Value> found;
  if (!entry || !is_group(entry->value)) return Value(std::move(found));
  HeldGroup group(keyspace, keys[0], keys[1]);
  if (!group.read(entry->value)) return wrong_type();
  std::vector<std::pair<milliseconds, std::string>> all = group.by_end();
  const auto at_most = static_cast<std::size_t>(parse_ms(arguments[0]).count());
  if (all.size() > at_most) all.resize(at_most);
  for (const auto& [ends, owner] : all) {
    found.emplace_back(owner);
    found.emplace_back((ends - now_ms(keyspace)).count());
  }
  return Value(std::move(found));
}

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  return GroupClaim(keyspace, keys, arguments, std::nullopt).run();
}

Reply downgrade_native(Keyspace& keyspace,
                       const std::vector<Key>& keys,
                       const std::vector<std::string>& arguments) {
  GroupClaim claim(keyspace, keys, arguments, std::nullopt);
  claim.instead_of(arguments[5]);
  return claim.run();
}

Reply quarantined_claim_native(Keyspace& keyspace,
                               const std::vector<Key>& keys,
                               const std::vector<std::string>& arguments) {
  const auto left = quarantine_left(keyspace, keys[4], parse_ms(arguments.back()));
  if (!left) return left.error();
  return GroupClaim(keyspace, keys, arguments, *left).run();
}

Reply quarantined_downgrade_native(Keyspace& keyspace,
                                   const std::vector<Key>& keys,
                                   const std::vector<std::string>& arguments) {
  const auto left = quarantine_left(keyspace, keys[4], parse_ms(arguments.back()));
  if (!left) return left.error();
  GroupClaim claim(keyspace, keys, arguments, *left);
  claim.instead_of(arguments[5]);
  return claim.run();
}

Reply renew_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  const std::string& owner = arguments[0];
  const auto entry = keyspace.find(keys[0]);
  if (entry && !entry->is_string()) return wrong_type();
  HeldGroup group(keyspace, keys[0], keys[2]);
  if (!group.read(entry ? std::optional<std::string>(entry->value) : std::nullopt)) {
    return wrong_type();
  }
  if (!group.has(owner)) return Value(entry && !group.is_there() ? -1 : 0);
  const milliseconds ttl = parse_ms(arguments[1]);
  group.set(owner, now_ms(keyspace) + ttl);
  group.save();
  keep_counter(keyspace, keys[1], ttl, parse_ms(arguments[2]));
  return Value(1);
}

// lua/parts/group_release_one.lua
Reply release_of_group(Keyspace& keyspace,
                       const std::vector<Key>& keys,
                       const std::vector<std::string>& arguments,
                       Offers offers) {
  const std::string& owner = arguments[0];
  const milliseconds window = parse_ms(arguments[3]);
  Queue queue(keyspace, keys, window, *detail::parse_number<std::int64_t>(arguments[2]));
  if (!queue.read()) return wrong_type();
  const auto holder = holder_of(keyspace, keys[0]);
  HeldGroup group(keyspace, keys[0], keys[3]);
  if (!group.read(holder)) return wrong_type();
  if (!group.has(owner)) return release_lock(keyspace, keys, arguments, offers, holder);
  if (group.size() == 1) {
    Reply released = release_lock(keyspace, keys, arguments, offers, owner);
    if (released) keyspace.erase(keys[3]);
    return released;
  }
  if (!queue.read_counter()) return wrong_type();
  group.remove(owner);
  if (!queue.empty() && offers == Offers::to_the_first) {
    Admission admission(keyspace, queue, group, owner, window);
    static_cast<void>(admission.admit(false));
    queue.save();
  }
  group.save();
  return Value(1);
}

Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  return release_of_group(keyspace, keys, arguments, Offers::to_the_first);
}

Reply quarantined_release_native(Keyspace& keyspace,
                                 const std::vector<Key>& keys,
                                 const std::vector<std::string>& arguments) {
  // Without a queue there is nobody to admit, and nobody to offer the lock to.
  if (!keyspace.find(keys[2])) {
    return release_of_group(keyspace, keys, arguments, Offers::to_the_first);
  }
  const auto left = quarantine_left(keyspace, keys[4], parse_ms(arguments.back()));
  if (!left) return left.error();
  return release_of_group(keyspace, keys, arguments, *left ? Offers::none : Offers::to_the_first);
}

}  // namespace

// Never destroyed, and made before main() begins: see owner_scripts.cpp.

const Script& group_claim_script() {
  static const Script& script =
      *new Script("group_claim", lua::group_claim, claim_native, ScriptReply::may_grant);
  return script;
}

const Script& group_downgrade_script() {
  static const Script& script = *new Script("group_downgrade", lua::group_downgrade,
                                            downgrade_native, ScriptReply::may_grant);
  return script;
}

const Script& group_renew_script() {
  static const Script& script = *new Script("group_renew", lua::group_renew, renew_native);
  return script;
}

const Script& group_release_script() {
  static const Script& script = *new Script("group_release", lua::group_release, release_native);
  return script;
}

const Script& group_look_script() {
  static const Script& script = *new Script("group_look", lua::group_look, look_native);
  return script;
}

const Script& quarantined_group_claim_script() {
  static const Script& script = *new Script("quarantined_group_claim", lua::quarantined_group_claim,
                                            quarantined_claim_native, ScriptReply::may_grant);
  return script;
}

const Script& quarantined_group_downgrade_script() {
  static const Script& script =
      *new Script("quarantined_group_downgrade", lua::quarantined_group_downgrade,
                  quarantined_downgrade_native, ScriptReply::may_grant);
  return script;
}

const Script& quarantined_group_release_script() {
  static const Script& script = *new Script(
      "quarantined_group_release", lua::quarantined_group_release, quarantined_release_native);
  return script;
}

namespace {

[[maybe_unused]] const std::array made_early{&group_claim_script(),
                                             &group_downgrade_script(),
                                             &group_renew_script(),
                                             &group_release_script(),
                                             &group_look_script(),
                                             &quarantined_group_claim_script(),
                                             &quarantined_group_downgrade_script(),
                                             &quarantined_group_release_script()};

}  // namespace

}  // namespace interlock
