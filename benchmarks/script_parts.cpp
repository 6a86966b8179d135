// What the parts of a script cost the server: by this the scripts of locks were chosen.
//
// Each part is a loop in a script; the same loop without it is subtracted. A figure is processor
// time of the server, which hardly depends on what else the machine does. The parts take turns,
// round by round. Whole calls are sent many at once, so that the system calls for them do not
// count.
#include <hiredis/hiredis.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "figures.hpp"
#include "interlock/permits.hpp"
#include "raw_locks.hpp"
#include "support/redis_server.hpp"

namespace {

using interlock::benchmark::cpu_us;
using interlock::benchmark::json_of;
using interlock::benchmark::RawGroup;
using interlock::benchmark::RawLocks;
using interlock::benchmark::RawRedis;
using interlock::benchmark::Spread;
using interlock::benchmark::spread;

constexpr int calls_a_round = 40;
constexpr int times_a_call = 200;

// The keys as a lock has them; every script that is measured gets them.
constexpr const char* before_the_loop =
    "local call, keys, argv, pcall = redis.call, KEYS, ARGV, pcall\n"
    "local lock, counter, queue, gone, owner = keys[1], keys[2], keys[3], keys[4], argv[1]\n"
    "local micros, list, text = '4711', {}, 'il1:0123456789abcdef w1790000000000 channel'\n"
    "for n = 1, 32 do list[n] = lock end\n"
    "local function empty() end\n"
    "call('SET', lock, owner)\n"
    "call('SET', counter, '1790000000000000', 'PX', '3630000')\n"
    "for n = 1, 200 do ";

class ScriptPart {
 public:
  ScriptPart(const char* of, const char* in_lua) : name(of), lua(in_lua) {}
  const char* name;
  const char* lua;
  std::string sha;
  std::vector<double> us;
};

// The first is what is subtracted from the others.
std::vector<ScriptPart> parts() {
  return {
      {"an empty loop", ""},
      {"GET of a key that exists", "call('GET', lock)"},
      {"GET of a key that does not", "call('GET', gone)"},
      {"EXISTS of one key", "call('EXISTS', queue)"},
      {"EXISTS of 32 keys", "call('EXISTS', unpack(list))"},
      {"MGET of 2 keys", "call('MGET', lock, counter)"},
      {"MGET of 3 keys, of which one exists", "call('MGET', lock, gone, queue)"},
      {"MGET of 32 keys", "call('MGET', unpack(list))"},
      {"LINDEX of a key that does not exist", "call('LINDEX', queue, 0)"},
      {"PTTL", "call('PTTL', lock)"},
      {"PEXPIRE", "call('PEXPIRE', lock, '30000')"},
      {"TIME", "call('TIME')"},
      {"SET", "call('SET', lock, owner)"},
      {"SET PX", "call('SET', lock, owner, 'PX', '30000')"},
      {"SET NX PX of a key that exists", "call('SET', counter, owner, 'NX', 'PX', '30000')"},
      {"SET NX PX and DEL", "call('SET', gone, owner, 'NX', 'PX', '30000') call('DEL', gone)"},
      {"DEL of a key that does not exist", "call('DEL', gone)"},
      {"PUBLISH to nobody", "call('PUBLISH', 'nobody', '')"},
      {"PUBSUB NUMPAT", "call('PUBSUB', 'NUMPAT')"},
      {"PUBSUB NUMSUB of 32 channels", "call('PUBSUB', 'NUMSUB', unpack(list))"},
      {"a function is made", "local f = function() return lock end"},
      {"a function with eight variables from outside is made",
       "local f = function() return lock, counter, queue, gone, owner, call, keys, argv end"},
      {"pcall of an empty function", "pcall(empty)"},
      {"a table of two is made", "local t = {lock, counter}"},
      {"string.format of a number", "local s = string.format('%.0f', 1790000000000000 + n)"},
      {"string.format of seconds and microseconds",
       "local s = string.format('%s%06d', '1790000000', n)"},
      {"string.sub", "local s = string.sub('00000' .. micros, -6)"},
      {"a string of 16 bytes is joined", "local s = '1790000000' .. 100000 + n"},
      {"tonumber of 16 digits", "local i = tonumber('1790000000000000')"},
      {"string.match of a counter", "local m = string.match('1790000000000000', '^[1-9]%d*$')"}};
}

// Commands as clients send them, many at once.
class MeasuredCommand {
 public:
  MeasuredCommand(const char* of, std::vector<std::string> with)
      : name(of), words(std::move(with)) {}
  const char* name;
  std::vector<std::string> words;
  std::vector<double> us;
};

class MeasuredPair {
 public:
  const char* name;
  bool fair;
  int joined;
  std::vector<double> us;
};

class MeasuredGroup {
 public:
  MeasuredGroup(const char* of,
                RawRedis& redis,
                const std::string& lock,
                const std::string& mark,
                int holders)
      : name(of), is_empty(holders == 0), group(redis, lock, mark) {
    for (int from = 0; from < holders; from += 100) group.fill(from, std::min(from + 100, holders));
  }
  const char* name;
  bool is_empty;
  RawGroup group;
  std::vector<double> us;
};

double spent(pid_t server, double before, int on) {
  return (cpu_us(server) - before) / on;
}

void repeat(RawRedis& redis, const std::vector<std::string>& words, int times) {
  for (int i = 0; i < times; ++i) redis.append(words);
  for (int i = 0; i < times; ++i) redis.take_appended(0);
}

void measure(RawRedis& redis, pid_t server, std::vector<ScriptPart>& parts) {
  for (ScriptPart& part : parts) {
    const double before = cpu_us(server);
    repeat(redis,
           {"EVALSHA", part.sha, "4", "lock", "{lock}:interlock:fence", "{lock}:interlock:queue",
            "gone", "il1:0123456789abcdef0123456789abcdef:12345@benchmark-host"},
           calls_a_round);
    part.us.push_back(spent(server, before, calls_a_round * times_a_call));
  }
}

void measure(RawRedis& redis, pid_t server, std::vector<MeasuredCommand>& commands) {
  constexpr int times = 6400;
  for (MeasuredCommand& command : commands) {
    const double before = cpu_us(server);
    for (int sent = 0; sent < times; sent += 64) repeat(redis, command.words, 64);
    command.us.push_back(spent(server, before, times));
  }
}

void measure(RawLocks& raw, pid_t server, std::vector<MeasuredPair>& pairs) {
  constexpr int times = 100;
  for (MeasuredPair& pair : pairs) {
    const double before = cpu_us(server);
    for (int i = 0; i < times; ++i) raw.pairs_in_flight(64, pair.joined, pair.fair);
    pair.us.push_back(spent(server, before, times * 64));
  }
}

void measure(pid_t server, std::vector<MeasuredGroup>& groups) {
  constexpr int times = 50;
  for (MeasuredGroup& each : groups) {
    const double before = cpu_us(server);
    for (int i = 0; i < times; ++i) {
      if (each.is_empty) {
        each.group.pairs_alone_in_flight(64);
      } else {
        each.group.pairs_in_flight(64);
      }
    }
    each.us.push_back(spent(server, before, times * 64));
  }
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 15;
  bool json = false;
  for (int at = 1; at < argc; ++at) {
    if (std::strcmp(argv[at], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[at], "--rounds") == 0 && at + 1 < argc) {
      rounds = std::atoi(argv[++at]);
    } else {
      rounds = 0;
    }
    if (rounds > 0) continue;
    std::fprintf(stderr, "usage: script_parts [--rounds N] [--json]\n");
    return 64;
  }
  interlock::test::RedisServer server;
  RawRedis redis(redisConnectUnix(server.unix_socket().c_str()));
  RawLocks raw(redis);
  std::vector<ScriptPart> of_scripts = parts();
  for (ScriptPart& part : of_scripts) {
    part.sha = redis.load(std::string(before_the_loop) + part.lua + "\nend return 1");
  }
  const std::string one = redis.load("return 1");
  std::vector<MeasuredCommand> commands{
      {"PING", {"PING"}},
      {"SET PX", {"SET", "key", "value", "PX", "30000"}},
      {"an empty script", {"EVALSHA", one, "0"}},
      {"an empty script with 3 keys and 4 arguments",
       {"EVALSHA", one, "3", "lock", "{lock}:interlock:fence", "{lock}:interlock:queue", "30000",
        "48", "500", "il1:0123456789abcdef0123456789abcdef:12345@benchmark-host"}},
      {"an empty script by its text", {"EVAL", "return 1", "0"}},
      {"a script that answers a list of two", {"EVALSHA", redis.load("return {1, 2}"), "0"}}};
  std::vector<MeasuredPair> pairs{{"fair, a command each", true, 1, {}},
                                  {"unfair, a command each", false, 1, {}},
                                  {"fair, 32 to a command", true, 32, {}},
                                  {"unfair, 32 to a command", false, 32, {}}};
  const std::string readers(interlock::OwnerToken::shared_mark);
  const std::string permits = interlock::Permits(1, 20'000).mark();
  std::vector<MeasuredGroup> groups;
  groups.emplace_back("one reader", redis, "one-reader", readers, 0);
  groups.emplace_back("one of 2 to 65 readers", redis, "few-readers", readers, 1);
  groups.emplace_back("one of 10 000 readers", redis, "many-readers", readers, 10'000);
  groups.emplace_back("one holder of a permit", redis, "one-permit", permits, 0);
  groups.emplace_back("one of 2 to 65 holders of permits", redis, "few-permits", permits, 1);
  groups.emplace_back("one of 10 000 holders of permits", redis, "many-permits", permits, 10'000);
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    measure(redis, server.pid(), of_scripts);
    measure(redis, server.pid(), commands);
    measure(raw, server.pid(), pairs);
    measure(server.pid(), groups);
    if (round >= 0) continue;
    for (ScriptPart& part : of_scripts) part.us.clear();
    for (MeasuredCommand& command : commands) command.us.clear();
    for (MeasuredGroup& group : groups) group.us.clear();
    for (MeasuredPair& pair : pairs) pair.us.clear();
  }
  nlohmann::json rows = nlohmann::json::array();
  const auto add = [&](const char* kind, const char* name, const std::vector<double>& us) {
    const Spread figures = spread(us);
    rows.push_back({{"kind", kind}, {"name", name}, {"us", json_of(figures)}});
    if (json) return;
    std::printf("%-8s %-56s %7.3f us  [%.3f .. %.3f]\n", kind, name, figures.median, figures.lowest,
                figures.highest);
  };
  const std::vector<double> empty = of_scripts.front().us;
  for (ScriptPart& part : of_scripts) {
    if (&part == &of_scripts.front()) continue;
    for (std::size_t n = 0; n < part.us.size(); ++n) part.us[n] -= empty[n];
    add("part", part.name, part.us);
  }
  for (const MeasuredCommand& command : commands) add("command", command.name, command.us);
  for (const MeasuredPair& pair : pairs) add("pair", pair.name, pair.us);
  for (const MeasuredGroup& group : groups) {
    add("group", group.name, group.us);
    std::vector<double> ratios;
    for (std::size_t n = 0; n < group.us.size(); ++n) {
      ratios.push_back(group.us[n] / pairs.front().us[n]);
    }
    const Spread ratio = spread(ratios);
    rows.back()["over_fair_pair"] = json_of(ratio);
    if (json) continue;
    std::printf("%-8s   %-54s %7.3f x   [%.3f .. %.3f]\n", "", "over a fair pair of the lock alone",
                ratio.median, ratio.lowest, ratio.highest);
  }
  if (json) {
    const nlohmann::json out = {{"benchmark", "script_parts"}, {"rounds", rounds}, {"rows", rows}};
    std::printf("%s\n", out.dump(2).c_str());
  }
  return 0;
}
