#include "interlock/queue_scripts.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fencing_counter.hpp"
#include "interlock/owner_scripts.hpp"

namespace interlock {
namespace {

// The queue outlives its places by far: a waiter whose place has expired must still be found in it,
// to be notified of that.
constexpr milliseconds queue_kept{std::chrono::hours{24}};

// The part of both scripts that reads and changes the queue. The queue is a list with a line for
// each place, first come first: "<owner> <w or o><kept until> <ear>"; w waits, o has had an offer.
// While nobody is slow or dead, a script touches only the two ends of the queue, however long it
// is, and without these functions: a function costs a script as much as a command. A place in the
// middle is searched for from the front.
//
// Every PUBLISH, and every read that can fail, comes before the first write: a key of another type,
// or a channel that this user may not use, ends the script and has changed nothing.
constexpr std::string_view queue_lua = R"lua(
local block = tonumber(ARGV[3])
local last = counter and tonumber(string.match(counter, '^[1-9]%d*$'))
if last and last > 9007199254740991 - block then last = nil end
local now  -- in microseconds

local change, save, place_of_mine, first_in_line
local function read_queue()
  -- From its front, as far as it was read; '' is a line that goes.
  local lines, whole = {}, false
  local changed, goes = {}, false

  local function line_at(n)
    if n > #lines and not whole then
      local page = call('LRANGE', KEYS[3], #lines, #lines + 15)
      for at = 1, #page do lines[#lines + 1] = page[at] end
      whole = #page < 16
    end
    return lines[n]
  end

  change = function(n, line)
    lines[n] = line
    changed[n] = true
    goes = goes or line == ''
  end

  save = function()
    for n in pairs(changed) do call('LSET', KEYS[3], n - 1, lines[n]) end
    if goes then call('LREM', KEYS[3], 0, '') end
  end

  place_of_mine = function()
    local n = 1
    while line_at(n) do
      if string.sub(lines[n], 1, #owner + 1) == owner .. ' ' then return n end
      n = n + 1
    end
  end

  -- Who is to have the lock: the first who waits and listens, and is told so; the owner itself, if
  -- it claims, needs to be told nothing. Second, the owner's places on the way there.
  first_in_line = function(claims)
    local mine, n = {}, 0
    while true do
      n = n + 1
      local line = line_at(n)
      if not line then return nil, mine end
      local who, flag, kept, ear = string.match(line, '^(%S+) ([wo])(%d+) (%S+)$')
      if not who then
        change(n, '')
      elseif tonumber(kept) < math.floor(now / 1000) then
        change(n, '')
        -- Most likely dead. If it is only slow, it must know that nobody will call it.
        if ear ~= '-' then call('PUBLISH', ear, who) end
      elseif who == owner then
        mine[#mine + 1] = n
        if claims and flag == 'w' then return owner, mine end
      elseif flag == 'w' then
        change(n, who .. ' o' .. kept .. ' ' .. ear)
        if ear == '-' or call('PUBLISH', ear, who) > 0 then return who, mine end
      end
    end
  end
end
)lua";

// A grant or an offer was made at `now`; its number is kept for `kept`.
constexpr std::string_view number_lua = R"lua(
local fencing = math.max(1, now)
if last and last >= fencing then fencing = last + 1 end
call('SET', KEYS[2], string.format('%.0f', fencing + block - 1), 'PX', kept)
)lua";

// A free lock without a queue costs little more than one that cannot have any. The counter is
// compared with the clock as text, as in claim (owner_scripts.cpp), and the block's last token is
// one of the same second: else it is made below, as number. Unlike EXISTS, LINDEX tells a queue
// from a key of another type.
constexpr std::string_view free_claim_lua = R"lua(
local call, keys, argv = redis.call, KEYS, ARGV
local owner, ttl = argv[1], argv[2]
local kept = (#ttl < 8 or tonumber(ttl) <= 86400000) and '172800000' or '34560000000'
local counter, granted = call('GET', keys[2]), false
if call('EXISTS', keys[3]) == 0 then granted = call('SET', keys[1], owner, 'NX', 'PX', ttl) end
if granted and counter then
  local time = call('TIME')
  local seconds, micros = time[1], time[2]
  local clock, last = seconds .. string.sub('00000' .. micros, -6), micros + argv[3] - 1
  if #counter == #clock and counter < clock and last <= 999999 then
    call('SET', keys[2], string.format('%s%06d', seconds, last), 'PX', kept)
    return tonumber(clock)
  end
end
local front = not granted and call('LINDEX', keys[3], 0)
local holder = granted and owner or call('GET', keys[1])
)lua";

constexpr std::string_view claim_lua = R"lua(
local ear, asked_before = ARGV[5], ARGV[8] == '1'
if holder == owner and not granted then
  local confirms = front and string.sub(front, 1, #owner + 1) == owner .. ' '
  if confirms then
    call('LPOP', KEYS[3])
  elseif front and asked_before then
    read_queue()
    confirms = place_of_mine()
    if confirms then change(confirms, '') end
    save()
  end
  call('PEXPIRE', KEYS[1], ttl)
  -- The client that offered it, or an earlier claim of mine, may have reserved a block of another
  -- size: only the last token of that block is certainly mine.
  if last and not (confirms and block > 1) then
    if kept ~= '172800000' then call('PEXPIRE', KEYS[2], kept) end
    return {1, last}
  end
  granted = true
end

local time = call('TIME')
now = time[1] * 1000000 + time[2]
local first, remaining, held_for = holder, nil, -1
if not granted then
  remaining = holder and call('PTTL', KEYS[1]) or tonumber(ARGV[4])
  local life, line
  if ear then
    life = (remaining >= 0 and remaining or tonumber(ARGV[6])) + tonumber(ARGV[7])
    line = string.format('%s w%.0f %s', owner, math.floor(now / 1000) + life, ear)
  end
  local place
  if not holder or asked_before then
    read_queue()
    place = line and asked_before and place_of_mine()
    if place then change(place, line) end
  end
  if not holder then
    local mine
    first, mine = first_in_line(true)
    granted = not first or first == owner
    if granted then
      for _, n in ipairs(mine) do change(n, '') end
      line = nil
    end
  end
  if line and not place then call('RPUSH', KEYS[3], line) end
  if save then save() end
  if line then
    local least = math.max(life, 86400000)
    if call('PTTL', KEYS[3]) < least then call('PEXPIRE', KEYS[3], least + 86400000) end
  end
  if granted then
    call('SET', KEYS[1], owner, 'PX', ttl)
  elseif holder then
    if last and string.sub(holder, 1, 4) == 'il1:' then
      held_for = math.max(0, math.floor((now - last + block - 1) / 1000))
    end
    return {0, holder, remaining, held_for}
  else
    call('SET', KEYS[1], first, 'PX', ARGV[4])
    kept = '172800000'
  end
end
)lua";

constexpr std::string_view claim_end_lua = R"lua(
if granted then return call('EXISTS', KEYS[3]) == 1 and {2, fencing} or fencing end
return {0, first, remaining, 0}
)lua";

// A release without a queue: there is nobody to notify in it, and no fencing token to make.
constexpr std::string_view unwanted_release_lua = R"lua(
local call, keys, owner = redis.call, KEYS, ARGV[1]
local holder = call('GET', keys[1])
if call('EXISTS', keys[3]) == 0 then
  if holder and holder ~= owner then return -1 end
  call('PUBLISH', ARGV[2], '')
  if not holder then return 0 end
  call('DEL', keys[1])
  return 1
end
local front, counter = call('LINDEX', keys[3], 0), call('GET', keys[2])
)lua";

constexpr std::string_view release_lua = R"lua(
local kept = '172800000'
local first
local time = call('TIME')
now = time[1] * 1000000 + time[2]
local line
if holder == owner then
  local who, flag, until_ms, ear = string.match(front, '^(%S+) ([wo])(%d+) (%S+)$')
  if flag == 'w' and who ~= owner and tonumber(until_ms) >= math.floor(now / 1000) and
     (ear == '-' or call('PUBLISH', ear, who) > 0) then
    first, line = who, who .. ' o' .. until_ms .. ' ' .. ear
  end
end
if not first then
  read_queue()
  local mine = {}
  if holder ~= owner then mine = {place_of_mine()} end
  for _, n in ipairs(mine) do change(n, '') end
  if not holder or holder == owner then
    first, mine = first_in_line(false)
    for _, n in ipairs(mine) do change(n, '') end
  end
end
if (not holder or holder == owner) and not first then call('PUBLISH', ARGV[2], '') end
if line then call('LSET', KEYS[3], 0, line) else save() end
if not first then
  if holder == owner then call('DEL', KEYS[1]) end
  return holder and (holder == owner and 1 or -1) or 0
end
call('SET', KEYS[1], first, 'PX', ARGV[4])
)lua";

constexpr std::string_view release_end_lua = R"lua(
return holder and 1 or 0
)lua";

// The same natively, step by step.

class Place {
 public:
  std::string text() const {
    return owner + (waits ? " w" : " o") + std::to_string(kept_until.count()) + " " + ear;
  }
  std::string owner;
  bool waits = true;
  milliseconds kept_until{0};
  std::string ear;
};

// The next word of a line, which is taken off it. Lua's %S+ ends at every kind of white space.
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
  const auto instant = parse_decimal(kept);
  if (!instant || line.empty() || line[0] != ' ') return std::nullopt;
  place.kept_until = milliseconds{*instant};
  line.remove_prefix(1);
  place.ear = take_word(line);
  if (place.ear.empty() || !line.empty()) return std::nullopt;
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

  // How long the holder has held it, in ms; -1: unknown. Taken from the fencing token of its grant,
  // which is about the store's time then.
  std::int64_t held_by(const Entry& holder) const {
    if (!previous_ || !holder.value.starts_with(OwnerToken::mark)) return -1;
    const std::int64_t granted = *previous_ - block_ + 1;
    const std::int64_t since = keyspace_.now().time_since_epoch().count() - granted;
    return std::max<std::int64_t>(0, since / 1000);
  }

  // Writes the queue, without the lines that were dropped.
  void save() {
    if (!changed_) return;
    if (goes_) std::erase(lines_, std::string());
    if (lines_.empty()) return keyspace_.erase(keys_[2]);
    keyspace_.put(keys_[2], Entry::list(lines_, ends_));
  }

  // Keeps the queue for `life` and long beyond it. Its expiry is set once a day at most.
  void keep(milliseconds life) {
    const milliseconds least = now() + std::max(life, queue_kept);
    if (!ends_ || *ends_ < least) ends_ = least + queue_kept;
  }

  std::int64_t next_number(milliseconds kept) {
    const std::int64_t clock = keyspace_.now().time_since_epoch().count();
    std::int64_t fencing = std::max<std::int64_t>(1, clock);
    if (previous_ && *previous_ >= fencing) fencing = *previous_ + 1;
    keyspace_.put(keys_[1], Entry(std::to_string(fencing + block_ - 1), now() + kept));
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
  First first_in_line(const std::string& owner, bool claims) {
    First first;
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      auto place = parse_place(lines_[n]);
      if (!place) {
        drop(n);
      } else if (place->kept_until < now()) {
        drop(n);
        if (place->ear != "-") keyspace_.publish(Channel(place->ear), place->owner);
      } else if (place->owner == owner) {
        first.places_of_mine.push_back(n);
        if (claims && place->waits) first.owner = owner;
      } else if (place->waits) {
        place->waits = false;
        change(n, place->text());
        if (is_heard(*place)) first.owner = place->owner;
      }
      if (first.owner) break;
    }
    return first;
  }

  void offer_to(const std::string& owner) {
    keyspace_.put(keys_[0], Entry(owner, now() + window_));
    next_number(kept_briefly);
  }

 private:
  bool is_heard(const Place& place) {
    if (place.ear == "-") return true;
    const std::int64_t listeners = keyspace_.publish(Channel(place.ear), place.owner);
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
        block(*parse_decimal(arguments[2])),
        window(parse_ms(arguments[3])) {
    if (arguments.size() == 4) return;
    ear = arguments[4];
    recheck = parse_ms(arguments[5]);
    grace = parse_ms(arguments[6]);
    asked_before = arguments[7] == "1";
  }
  std::string owner;
  milliseconds ttl;
  std::int64_t block;
  milliseconds window;
  // Only of a claim that waits if it is refused.
  std::string ear;
  milliseconds recheck{0};
  milliseconds grace{0};
  bool asked_before = false;
};

Value grant(Keyspace& keyspace, const std::vector<Key>& keys, const Claim& claim, Queue& queue) {
  keyspace.put(keys[0], Entry(claim.owner, queue.now() + claim.ttl));
  const Value fencing(queue.next_number(kept_for(claim.ttl)));
  return queue.empty() ? fencing : Value(std::vector<Value>{Value(2), fencing});
}

// It is the owner's already, by an offer or by an earlier claim.
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
  if (kept_for(claim.ttl) > kept_briefly) {
    keyspace.put(keys[1], Entry(std::to_string(*last), queue.now() + kept_for(claim.ttl)));
  }
  return Value(std::vector<Value>{Value(1), Value(*last)});
}

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  const Claim claim(arguments);
  Queue queue(keyspace, keys, claim.window, claim.block);
  if (!queue.read() || !queue.read_counter()) return wrong_type();
  const auto holder = keyspace.find(keys[0]);
  if (!holder && queue.empty()) return grant(keyspace, keys, claim, queue);
  if (holder && holder->value == claim.owner) return confirm(keyspace, keys, claim, queue);

  const std::int64_t remaining = holder ? remaining_ms(keyspace, *holder) : claim.window.count();
  const milliseconds comes_back = remaining >= 0 ? milliseconds{remaining} : claim.recheck;
  const milliseconds life = comes_back + claim.grace;
  Place mine;
  mine.owner = claim.owner;
  mine.kept_until = queue.now() + life;
  mine.ear = claim.ear;
  const bool waits = !claim.ear.empty();
  const bool may_have_place = waits && claim.asked_before;
  const std::size_t place = may_have_place ? queue.place_of(claim.owner) : Queue::nowhere;
  if (place != Queue::nowhere) queue.change(place, mine.text());

  std::optional<std::string> next;
  if (!holder) {
    auto [first, places_of_mine] = queue.first_in_line(claim.owner, true);
    if (!first || *first == claim.owner) {
      for (const std::size_t n : places_of_mine) queue.drop(n);
      queue.save();
      return grant(keyspace, keys, claim, queue);
    }
    next = std::move(first);
  }
  if (waits && place == Queue::nowhere) queue.append(mine.text());
  if (waits) queue.keep(life);
  queue.save();
  if (next) queue.offer_to(*next);
  return Value(std::vector<Value>{Value(0), Value(next ? *next : holder->value), Value(remaining),
                                  Value(next ? 0 : queue.held_by(*holder))});
}

Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  const std::string& owner = arguments[0];
  Queue queue(keyspace, keys, parse_ms(arguments[3]), *parse_decimal(arguments[2]));
  if (!queue.read()) return wrong_type();
  if (!queue.empty() && !queue.read_counter()) return wrong_type();
  const auto holder = keyspace.find(keys[0]);
  const bool mine = holder && holder->value == owner;
  if (!mine) {
    const std::size_t place = queue.place_of(owner);
    if (place != Queue::nowhere) queue.drop(place);
  }
  if (holder && !mine) {
    queue.save();
    return Value(-1);
  }
  const auto [first, places_of_mine] = queue.first_in_line(owner, false);
  for (const std::size_t n : places_of_mine) queue.drop(n);
  queue.save();
  if (first) {
    queue.offer_to(*first);
  } else {
    if (holder) keyspace.erase(keys[0]);
    keyspace.publish(Channel(arguments[1]), "");
  }
  return Value(holder ? 1 : 0);
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

}  // namespace

const Script& queue_claim_script() {
  static const Script script(
      "queue_claim", joined({free_claim_lua, queue_lua, claim_lua, number_lua, claim_end_lua}),
      claim_native);
  return script;
}

const Script& queue_release_script() {
  static const Script script(
      "queue_release",
      joined({unwanted_release_lua, queue_lua, release_lua, number_lua, release_end_lua}),
      release_native);
  return script;
}

}  // namespace interlock
