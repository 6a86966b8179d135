// The library's scripts sent by plain hiredis: what the benchmarks compare it with.
#pragma once

#include <hiredis/hiredis.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/lock_keys.hpp"
#include "interlock/owner_scripts.hpp"

namespace interlock::benchmark {

class RawLocks {
 public:
  // Takes the connection over.
  explicit RawLocks(redisContext* context) : context_(context) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("cannot connect");
    claim_ = load(claim_script().lua());
    release_ = load(release_script().lua());
  }
  ~RawLocks() { redisFree(context_); }
  RawLocks(const RawLocks&) = delete;
  RawLocks& operator=(const RawLocks&) = delete;

  void pair() {
    call({"EVALSHA", claim_, "2", lock_, fence_, "30000", owner});
    call({"EVALSHA", release_, "1", lock_, owner, channel_});
  }

  // The two commands that a lock without fencing token and announcement sends.
  void bare_pair() {
    call({"SET", lock_, owner, "NX", "PX", "30000"});
    if (compare_and_delete_.empty()) {
      compare_and_delete_ = load(
          "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end "
          "return 0");
    }
    call({"EVALSHA", compare_and_delete_, "1", lock_, owner});
  }

  // A pair of each of `count` locks, `joined` to a command: first all claims, then all releases. No
  // time is spent on them but for sending and parsing, though client and server take turns.
  void pairs_in_flight(int count, int joined) {
    all_in_flight(count, joined, [&](std::vector<std::string>& words, int first, int beyond) {
      words = {"EVALSHA", claim_, std::to_string(2 * (beyond - first))};
      for (int n = first; n < beyond; ++n) words.push_back(lock(n).text());
      for (int n = first; n < beyond; ++n) words.push_back(fencing_key(lock(n)).text());
      words.emplace_back("30000");
      for (int n = first; n < beyond; ++n) words.emplace_back(owner);
    });
    all_in_flight(count, joined, [&](std::vector<std::string>& words, int first, int beyond) {
      words = {"EVALSHA", release_, std::to_string(beyond - first)};
      for (int n = first; n < beyond; ++n) words.push_back(lock(n).text());
      for (int n = first; n < beyond; ++n) words.emplace_back(owner);
      for (int n = first; n < beyond; ++n) words.push_back(release_channel(lock(n)).text());
    });
  }

 private:
  static constexpr const char* owner = "il1:0123456789abcdef0123456789abcdef:12345@benchmark-host";

  static Key lock(int number) { return Key("raw-lock-" + std::to_string(number)); }

  std::string load(std::string_view lua) {
    auto* reply =
        static_cast<redisReply*>(redisCommand(context_, "SCRIPT LOAD %b", lua.data(), lua.size()));
    if (reply == nullptr || reply->type != REDIS_REPLY_STRING) {
      throw std::runtime_error("cannot load a script");
    }
    std::string sha(reply->str, static_cast<std::size_t>(reply->len));
    freeReplyObject(reply);
    return sha;
  }

  void call(std::initializer_list<std::string_view> words) {
    const char* text[8];
    std::size_t sizes[8];
    int count = 0;
    for (const std::string_view word : words) {
      text[count] = word.data();
      sizes[count++] = word.size();
    }
    take(redisCommandArgv(context_, count, text, sizes), 1);
  }

  template <class Fill>
  void all_in_flight(int count, int joined, const Fill& fill) {
    for (int first = 0; first < count; first += joined) {
      std::vector<std::string> words;
      fill(words, first, std::min(first + joined, count));
      append(words);
    }
    for (int first = 0; first < count; first += joined) {
      void* reply = nullptr;
      if (redisGetReply(context_, &reply) != REDIS_OK) throw std::runtime_error("no reply");
      take(reply, std::min(joined, count - first));
    }
  }

  void append(const std::vector<std::string>& words) {
    std::vector<const char*> text;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
      text.push_back(word.data());
      sizes.push_back(word.size());
    }
    redisAppendCommandArgv(context_, static_cast<int>(words.size()), text.data(), sizes.data());
  }

  // Of so many locks, all answered for.
  static void take(void* answer, int locks) {
    auto* reply = static_cast<redisReply*>(answer);
    if (reply == nullptr || reply->type == REDIS_REPLY_ERROR ||
        (locks > 1 && reply->elements != static_cast<std::size_t>(locks))) {
      throw std::runtime_error("raw command failed");
    }
    freeReplyObject(reply);
  }

  redisContext* context_;
  std::string claim_;
  std::string release_;
  std::string compare_and_delete_;
  const std::string lock_ = "raw-lock";
  const std::string fence_ = fencing_key(Key("raw-lock")).text();
  const std::string channel_ = release_channel(Key("raw-lock")).text();
};

}  // namespace interlock::benchmark
