// Commands sent by plain hiredis: what the benchmarks compare the library with.
#pragma once

#include <hiredis/hiredis.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::benchmark {

// One blocking connection. Every call throws std::runtime_error when the server does not do it.
class RawRedis {
 public:
  // Takes the connection over.
  explicit RawRedis(redisContext* context) : context_(context) {
    if (context_ != nullptr && context_->err == 0) return;
    const std::string why = context_ == nullptr ? "no memory" : context_->errstr;
    redisFree(context_);
    throw std::runtime_error("cannot connect: " + why);
  }
  ~RawRedis() { redisFree(context_); }
  RawRedis(const RawRedis&) = delete;
  RawRedis& operator=(const RawRedis&) = delete;

  // The name under which the server has the script now.
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

  // Whether the answer is something other than nil.
  bool call(std::initializer_list<std::string_view> words) {
    const char* text[16];
    std::size_t sizes[16];
    int count = 0;
    for (const std::string_view word : words) {
      text[count] = word.data();
      sizes[count++] = word.size();
    }
    return take(redisCommandArgv(context_, count, text, sizes), 0);
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

  // The answer to what was appended first, which has so many elements; 0 when it is no array.
  void take_appended(int elements) {
    void* reply = nullptr;
    if (redisGetReply(context_, &reply) != REDIS_OK) throw std::runtime_error("no reply");
    take(reply, elements);
  }

 private:
  static bool take(void* answer, int elements) {
    auto* reply = static_cast<redisReply*>(answer);
    if (reply == nullptr || reply->type == REDIS_REPLY_ERROR ||
        (elements > 0 && reply->elements != static_cast<std::size_t>(elements))) {
      throw std::runtime_error("a command failed");
    }
    const bool is_something = reply->type != REDIS_REPLY_NIL;
    freeReplyObject(reply);
    return is_something;
  }

  redisContext* context_;
};

}  // namespace interlock::benchmark
