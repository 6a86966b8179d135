// Locks made of commands sent by plain hiredis: what the benchmarks compare the library with.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/local_queue.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "raw_redis.hpp"

namespace interlock::benchmark {

// SET NX PX and compare-and-delete: a lock without fencing token and announcement, as most clients
// of Redis have it.
class PlainLock {
 public:
  explicit PlainLock(RawRedis& redis) : redis_(redis) {}

  bool try_acquire(std::string_view name, std::string_view owner) {
    return redis_.call({"SET", name, owner, "NX", "PX", "30000"});
  }
  void release(std::string_view name, std::string_view owner) {
    redis_.call({"EVALSHA", compare_and_delete_, "1", name, owner});
  }

 private:
  RawRedis& redis_;
  const std::string compare_and_delete_ = redis_.load(
      "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0");
};

// The library's own scripts.
class RawLocks {
 public:
  explicit RawLocks(RawRedis& redis) : redis_(redis) {}

  // What the library sends by default while nobody else wants the lock.
  void pair() {
    redis_.call({"EVALSHA", queue_claim_, "3", lock_, fence_, queue_, "30000", kept_, block_, "500",
                 owner});
    redis_.call({"EVALSHA", queue_release_, "3", lock_, fence_, queue_, block_, "500",
                 kept_by_offer_, owner, channel_});
  }

  // The same of the lock without a queue.
  void unfair_pair() {
    redis_.call({"EVALSHA", claim_, "2", lock_, fence_, "30000", kept_, owner});
    redis_.call({"EVALSHA", release_, "1", lock_, owner, channel_});
  }

  // A pair of each of `count` locks that nobody else wants, `joined` to a command: first all
  // claims, then all releases. No time is spent on them but for sending and parsing, though client
  // and server take turns.
  void pairs_in_flight(int count, int joined, bool fair = false) {
    all_in_flight(count, joined, [&](std::vector<std::string>& words, int first, int beyond) {
      const int locks = beyond - first;
      words = {"EVALSHA", fair ? queue_claim_ : claim_, std::to_string((fair ? 3 : 2) * locks)};
      for (int n = first; n < beyond; ++n) words.push_back(lock(n).text());
      for (int n = first; n < beyond; ++n) words.push_back(fencing_key(lock(n)).text());
      for (int n = first; fair && n < beyond; ++n) words.push_back(queue_key(lock(n)).text());
      words.insert(words.end(), {"30000", kept_});
      if (fair) words.insert(words.end(), {block_, "500"});
      for (int n = first; n < beyond; ++n) words.emplace_back(owner);
    });
    all_in_flight(count, joined, [&](std::vector<std::string>& words, int first, int beyond) {
      const int locks = beyond - first;
      words = {"EVALSHA", fair ? queue_release_ : release_, std::to_string((fair ? 3 : 1) * locks)};
      for (int n = first; n < beyond; ++n) words.push_back(lock(n).text());
      for (int n = first; fair && n < beyond; ++n) words.push_back(fencing_key(lock(n)).text());
      for (int n = first; fair && n < beyond; ++n) words.push_back(queue_key(lock(n)).text());
      if (fair) words.insert(words.end(), {block_, "500", kept_by_offer_});
      for (int n = first; n < beyond; ++n) words.emplace_back(owner);
      for (int n = first; n < beyond; ++n) words.push_back(release_channel(lock(n)).text());
    });
  }

 private:
  static constexpr const char* owner = "il1:0123456789abcdef0123456789abcdef:12345@benchmark-host";

  static Key lock(int number) { return Key("raw-lock-" + std::to_string(number)); }

  template <class Fill>
  void all_in_flight(int count, int joined, const Fill& fill) {
    for (int first = 0; first < count; first += joined) {
      std::vector<std::string> words;
      fill(words, first, std::min(first + joined, count));
      redis_.append(words);
    }
    for (int first = 0; first < count; first += joined) {
      const int locks = std::min(joined, count - first);
      redis_.take_appended(locks > 1 ? locks : 0);
    }
  }

  RawRedis& redis_;
  const std::string claim_ = redis_.load(claim_script().lua());
  const std::string release_ = redis_.load(release_script().lua());
  const std::string queue_claim_ = redis_.load(queue_claim_script().lua());
  const std::string queue_release_ = redis_.load(queue_release_script().lua());
  const std::string kept_ = "3630000";  // the counter: an hour longer than the lease
  const std::string kept_by_offer_ = "3600500";
  const std::string block_ = std::to_string(HandOverPolicy().sections);
  const std::string lock_ = "raw-lock";
  const std::string fence_ = fencing_key(Key("raw-lock")).text();
  const std::string queue_ = queue_key(Key("raw-lock")).text();
  const std::string channel_ = release_channel(Key("raw-lock")).text();
};

}  // namespace interlock::benchmark
