#include "queue_lua.hpp"

#include <initializer_list>
#include <string_view>

namespace interlock {
namespace {

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

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

}  // namespace

std::string queue_claim_lua() {
  return joined({free_claim_lua, queue_lua, claim_lua, number_lua, claim_end_lua});
}

std::string queue_release_lua() {
  return joined({unwanted_release_lua, queue_lua, release_lua, number_lua, release_end_lua});
}

}  // namespace interlock
