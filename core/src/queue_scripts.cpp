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
#include "quarantine.hpp"
#include "queue.hpp"

namespace interlock {
namespace {

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

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  return claim_lock(keyspace, keys, arguments, std::nullopt);
}
Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  return release_lock(keyspace, keys, arguments, Offers::to_the_first,
                      holder_of(keyspace, keys[0]));
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
    return release_lock(keyspace, keys, arguments, Offers::to_the_first,
                        holder_of(keyspace, keys[0]));
  }
  const auto left = quarantine_left(keyspace, keys[3], parse_ms(arguments.back()));
  if (!left) return left.error();
  return release_lock(keyspace, keys, arguments, *left ? Offers::none : Offers::to_the_first,
                      holder_of(keyspace, keys[0]));
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
