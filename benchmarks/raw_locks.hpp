// Locks made of commands sent by plain hiredis: what the benchmarks compare the library with.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/group.hpp"
#include "interlock/local_queue.hpp"
#include "interlock/store/group_scripts.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/owner_scripts.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "raw_redis.hpp"

namespace interlock::benchmark {

// As long as those of the library.
inline constexpr const char* raw_owner =
    "il1:0123456789abcdef0123456789abcdef:12345@benchmark-host";

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
                 raw_owner});
    redis_.call({"EVALSHA", queue_release_, "3", lock_, fence_, queue_, block_, "500",
                 kept_by_offer_, raw_owner, channel_});
  }

  // The same of the lock without a queue.
  void unfair_pair() {
    redis_.call({"EVALSHA", claim_, "2", lock_, fence_, "30000", kept_, raw_owner});
    redis_.call({"EVALSHA", release_, "1", lock_, raw_owner, channel_});
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
      for (int n = first; n < beyond; ++n) words.emplace_back(raw_owner);
    });
    all_in_flight(count, joined, [&](std::vector<std::string>& words, int first, int beyond) {
      const int locks = beyond - first;
      words = {"EVALSHA", fair ? queue_release_ : release_, std::to_string((fair ? 3 : 1) * locks)};
      for (int n = first; n < beyond; ++n) words.push_back(lock(n).text());
      for (int n = first; fair && n < beyond; ++n) words.push_back(fencing_key(lock(n)).text());
      for (int n = first; fair && n < beyond; ++n) words.push_back(queue_key(lock(n)).text());
      if (fair) words.insert(words.end(), {block_, "500", kept_by_offer_});
      for (int n = first; n < beyond; ++n) words.emplace_back(raw_owner);
      for (int n = first; n < beyond; ++n) words.push_back(release_channel(lock(n)).text());
    });
  }

 private:
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

// A lock that a group has: readers, or holders of permits.
class RawGroup {
 public:
  // `mark`: how the owner tokens end.
  RawGroup(RawRedis& redis, const std::string& lock, std::string mark)
      : redis_(redis), lock_(lock), mark_(std::move(mark)) {}

  // The owners of these numbers have it, and keep it.
  void fill(int first, int beyond) {
    for (int n = first; n < beyond; ++n) claim("il1:holder-" + std::to_string(n) + mark_);
    take_answers(beyond - first);
  }

  // So many owners come, one after another, and then leave.
  void pairs_in_flight(int owners) {
    for (int n = 0; n < owners; ++n) claim(raw_owner + std::to_string(n) + mark_);
    take_answers(owners);
    for (int n = 0; n < owners; ++n) release(raw_owner + std::to_string(n) + mark_);
    take_answers(owners);
  }
  // So many times, one owner comes and leaves.
  void pairs_alone_in_flight(int times) {
    for (int n = 0; n < times; ++n) {
      claim(raw_owner + mark_);
      release(raw_owner + mark_);
    }
    take_answers(2 * times);
  }

 private:
  void claim(const std::string& who) {
    redis_.append({"EVALSHA", claim_, "4", lock_.text(), fence_, queue_, holders_, who, ttl_, kept_,
                   "1", "500"});
  }
  void release(const std::string& who) {
    redis_.append({"EVALSHA", release_, "4", lock_.text(), fence_, queue_, holders_, who, channel_,
                   "1", "500", kept_});
  }
  void take_answers(int count) {
    for (int n = 0; n < count; ++n) redis_.take_appended(0);
  }

  RawRedis& redis_;
  const Key lock_;
  const std::string mark_;
  const std::string claim_ = redis_.load(group_claim_script().lua());
  const std::string release_ = redis_.load(group_release_script().lua());
  const std::string ttl_ = "600000";  // longer than the benchmark: nobody renews
  const std::string kept_ = "4200000";
  const std::string fence_ = fencing_key(lock_).text();
  const std::string queue_ = queue_key(lock_).text();
  const std::string holders_ = holders_key(lock_).text();
  const std::string channel_ = release_channel(lock_).text();
};

}  // namespace interlock::benchmark
