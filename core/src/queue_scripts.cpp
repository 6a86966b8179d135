#include "interlock/queue_scripts.hpp"

#include <algorithm>
#include <string_view>

#include "fencing_counter.hpp"
#include "interlock/owner_scripts.hpp"

namespace interlock {
namespace {

// Long beyond every place in it: whoever was too slow must be found in it to be told so.
constexpr milliseconds queue_kept{std::chrono::hours{24}};

// The first half of both scripts. A place is "\n<owner> <w or o><kept until> <ear>": w waits, o has
// had an offer. Found by its owner without looking at the others; appended at the end; read from
// the front until somebody waits.
constexpr std::string_view queue_lua = R"lua(
local window, block
local line, counter, now
-- Redis' Lua looks at every byte of a string that it makes, so the whole queue is made anew only
-- where it must be: `dirty` says that `line` differs from the key.
local dirty, marked = false, false

local function read()
  line = redis.call('GET', KEYS[3]) or ''
  counter = redis.call('GET', KEYS[2])
end

local function clock()
  if not now then now = redis.call('TIME') end
  return now
end
local function clock_ms()
  return clock()[1] * 1000 + math.floor(clock()[2] / 1000)
end

-- Every read comes before the first write: a key of another type ends the script unchanged.
local function save(atleast)
  if line == '' then return redis.call('DEL', KEYS[3]) end
  local left = redis.call('PTTL', KEYS[3])
  redis.call('SET', KEYS[3], line, 'PX', math.max(left, atleast or 0, 86400000))
end

local function previous()
  local number = counter and tonumber(string.match(counter, '^[1-9]%d*$'))
  if number and number > 9007199254740991 - block then return nil end
  return number
end

local function next_number(kept)
  local fencing = math.max(1, clock()[1] * 1000000 + clock()[2])
  local last = previous()
  if last and last >= fencing then fencing = last + 1 end
  counter = string.format('%.0f', fencing + block - 1)
  redis.call('SET', KEYS[2], counter, 'PX', kept)
  return fencing
end

-- Before `line` is changed: marks that the key has and it has not.
local function change()
  if marked and not dirty then line = redis.call('GET', KEYS[3]) end
  dirty = true
end

local function place_of(owner)
  local from = string.find(line, '\n' .. owner .. ' ', 1, true)
  if not from then return nil end
  return from, (string.find(line, '\n', from + 1, true) or #line + 1)
end

local function leave(owner)
  local from, beyond = place_of(owner)
  if not from then return false end
  change()
  line = string.sub(line, 1, from - 1) .. string.sub(line, beyond)
  return true
end

-- Offers the lock to the first who waits and listens; `me` needs no offer. Who it is, if anybody.
local function offer(me)
  local at = 1
  local ms = clock_ms()
  while at <= #line do
    local owner, flag, kept, ear, beyond =
      string.match(line, '^\n(%S+) ([wo])(%d+) (%S+)()', at)
    if not owner or tonumber(kept) < ms then change() end
    if not owner then
      line = string.sub(line, 1, at - 1)
    elseif tonumber(kept) < ms then
      line = string.sub(line, 1, at - 1) .. string.sub(line, beyond)
      -- Most likely dead. If it is only slow, it must know that nobody will call it.
      if ear ~= '-' then redis.call('PUBLISH', ear, owner) end
    elseif flag == 'w' and owner == me then
      return me
    elseif flag == 'w' then
      if dirty then
        line = string.sub(line, 1, at + #owner + 1) .. 'o' .. string.sub(line, at + #owner + 3)
      else
        redis.call('SETRANGE', KEYS[3], at + #owner + 1, 'o')
        marked = true
      end
      if ear == '-' or redis.call('PUBLISH', ear, owner) > 0 then
        redis.call('SET', KEYS[1], owner, 'PX', window)
        next_number(172800000)
        return owner
      end
      at = beyond
    else
      at = beyond
    end
  end
end
)lua";

constexpr std::string_view claim_lua = R"lua(
local owner, ttl, ear = ARGV[1], tonumber(ARGV[2]), ARGV[4]
local kept = ttl <= 86400000 and 172800000 or 34560000000
block, window = tonumber(ARGV[3]), tonumber(ARGV[5])
read()
if line == '' and redis.call('SET', KEYS[1], owner, 'NX', 'PX', ttl) then
  return {1, next_number(kept), block}
end
local holder = redis.call('GET', KEYS[1])
if holder == owner then
  local confirms = leave(owner)
  if confirms then save() end
  redis.call('PEXPIRE', KEYS[1], ttl)
  local last = previous()
  -- Whoever offered it may reserve blocks of another size, and so may an earlier claim of mine: the
  -- last token alone is mine in any case.
  if not last or confirms and block > 1 then return {1, next_number(kept), block} end
  if kept > 172800000 then redis.call('PEXPIRE', KEYS[2], kept) end
  return {1, last, 1}
end

local remaining = holder and redis.call('PTTL', KEYS[1]) or window
local life = (remaining >= 0 and remaining or tonumber(ARGV[6])) + tonumber(ARGV[7])
local held_for = -1
if holder and string.sub(holder, 1, 4) == 'il1:' then
  local left = redis.call('PTTL', KEYS[2])
  if left >= 0 then
    held_for = math.max(0, (left > 345600000 and 34560000000 or 172800000) - left)
  end
end
if ear ~= '' then
  local mine = '\n' .. owner .. ' w' .. string.format('%.0f', clock_ms() + life) .. ' ' .. ear
  local from, beyond = place_of(owner)
  if holder and not from and line ~= '' then
    redis.call('APPEND', KEYS[3], mine)
    redis.call('PEXPIRE', KEYS[3], math.max(redis.call('PTTL', KEYS[3]), life, 86400000))
    return {0, holder, remaining, held_for}
  end
  dirty = true
  if from then
    line = string.sub(line, 1, from - 1) .. mine .. string.sub(line, beyond)
  else
    line = line .. mine
  end
end
if not holder then
  local first = offer(owner)
  if not first or first == owner then
    leave(owner)
    if dirty then save(life) end
    redis.call('SET', KEYS[1], owner, 'PX', ttl)
    return {1, next_number(kept), block}
  end
  if dirty then save(life) end
  return {0, first, remaining, 0}
end
if ear ~= '' then save(life) end
return {0, holder, remaining, held_for}
)lua";

constexpr std::string_view release_lua = R"lua(
local owner = ARGV[1]
block, window = tonumber(ARGV[3]), tonumber(ARGV[4])
read()
local holder = redis.call('GET', KEYS[1])
leave(owner)
if holder and holder ~= owner then
  if dirty then save() end
  return -1
end
local queued = line ~= ''
local offered = queued and offer()
if dirty then save() end
if offered then return holder and 1 or 0 end
if not holder then return 0 end
-- First, so that a user who may not publish changes nothing.
redis.call('PUBLISH', ARGV[2], '')
redis.call('DEL', KEYS[1])
return 1
)lua";

// The same natively, word by word.

// One line as it stands in the text, and where the next one begins.
struct Line {
  std::string_view owner;
  char flag = 'w';
  milliseconds kept{0};
  std::string_view ear;
  std::size_t beyond = 0;
};

// The run of characters that are not white space from `at` on.
std::string_view word_at(std::string_view text, std::size_t at) {
  constexpr std::string_view white = " \t\n\v\f\r";
  const auto end = text.find_first_of(white, at);
  return at >= text.size() ? std::string_view()
                           : text.substr(at, end == text.npos ? end : end - at);
}

std::optional<Line> line_at(std::string_view text, std::size_t at) {
  Line line;
  if (at >= text.size() || text[at] != '\n') return std::nullopt;
  line.owner = word_at(text, at + 1);
  std::size_t next = at + 1 + line.owner.size();
  if (line.owner.empty() || next + 2 >= text.size() || text[next] != ' ') return std::nullopt;
  line.flag = text[next + 1];
  if (line.flag != 'w' && line.flag != 'o') return std::nullopt;
  next += 2;
  const auto digits_end = std::min(text.find_first_not_of("0123456789", next), text.size());
  const auto kept = parse_decimal(std::string(text.substr(next, digits_end - next)));
  if (!kept || digits_end >= text.size() || text[digits_end] != ' ') return std::nullopt;
  line.kept = milliseconds{*kept};
  line.ear = word_at(text, digits_end + 1);
  if (line.ear.empty()) return std::nullopt;
  line.beyond = digits_end + 1 + line.ear.size();
  return line;
}

class Queue {
 public:
  Queue(Keyspace& keyspace, const std::vector<Key>& keys, milliseconds window, std::int64_t block)
      : keyspace_(keyspace), keys_(keys), window_(window), block_(block) {}

  // False: a key is of another type.
  bool read() {
    const auto queue = keyspace_.find(keys_[2]);
    const auto counter = keyspace_.find(keys_[1]);
    const auto holder = keyspace_.find(keys_[0]);
    for (const auto* entry : {&queue, &counter, &holder}) {
      if (*entry && (*entry)->type == Entry::Type::other) return false;
    }
    if (queue) text_ = queue->value;
    if (queue && queue->expiry) ends_ = *queue->expiry;
    previous_ = parse_counter(counter);
    if (previous_ && *previous_ > largest_fencing - block_) previous_.reset();
    counter_ = counter;
    return true;
  }

  milliseconds now() const { return now_ms(keyspace_); }
  bool empty() const { return text_.empty(); }
  std::optional<std::int64_t> previous() const { return previous_; }
  std::int64_t held_by(const Entry& holder) const { return held_ms(keyspace_, holder, counter_); }

  void save(milliseconds at_least = {}) {
    if (text_.empty()) return keyspace_.erase(keys_[2]);
    const milliseconds left = ends_ ? *ends_ - now() : milliseconds{0};
    const milliseconds kept = std::max({left, at_least, queue_kept});
    keyspace_.put(keys_[2], Entry(text_, now() + kept));
  }

  std::int64_t next_number(milliseconds kept) {
    const std::int64_t clock = keyspace_.now().time_since_epoch().count();
    std::int64_t fencing = std::max<std::int64_t>(1, clock);
    if (previous_ && *previous_ >= fencing) fencing = *previous_ + 1;
    previous_ = fencing + block_ - 1;
    keyspace_.put(keys_[1], Entry(std::to_string(*previous_), now() + kept));
    return fencing;
  }

  bool leave(const std::string& owner) {
    const auto place = place_of(owner);
    if (place) text_.erase(place->first, place->second - place->first);
    return place.has_value();
  }

  void come(const std::string& owner, const std::string& ear, milliseconds life) {
    const std::string mine =
        "\n" + owner + " w" + std::to_string((now() + life).count()) + " " + ear;
    if (const auto place = place_of(owner)) {
      text_.replace(place->first, place->second - place->first, mine);
    } else {
      text_ += mine;
    }
  }

  std::optional<std::string> offer(const std::string* me) {
    std::size_t at = 0;
    while (at < text_.size()) {
      const auto line = line_at(text_, at);
      if (!line) {
        text_.erase(at);
      } else if (line->kept < now()) {
        const std::string owner(line->owner);
        const Channel ear{std::string(line->ear)};
        text_.erase(at, line->beyond - at);
        if (ear.text() != "-") keyspace_.publish(ear, owner);
      } else if (line->flag == 'o') {
        at = line->beyond;
      } else if (me != nullptr && line->owner == *me) {
        return *me;
      } else {
        const std::string owner(line->owner);
        const std::string ear(line->ear);
        const std::size_t beyond = line->beyond;
        text_[at + 1 + owner.size() + 1] = 'o';
        if (is_heard(ear, owner)) {
          keyspace_.put(keys_[0], Entry(owner, now() + window_));
          next_number(kept_briefly);
          return owner;
        }
        at = beyond;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<std::pair<std::size_t, std::size_t>> place_of(const std::string& owner) const {
    const auto from = text_.find("\n" + owner + " ");
    if (from == std::string::npos) return std::nullopt;
    return std::pair(from, std::min(text_.find('\n', from + 1), text_.size()));
  }
  bool is_heard(const std::string& ear, const std::string& owner) {
    if (ear == "-") return true;
    const std::int64_t listeners = keyspace_.publish(Channel(ear), owner);
    return listeners > 0 || !keyspace_.knows_listeners();
  }

  Keyspace& keyspace_;
  const std::vector<Key>& keys_;
  milliseconds window_;
  std::int64_t block_;
  std::string text_;
  std::optional<milliseconds> ends_;
  std::optional<std::int64_t> previous_;
  std::optional<Entry> counter_;
};

Value granted(std::int64_t fencing, std::int64_t block) {
  return Value(std::vector<Value>{Value(1), Value(fencing), Value(block)});
}

Reply claim_native(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  const std::string& owner = arguments[0];
  const milliseconds ttl = parse_ms(arguments[1]);
  const std::int64_t block = *parse_decimal(arguments[2]);
  const std::string& ear = arguments[3];
  const milliseconds window = parse_ms(arguments[4]);
  const milliseconds kept = kept_for(ttl);

  Queue queue(keyspace, keys, window, block);
  if (!queue.read()) return wrong_type();
  const milliseconds now = queue.now();
  const auto holder = keyspace.find(keys[0]);
  if (!holder && queue.empty()) {
    keyspace.put(keys[0], Entry(owner, now + ttl));
    return granted(queue.next_number(kept), block);
  }
  if (holder && holder->value == owner) {
    const bool confirms = queue.leave(owner);
    if (confirms) queue.save();
    keyspace.put(keys[0], Entry(owner, now + ttl));
    const auto last = queue.previous();
    if (!last || (confirms && block > 1)) return granted(queue.next_number(kept), block);
    if (kept > kept_briefly) {
      keyspace.put(keys[1], Entry(std::to_string(*last), now + kept));
    }
    return granted(*last, 1);
  }

  const std::int64_t remaining = holder ? remaining_ms(keyspace, *holder) : window.count();
  const milliseconds comes_back = remaining >= 0 ? milliseconds{remaining} : parse_ms(arguments[5]);
  const milliseconds life = comes_back + parse_ms(arguments[6]);
  if (!ear.empty()) queue.come(owner, ear, life);
  const auto busy = [&](const std::string& by, std::int64_t held) {
    return Value(std::vector<Value>{Value(0), Value(by), Value(remaining), Value(held)});
  };
  if (!holder) {
    const auto first = queue.offer(&owner);
    if (!first || *first == owner) {
      queue.leave(owner);
      queue.save(life);
      keyspace.put(keys[0], Entry(owner, now + ttl));
      return granted(queue.next_number(kept), block);
    }
    queue.save(life);
    return busy(*first, 0);
  }
  if (!ear.empty()) queue.save(life);
  return busy(holder->value, queue.held_by(*holder));
}

Reply release_native(Keyspace& keyspace,
                     const std::vector<Key>& keys,
                     const std::vector<std::string>& arguments) {
  const std::string& owner = arguments[0];
  Queue queue(keyspace, keys, parse_ms(arguments[3]), *parse_decimal(arguments[2]));
  if (!queue.read()) return wrong_type();
  const auto holder = keyspace.find(keys[0]);
  const bool left = queue.leave(owner);
  if (holder && holder->value != owner) {
    if (left) queue.save();
    return Value(-1);
  }
  const bool had_line = !queue.empty();
  if (had_line && queue.offer(nullptr)) {
    queue.save();
    return Value(holder ? 1 : 0);
  }
  if (left || had_line) queue.save();
  if (!holder) return Value(0);
  keyspace.erase(keys[0]);
  keyspace.publish(Channel(arguments[1]), "");
  return Value(1);
}

}  // namespace

const Script& queue_claim_script() {
  static const Script script("queue_claim", std::string(queue_lua).append(claim_lua), claim_native);
  return script;
}

const Script& queue_release_script() {
  static const Script script("queue_release", std::string(queue_lua).append(release_lua),
                             release_native);
  return script;
}

std::vector<QueuePlace> parse_queue(const std::string& text) {
  std::vector<QueuePlace> places;
  for (std::size_t at = 0;;) {
    const auto line = line_at(text, at);
    if (!line) return places;
    QueuePlace place;
    place.owner = OwnerToken(std::string(line->owner));
    place.waits = line->flag == 'w';
    place.kept_until = line->kept;
    places.push_back(std::move(place));
    at = line->beyond;
  }
}

}  // namespace interlock
