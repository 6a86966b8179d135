// Each command that the simulated Redis knows, beside a real server: random sequences over a few
// keys, and every reply is compared byte by byte, in both versions of the protocol. Of errors the
// first word is compared, members of sets without their order, and what is left of a ttl by whether
// there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "raw_connection.hpp"
#include "server/command.hpp"
#include "server/notes.hpp"
#include "server/resp.hpp"
#include "support/redis_server.hpp"

namespace interlock::harness {
namespace {

class Keys final : public MemoryKeyspace {
 public:
  std::int64_t publish(const Channel&, const std::string&) override { return 0; }
};

class Both {
 public:
  Both(const std::string& path, bool resp3) : raw_(path), resp3_(resp3) {
    if (resp3) raw_.ask({"HELLO", "3"});
  }

  std::string real(const Words& words) { return raw_.ask(words); }
  std::string modelled(const Words& words) {
    keys_.set_now(StoreTime(std::chrono::duration_cast<StoreTime::duration>(
        std::chrono::system_clock::now().time_since_epoch())));
    TypedKeys database(keys_);
    const Reply reply = execute(database, words);
    return encode(reply, shape_of(words), resp3_);
  }

 private:
  Raw raw_;
  Keys keys_;
  bool resp3_;
};

// What may differ is left out.
std::string comparable(const Words& words, const std::string& reply) {
  if (reply.starts_with('-')) return reply.substr(0, reply.find(' '));
  const std::string name = in_capitals(words.front());
  if (name.ends_with("TTL") || name == "TIME") return reply.starts_with(":-") ? reply : "a time";
  // A time that runs out is always a list that is not there.
  if (name.starts_with("BLM") || name == "BRPOPLPUSH") {
    if (reply == "$-1\r\n") return "*-1\r\n";
  }
  if (name != "SMEMBERS") return reply;
  std::string sorted = reply;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  const std::string& one_of(const Words& words) { return words[below(words.size())]; }
  std::size_t round() { return ++rounds_ % 900; }

 private:
  std::size_t rounds_ = 0;
  std::mt19937 engine_;
};

const Words keys{"a", "b", "c"};
const Words values{"x", "y", "", "10", "-3", "2 words", "line\nline", "3.5", "il1:A1", "010"};
const Words numbers{"0", "1", "2", "-1", "-2", "5", "word", "100", "3.5"};
// None that runs out during the test: the two servers read their clocks at different moments.
const Words times{"0", "-1", "word", "3.5", "5000000", "9223372036854775807"};
// A client is blocked for as short as can be.
const Words waits{"0.001", "0.0004", "-1", "word", "nan", "1e300"};
const Words scores{"1", "2", "2", "-1.5", "inf", "-inf", "(1", "(2", "0.1", "word", "1e3"};

// Forms of each command. K: a key, V: a value, N: a number, S: a score, T: a time, L: a long ttl,
// W: a time to be blocked.
const std::vector<Words>& forms() {
  static const std::vector<Words> all{
      {"GET", "K"},
      {"SET", "K", "V"},
      {"SET", "K", "V", "NX"},
      {"SET", "K", "V", "XX"},
      {"SET", "K", "V", "NX", "PX", "L"},
      {"SET", "K", "V", "EX", "L", "GET"},
      {"SET", "K", "V", "KEEPTTL"},
      {"SET", "K", "V", "PX", "T"},
      {"SET", "K", "V", "NX", "XX"},
      {"SETNX", "K", "V"},
      {"SETEX", "K", "L", "V"},
      {"PSETEX", "K", "T", "V"},
      {"GETSET", "K", "V"},
      {"GETDEL", "K"},
      {"GETEX", "K", "PERSIST"},
      {"GETEX", "K", "PX", "L"},
      {"GETEX", "K", "EX", "0"},
      {"GETEX", "K", "PX", "W"},
      {"MGET", "K", "K", "K"},
      {"MSET", "K", "V", "K", "V"},
      {"MSETNX", "K", "V", "K", "V"},
      {"APPEND", "K", "V"},
      {"STRLEN", "K"},
      {"GETRANGE", "K", "N", "N"},
      {"INCR", "K"},
      {"DECR", "K"},
      {"INCRBY", "K", "N"},
      {"DECRBY", "K", "N"},
      {"DEL", "K"},
      {"DEL", "K", "K"},
      {"UNLINK", "K"},
      {"EXISTS", "K", "K"},
      {"TOUCH", "K"},
      {"TYPE", "K"},
      {"EXPIRE", "K", "L"},
      {"PEXPIRE", "K", "L"},
      {"EXPIRE", "K", "T", "NX"},
      {"PEXPIRE", "K", "L", "XX"},
      {"EXPIRE", "K", "L", "GT"},
      {"EXPIRE", "K", "L", "LT"},
      {"EXPIREAT", "K", "9999999999"},
      {"PEXPIREAT", "K", "1"},
      {"EXPIRETIME", "K", "K"},
      {"TTL", "K"},
      {"PTTL", "K"},
      {"PERSIST", "K"},
      {"RENAME", "K", "K"},
      {"RENAMENX", "K", "K"},
      {"LPUSH", "K", "V"},
      {"RPUSH", "K", "V", "V"},
      {"LPUSHX", "K", "V"},
      {"RPUSHX", "K", "V"},
      {"LPOP", "K"},
      {"RPOP", "K"},
      {"LPOP", "K", "N"},
      {"LLEN", "K"},
      {"LRANGE", "K", "N", "N"},
      {"LTRIM", "K", "N", "N"},
      {"LINDEX", "K", "N"},
      {"LSET", "K", "N", "V"},
      {"LREM", "K", "N", "V"},
      {"LINSERT", "K", "BEFORE", "V", "V"},
      {"LINSERT", "K", "AFTER", "V", "V"},
      {"RPOPLPUSH", "K", "K"},
      {"LMOVE", "K", "K", "LEFT", "RIGHT"},
      {"LMOVE", "K", "K", "RIGHT", "LEFT"},
      {"HSET", "K", "V", "V"},
      {"HSET", "K", "V", "V", "V", "V"},
      {"HMSET", "K", "V", "V"},
      {"HSETNX", "K", "V", "V"},
      {"HGET", "K", "V"},
      {"HMGET", "K", "V", "V"},
      {"HGETALL", "K"},
      {"HKEYS", "K"},
      {"HVALS", "K"},
      {"HDEL", "K", "V", "V"},
      {"HEXISTS", "K", "V"},
      {"HLEN", "K"},
      {"HINCRBY", "K", "V", "N"},
      {"SADD", "K", "V", "V"},
      {"SREM", "K", "V"},
      {"SISMEMBER", "K", "V"},
      {"SMISMEMBER", "K", "V", "V"},
      {"SCARD", "K"},
      {"SMEMBERS", "K"},
      {"ZADD", "K", "S", "V"},
      {"ZADD", "K", "NX", "S", "V"},
      {"ZADD", "K", "XX", "CH", "S", "V"},
      {"ZADD", "K", "GT", "CH", "S", "V"},
      {"ZADD", "K", "INCR", "S", "V"},
      {"ZADD", "K", "S", "V", "S", "V"},
      {"ZINCRBY", "K", "S", "V"},
      {"ZSCORE", "K", "V"},
      {"ZRANK", "K", "V"},
      {"ZREVRANK", "K", "V"},
      {"ZCARD", "K"},
      {"ZREM", "K", "V"},
      {"ZRANGE", "K", "N", "N"},
      {"ZRANGE", "K", "N", "N", "WITHSCORES"},
      {"ZRANGE", "K", "S", "S", "BYSCORE", "LIMIT", "N", "N"},
      {"ZRANGE", "K", "N", "N", "REV"},
      {"ZREVRANGE", "K", "N", "N", "WITHSCORES"},
      {"ZRANGEBYSCORE", "K", "S", "S", "WITHSCORES"},
      {"ZREVRANGEBYSCORE", "K", "S", "S"},
      {"ZCOUNT", "K", "S", "S"},
      {"ZREMRANGEBYSCORE", "K", "S", "S"},
      {"ZREMRANGEBYRANK", "K", "N", "N"},
      {"ZPOPMIN", "K"},
      {"ZPOPMAX", "K", "N"},
      {"BLPOP", "K", "W"},
      {"BRPOP", "K", "K", "W"},
      {"BLMOVE", "K", "K", "LEFT", "RIGHT", "W"},
      {"BLMOVE", "K", "K", "LEFT", "WRONG", "W"},
      {"BRPOPLPUSH", "K", "K", "W"},
      {"BZPOPMIN", "K", "W"},
      {"BZPOPMAX", "K", "K", "W"},
      {"EVAL", "return redis.pcall('blpop', KEYS[1], 1).err", "1", "K"},
      {"EVAL", "return redis.pcall('subscribe', KEYS[1]).err", "1", "K"},
      {"SELECT", "0"},
      {"EVAL", "return redis.call('select', 0)", "0"},
      {"TIME"},
      {"PUBLISH", "K", "V"},
      {"ECHO", "V"},
      {"GET"},
      {"LMOVE", "K", "K", "UP", "LEFT"},
      {"EVAL", "return redis.call('get', KEYS[1])", "1", "K"},
      {"EVAL", "return redis.call('set', KEYS[1], ARGV[1])", "1", "K", "V"},
      {"EVAL",
       "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
       "else return 0 end",
       "1", "K", "V"},
      {"EVAL", "return redis.call('lrange', KEYS[1], 0, -1)", "1", "K"},
      {"EVAL", "return {1, 2.9, 'text', false, true, {'in', 3}, nil, 'after'}", "0"},
      {"EVAL", "return redis.status_reply('FINE')", "0"},
      {"EVAL", "return redis.error_reply('MY error')", "0"},
      {"EVAL", "return redis.error_reply('-MY error')", "0"},
      {"EVAL", "return redis.error_reply('-MINE')", "0"},
      {"EVAL", "return redis.error_reply('MINE')", "0"},
      {"EVAL", "return redis.error_reply('')", "0"},
      {"EVAL", "return {err = 'MINE'}", "0"},
      {"EVAL", "return {redis.error_reply('-MINE')}", "0"},
      {"EVAL_RO", "return redis.call('get', KEYS[1])", "1", "K"},
      {"EVAL_RO", "return redis.call('set', KEYS[1], ARGV[1])", "1", "K", "V"},
      {"EVAL_RO", "return redis.pcall('del', KEYS[1]).err", "1", "K"},
      {"EVAL_RO", "return redis.pcall('del').err", "0"},
      {"EVAL_RO", "return redis.pcall('publish', KEYS[1], ARGV[1])", "1", "K", "V"},
      {"EVAL_RO", "return 1", "word"},
      {"EVAL", "return redis.pcall('incr', KEYS[1])", "1", "K"},
      {"EVAL",
       "local r = redis.pcall('incr', KEYS[1]) if type(r) == 'table' then return r.err "
       "end return r + 0.5",
       "1", "K"},
      {"EVAL", "return redis.call()", "0"},
      {"EVAL", "return redis.pcall().err", "0"},
      {"EVAL", "return redis.call({})", "0"},
      {"EVAL", "local ok, e = pcall(redis.call, 'incr', KEYS[1]) return {type(e), tostring(e)}",
       "1", "K"},
      {"EVAL", "local ok, e = pcall(error, {other = 'x'}) return {type(e), e.other}", "0"},
      {"EVAL", "return {pcall(function(a, b) return a, b end, 1, 2)}", "0"},
      {"EVAL", "return {double = 1.5}", "0"},
      {"EVAL", "return {1, {double = 0.1}, {double = 3}, {double = '3'}}", "0"},
      {"EVAL", "return tostring(redis.call('zscore', KEYS[1], ARGV[1]))", "1", "K", "V"},
      {"EVAL", "return redis.call('hgetall', KEYS[1])", "1", "K"},
      {"EVAL", "return {'+plus', '-minus', ',comma', '\\\\back'}", "0"},
      {"EVAL", "x = 1", "0"},
      {"EVAL", "return x", "0"},
      {"EVAL", "return (", "0"},
      {"EVAL", "return redis.sha1hex('abc')", "0"},
      {"EVAL", "return #ARGV", "1", "K", "V"},
      {"EVAL", "return 1", "2", "K"},
      {"EVAL", "return 1", "word"},
      {"EVAL", "return redis.call('set', KEYS[1], 12345678901234)", "1", "K"},
      {"EVAL", "return redis.call('incrby', KEYS[1], 2)", "1", "K"},
      {"EVAL", "return redis.call()", "0"},
      {"EVAL", "return redis.call('get')", "0"},
      {"EVAL", "return table.concat(KEYS, ',') .. string.format('%d', 3)", "1", "K"}};
  return all;
}

Words drawn(Dice& dice) {
  Words words = forms()[dice.below(forms().size())];
  for (std::size_t at = 1; at < words.size(); ++at) {
    std::string& word = words[at];
    if (word == "K") word = dice.one_of(keys);
    if (word == "V") word = dice.one_of(values);
    if (word == "N") word = dice.one_of(numbers);
    if (word == "T") word = dice.one_of(times);
    if (word == "S") word = dice.one_of(scores);
    if (word == "W") word = dice.one_of(waits);
    // None twice in a row: the server's clock goes on meanwhile, so it would be a later time there.
    if (word == "L") word = std::to_string(1'000'000 * (1 + dice.below(3)) + 1'000 * dice.round());
  }
  return words;
}

std::string shown(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += "'" + word + "' ";
  return text;
}

// Redis 7.0, which is modelled, writes 0.10000000000000001 where newer servers write 0.1. It also
// refuses blocking commands in scripts.
bool newer_servers_differ(const Words& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "0.1" || word.find("= 0.1}") != std::string::npos ||
           word.find("'blpop'") != std::string::npos;
  });
}

void compare(bool resp3, unsigned seed, int steps) {
  test::RedisServer server;
  Both both(server.unix_socket(), resp3);
  const bool is_newer =
      both.real({"ZADD", "score", "INCR", "0.1", "x"}).find("0.10") == std::string::npos;
  Dice dice(seed);
  for (int step = 0; step < steps; ++step) {
    // Keys of all types have their turn.
    const Words words = dice.below(12) == 0 ? Words{"DEL", dice.one_of(keys)} : drawn(dice);
    if (is_newer && newer_servers_differ(words)) continue;
    const std::string real = both.real(words);
    const std::string modelled = both.modelled(words);
    ASSERT_EQ(comparable(words, modelled), comparable(words, real))
        << "step " << step << ": " << shown(words);
  }
  EXPECT_EQ(notes().problem, "");
}

TEST(SimulatedRedis, AnswersAsARealServerInVersion2OfTheProtocol) {
  compare(false, 1, 40'000);
}
TEST(SimulatedRedis, AnswersAsARealServerInVersion3OfTheProtocol) {
  compare(true, 2, 40'000);
}

// The end of a key is compared where no clock is read.
TEST(SimulatedRedis, KeepsTheEndOfAKeyWhereARealServerDoes) {
  test::RedisServer server;
  Both both(server.unix_socket(), false);
  Dice dice(3);
  const std::vector<Words> some{{"SET", "a", "1"},
                                {"SET", "a", "1", "PXAT", "9999999999000"},
                                {"INCR", "a"},
                                {"APPEND", "a", "2"},
                                {"GETSET", "a", "3"},
                                {"SET", "a", "4", "KEEPTTL"},
                                {"PERSIST", "a"},
                                {"PEXPIREAT", "a", "9999999999500"},
                                {"RENAME", "a", "a"},
                                {"PEXPIREAT", "a", "1", "GT"},
                                {"PEXPIREAT", "a", "9999999999700", "LT"},
                                {"GETEX", "a", "PXAT", "9999999999900"},
                                {"DEL", "a"},
                                {"LPUSH", "b", "x"},
                                {"PEXPIREAT", "b", "9999999999500"},
                                {"LPOP", "b"},
                                {"HSET", "c", "f", "1"},
                                {"PEXPIREAT", "c", "9999999999500"},
                                {"HINCRBY", "c", "f", "1"},
                                {"ZADD", "d", "1", "m"},
                                {"PEXPIREAT", "d", "9999999999500"},
                                {"ZADD", "d", "2", "m"},
                                {"RENAME", "d", "c"}};
  for (int step = 0; step < 5'000; ++step) {
    const Words words = some[dice.below(some.size())];
    ASSERT_EQ(both.modelled(words).substr(0, 4), both.real(words).substr(0, 4)) << shown(words);
    for (const char* const key : {"a", "b", "c", "d"}) {
      const Words end{"PEXPIRETIME", key};
      ASSERT_EQ(both.modelled(end), both.real(end)) << key << " after " << shown(words);
    }
  }
}

}  // namespace
}  // namespace interlock::harness
