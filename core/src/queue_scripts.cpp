// The scripts of a queue for stores without Lua. They do the same steps as the Lua
// (lua/queue_claim.lua, lua/queue_release.lua).
#include "interlock/store/queue_scripts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fencing_counter.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/detail/wake_up_channel.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "lua/scripts.hpp"
#include "offer.hpp"
#include "quarantine.hpp"

namespace interlock {
namespace {

class Place {
 public:
  std::string text() const {
    return owner + (waits ? " w" : " o") + std::to_string(kept_until.count()) + " " + wake_up;
  }
  std::string owner;
  bool waits = true;
  milliseconds kept_until{0};
  std::string wake_up;
};

// Removes the next word of a line and returns it. It ends at every kind of white space, as Lua's
// %S+ does.
std::string take_word(std::string_view& rest) {
  const auto end = std::min(rest.find_first_of(" \t\n\v\f\r"), rest.size());
  std::string word(rest.substr(0, end));
  rest.remove_prefix(end);
  return word;
}

std::optional<Place> parse_place(std::string_view line) {
  Place place;
  place.owner = take_word(line);
  if (place.owner.empty() || line.size() < 2 || line[0] != ' ') return std::nullopt;
  if (line[1] != 'w' && line[1] != 'o') return std::nullopt;
  place.waits = line[1] == 'w';
  line.remove_prefix(2);
  const std::string kept = take_word(line);
  if (kept.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const auto instant = detail::parse_number<std::int64_t>(kept);
  if (!instant || line.empty() || line[0] != ' ') return std::nullopt;
  place.kept_until = milliseconds{*instant};
  line.remove_prefix(1);
  place.wake_up = take_word(line);
  if (place.wake_up.empty() || !line.empty()) return std::nullopt;
  return place;
}

class Queue {
 public:
  Queue(Keyspace& keyspace, const std::vector<Key>& keys, milliseconds window, std::int64_t block)
      : keyspace_(keyspace), keys_(keys), window_(window), block_(block) {}

  // False: a key is of another type.
  bool read() {
    const auto queue = keyspace_.find(keys_[2]);
    const auto holder = keyspace_.find(keys_[0]);
    if (holder && !holder->is_string()) return false;
    if (queue && queue->type != Entry::Type::list) return false;
    if (queue) lines_ = queue->lines();
    if (queue) ends_ = queue->expiry;
    return true;
  }
  bool read_counter() {
    const auto counter = keyspace_.find(keys_[1]);
    if (counter && !counter->is_string()) return false;
    previous_ = parse_counter(counter);
    if (previous_ && *previous_ > largest_fencing - block_) previous_.reset();
    return true;
  }

  milliseconds now() const { return now_ms(keyspace_); }
  bool empty() const { return lines_.empty(); }
  std::optional<std::int64_t> previous() const { return previous_; }

  // How long the holder has held the lock, in ms; -1: unknown. Its grant has the first token of the
  // block that the counter ends.
  std::int64_t held_by(const Entry& holder) const {
    std::optional<std::int64_t> granted;
    if (previous_) granted = *previous_ - block_ + 1;
    return ms_since(keyspace_, holder, granted);
  }

  // Writes the queue, without the lines that were dropped.
  void save() {
    if (!changed_) return;
    if (goes_) std::erase(lines_, std::string());
    if (lines_.empty()) return keyspace_.erase(keys_[2]);
    keyspace_.put(keys_[2], Entry::list(lines_, ends_));
  }

  // Keeps the queue for `life` and long beyond it: a waiter whose place has expired must still be
  // found in it, to be notified of that. Its expiry is set once in a retention at most.
  void keep(milliseconds life, milliseconds retention) {
    const milliseconds least = now() + life + retention;
    if (!ends_ || *ends_ < least) ends_ = least + retention;
  }

  // The first fencing token of the grant or offer that is made now.
  std::int64_t fencing() const {
    const std::int64_t clock = keyspace_.now().time_since_epoch().count();
    const std::int64_t fencing = std::max<std::int64_t>(1, clock);
    return previous_ && *previous_ >= fencing ? *previous_ + 1 : fencing;
  }
  std::int64_t next_number(milliseconds kept) {
    const std::int64_t fencing = this->fencing();
    previous_ = fencing + block_ - 1;
    keyspace_.put(keys_[1], Entry(std::to_string(*previous_), now() + kept));
    return fencing;
  }

  static constexpr std::size_t nowhere = ~std::size_t{0};
  std::size_t place_of(const std::string& owner) const {
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      if (lines_[n].starts_with(owner + " ")) return n;
    }
    return nowhere;
  }
  void change(std::size_t n, std::string line) {
    lines_[n] = std::move(line);
    changed_ = true;
  }
  void drop(std::size_t n) {
    change(n, std::string());
    goes_ = true;
  }
  void drop_front() {
    lines_.erase(lines_.begin());
    changed_ = true;
  }
  void append(std::string line) {
    lines_.push_back(std::move(line));
    changed_ = true;
  }

  struct First {
    std::optional<std::string> owner;
    std::vector<std::size_t> places_of_mine;
  };
  // Returns the owner that is to have the lock: the first that waits and listens. Notifies it.
  // `joins`: the owner of this call takes a place behind all others after this.
  enum class Joins : bool { no, yes };
  First first_in_line(const std::string& owner, bool claims, Joins joins = Joins::no) {
    First first;
    bool others_wait = joins == Joins::yes;
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      auto place = parse_place(lines_[n]);
      if (!place) {
        drop(n);
      } else if (place->kept_until < now()) {
        drop(n);
        // The owner of this call needs no message.
        const bool listens = place->wake_up != "-" && place->owner != owner;
        if (listens) keyspace_.publish(Channel(place->wake_up), place->owner);
      } else if (place->owner == owner) {
        first.places_of_mine.push_back(n);
        if (claims && place->waits) first.owner = owner;
      } else if (place->waits) {
        place->waits = false;
        change(n, place->text());
        if (is_heard(*place, others_wait || n + 1 < lines_.size())) first.owner = place->owner;
        others_wait = true;
      } else {
        others_wait = true;
      }
      if (first.owner) break;
    }
    return first;
  }

  void offer_to(const std::string& owner, milliseconds counter_kept) {
    keyspace_.put(keys_[0], Entry(owner, now() + window_));
    next_number(counter_kept);
  }

 private:
  bool is_heard(const Place& place, bool others_queue) {
    if (place.wake_up == "-") return true;
    Offer offer;
    offer.owner = place.owner;
    offer.fencing = FencingToken(static_cast<std::uint64_t>(fencing()));
    offer.tokens = block_;
    offer.others_queue = others_queue;
    offer.window = Ttl(window_);
    const std::int64_t listeners = keyspace_.publish(Channel(place.wake_up), offer.text());
    return listeners > 0 || !keyspace_.knows_listeners();
  }

  Keyspace& keyspace_;
  const std::vector<Key>& keys_;
  milliseconds window_;
  std::int64_t block_;
  std::vector<std::string> lines_;
  bool changed_ = false;
  bool goes_ = false;
  std::optional<milliseconds> ends_;
  std::optional<std::int64_t> previous_;
};

class Claim {
 public:
  explicit Claim(const std::vector<std::string>& arguments)
      : owner(arguments[0]),
        ttl(parse_ms(arguments[1])),
        kept(parse_ms(arguments[2])),
        block(*detail::parse_number<std::int64_t>(arguments[3])),
        window(parse_ms(arguments[4])) {
    if (arguments.size() < 9) return;
    wake_up = arguments[5];
    recheck = parse_ms(arguments[6]);
    grace = parse_ms(arguments[7]);
    asked_before = arguments[8] == "1";
  }
  milliseconds retention() const { return kept - ttl; }

  std::string owner;
  milliseconds ttl;
  milliseconds kept;  // the counter, from a grant with this ttl on
  std::int64_t block;
  milliseconds window;
  // Set only in a claim of a caller that is going to wait.
  std::string wake_up;
  milliseconds recheck{0};
  milliseconds grace{0};
  bool asked_before = false;
};

Value grant(Keyspace& keyspace, const std::vector<Key>& keys, const Claim& claim, Queue& queue) {
  keyspace.put(keys[0], Entry(claim.owner, queue.now() + claim.ttl));
  const Value fencing(queue.next_number(claim.kept));
  return queue.empty() ? fencing : Value(std::vector<Value>{Value(2), fencing});
}

// The owner has the lock already, by an offer or by an earlier claim.
Value confirm(Keyspace& keyspace, const std::vector<Key>& keys, const Claim& claim, Queue& queue) {
  const std::size_t place = queue.place_of(claim.owner);
  const bool confirms = place == 0 || (claim.asked_before && place != Queue::nowhere);
  if (place == 0) {
    queue.drop_front();
  } else if (confirms) {
    queue.drop(place);
  }
  queue.save();
  const auto last = queue.previous();
  // The client that offered it, or an earlier claim of mine, may have reserved a block of another
  // size: only the last token of that block is certainly mine.
  if (!last || (confirms && claim.block > 1)) return grant(keyspace, keys, claim, queue);
  keyspace.put(keys[0], Entry(claim.owner, queue.now() + claim.ttl));
  // The client that offered it keeps counters for its own time.
  keep_counter(keyspace, keys[1], claim.ttl, claim.kept);
  return Value(std::vector<Value>{Value(1), Value(*last)});
}

// `quarantine`: for how long nothing is granted.
Reply claim_lock(Keyspace& keyspace,
                 const std::vector<Key>& keys,
                 const std::vector<std::string>& arguments,
                 std::optional<milliseconds> quarantine) {
  const Claim claim(arguments);
  Queue queue(keyspace, keys, claim.window, claim.block);
  if (!queue.read() || !queue.read_counter()) return wrong_type();
  const auto holder = keyspace.find(keys[0]);
  if (!holder && queue.empty() && !quarantine) return grant(keyspace, keys, claim, queue);
  if (holder && holder->value == claim.owner) return confirm(keyspace, keys, claim, queue);

  std::int64_t remaining = holder ? remaining_ms(keyspace, *holder) : claim.window.count();
  if (quarantine) remaining = quarantine->count();
  const milliseconds comes_back = remaining >= 0 ? milliseconds{remaining} : claim.recheck;
  const milliseconds life = comes_back + claim.grace;
  Place mine;
  mine.owner = claim.owner;
  mine.kept_until = queue.now() + life;
  mine.wake_up = claim.wake_up;
  const bool waits = !claim.wake_up.empty();
  const bool may_have_place = waits && claim.asked_before;
  if (holder && waits && queue.empty() && !claim.asked_before) {
    const auto recalled_on = detail::recall_channel_of(holder->value);
    if (recalled_on) keyspace.publish(*recalled_on, keys[0].text());
  }
  const std::size_t place = may_have_place ? queue.place_of(claim.owner) : Queue::nowhere;
  if (place != Queue::nowhere) queue.change(place, mine.text());

  std::optional<std::string> next;
  if (!holder && !quarantine) {
    const bool joins = waits && place == Queue::nowhere;
    auto [first, places_of_mine] =
        queue.first_in_line(claim.owner, true, joins ? Queue::Joins::yes : Queue::Joins::no);
    if (!first || *first == claim.owner) {
      for (const std::size_t n : places_of_mine) queue.drop(n);
      queue.save();
      return grant(keyspace, keys, claim, queue);
    }
    next = std::move(first);
  }
  if (waits && place == Queue::nowhere) queue.append(mine.text());
  if (waits) queue.keep(life, claim.retention());
  queue.save();
  if (next) queue.offer_to(*next, claim.window + claim.retention());
  if (quarantine) {
    return Value(std::vector<Value>{Value(0), Value(std::string(OwnerToken::quarantine)),
                                    Value(remaining), Value(-1),
                                    Value(queue.previous().value_or(-1))});
  }
  return Value(std::vector<Value>{Value(0), Value(next ? *next : holder->value), Value(remaining),
                                  Value(next ? 0 : queue.held_by(*holder)),
                                  Value(queue.previous().value_or(-1))});
}

// In a quarantine the lock is offered to nobody.
enum class Offers : bool { none, to_the_first };

Reply release_lock(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments,
                   Offers offers) {
  const std::string& owner = arguments[0];
  Queue queue(keyspace, keys, parse_ms(arguments[3]),
              *detail::parse_number<std::int64_t>(arguments[2]));
  if (!queue.read()) return wrong_type();
  if (!queue.empty() && !queue.read_counter()) return wrong_type();
  const auto holder = keyspace.find(keys[0]);
  const bool mine = holder && holder->value == owner;
  if (!mine || offers == Offers::none) {
    const std::size_t place = queue.place_of(owner);
    if (place != Queue::nowhere) queue.drop(place);
  }
  if (holder && !mine) {
    queue.save();
    return Value(-1);
  }
  std::optional<std::string> first;
  if (offers == Offers::to_the_first) {
    auto [owner_in_line, places_of_mine] = queue.first_in_line(owner, false);
    for (const std::size_t n : places_of_mine) queue.drop(n);
    first = std::move(owner_in_line);
  }
  queue.save();
  if (first) {
    queue.offer_to(*first, parse_ms(arguments[4]));
  } else {
    if (holder) keyspace.erase(keys[0]);
    keyspace.publish(Channel(arguments[1]), "");
  }
  return Value(holder ? 1 : 0);
}

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  return claim_lock(keyspace, keys, arguments, std::nullopt);
}
Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  return release_lock(keyspace, keys, arguments, Offers::to_the_first);
}

Reply quarantined_claim_native(Keyspace& keyspace,
                               const std::vector<Key>& keys,
                               const std::vector<std::string>& arguments) {
  const auto left = quarantine_left(keyspace, keys[3], parse_ms(arguments.back()));
  if (!left) return left.error();
  return claim_lock(keyspace, keys, arguments, *left);
}
Reply quarantined_release_native(Keyspace& keyspace,
                                 const std::vector<Key>& keys,
                                 const std::vector<std::string>& arguments) {
  // Without a queue there is nobody to offer the lock to.
  if (!keyspace.find(keys[2])) {
    return release_lock(keyspace, keys, arguments, Offers::to_the_first);
  }
  const auto left = quarantine_left(keyspace, keys[3], parse_ms(arguments.back()));
  if (!left) return left.error();
  return release_lock(keyspace, keys, arguments, *left ? Offers::none : Offers::to_the_first);
}

}  // namespace

// Never destroyed, and made before main() begins: see owner_scripts.cpp.

const Script& queue_claim_script() {
  static const Script& script = *new Script("queue_claim", lua::queue_claim, claim_native,
                                            ScriptBatch(5, {1, 2, 3, 4}), ScriptReply::may_grant);
  return script;
}

const Script& queue_release_script() {
  static const Script& script =
      *new Script("queue_release", lua::queue_release, release_native, ScriptBatch(5, {2, 3, 4}));
  return script;
}

const Script& quarantined_queue_claim_script() {
  static const Script& script = *new Script("quarantined_queue_claim", lua::quarantined_queue_claim,
                                            quarantined_claim_native, ScriptReply::may_grant);
  return script;
}

const Script& quarantined_queue_release_script() {
  static const Script& script = *new Script(
      "quarantined_queue_release", lua::quarantined_queue_release, quarantined_release_native);
  return script;
}

namespace {

[[maybe_unused]] const std::array made_early{&queue_claim_script(), &queue_release_script(),
                                             &quarantined_queue_claim_script(),
                                             &quarantined_queue_release_script()};

}  // namespace

}  // namespace interlock
