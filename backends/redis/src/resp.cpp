#include "resp.hpp"

#include <hiredis/hiredis.h>

#include <array>
#include <charconv>
#include <new>

namespace interlock::redis {
namespace {

void append_number_line(std::string& out, char mark, std::int64_t number) {
  // Appended in one piece, because this runs a dozen times for each command.
  std::array<char, 24> line;
  line[0] = mark;
  char* end = std::to_chars(line.data() + 1, line.data() + line.size() - 2, number).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(line.data(), end);
}

Value to_value(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      return Value(static_cast<std::int64_t>(reply.integer));
    case REDIS_REPLY_NIL:
      return Value();
    case REDIS_REPLY_ARRAY: {
      std::vector<Value> list;
      list.reserve(reply.elements);
      for (std::size_t index = 0; index < reply.elements; ++index) {
        list.push_back(to_value(*reply.element[index]));
      }
      return Value(std::move(list));
    }
    // RESP3 has more kinds; without HELLO a server does not use them.
    default:
      return reply.str != nullptr ? Value(std::string(reply.str, reply.len)) : Value();
  }
}

// Many times what any answer has: a page of SCAN, the queue of a fair lock. A server that announces
// more is broken, and hiredis would make room for two thousand million elements at once.
constexpr std::size_t elements_max = std::size_t{1} << 20U;

const redisReplyObjectFunctions& hiredis_functions() {
  static const redisReplyObjectFunctions functions = [] {
    redisReader* const reader = redisReaderCreate();
    if (reader == nullptr) throw std::bad_alloc();
    const redisReplyObjectFunctions of_every_reader = *reader->fn;
    redisReaderFree(reader);
    return of_every_reader;
  }();
  return functions;
}

// Null: hiredis takes it for a lack of memory. Count: an int up to hiredis 0.14, then a size_t.
template <class Count>
void* create_bounded_list(const redisReadTask* task, Count elements) {
  if (static_cast<std::size_t>(elements) > elements_max) return nullptr;
  return hiredis_functions().createArray(task, elements);
}

redisReplyObjectFunctions* bounded_functions() {
  static redisReplyObjectFunctions functions = [] {
    redisReplyObjectFunctions bounded = hiredis_functions();
    bounded.createArray = create_bounded_list;
    return bounded;
  }();
  return &functions;
}

// Before main() begins: a fork() while another thread looks them up would leave a child that waits
// for ever for that thread.
[[maybe_unused]] const redisReplyObjectFunctions* const looked_up_early = bounded_functions();

std::string why_unreadable(const redisReader& reader) {
  if (reader.err != REDIS_ERR_OOM) return reader.errstr;
  return "its answer is a list of more than " + std::to_string(elements_max) +
         " elements, or larger than the memory that is left";
}

struct FreeReply {
  void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};

}  // namespace

void append_command_size(std::string& out, std::size_t parts) {
  append_number_line(out, '*', static_cast<std::int64_t>(parts));
}

void append_part(std::string& out, std::string_view part) {
  append_number_line(out, '$', static_cast<std::int64_t>(part.size()));
  out.append(part);
  out.append("\r\n", 2);
}

void append_part(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  append_part(out, std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

void AnswerReader::FreeReader::operator()(redisReader* reader) const noexcept {
  redisReaderFree(reader);
}

AnswerReader::AnswerReader() : reader_(redisReaderCreate()) {
  if (!reader_) throw std::bad_alloc();
  reader_->fn = bounded_functions();
}

void AnswerReader::feed(std::string_view bytes) {
  // An error stays in the reader, and next() reports it.
  static_cast<void>(redisReaderFeed(reader_.get(), bytes.data(), bytes.size()));
}

std::optional<Result<Answer>> AnswerReader::next() {
  void* parsed = nullptr;
  if (redisReaderGetReply(reader_.get(), &parsed) != REDIS_OK) {
    return Result<Answer>(Error(Errc::indeterminate, why_unreadable(*reader_)));
  }
  if (parsed == nullptr) return std::nullopt;
  const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(parsed));
  if (reply->type == REDIS_REPLY_ERROR) {
    return Result<Answer>(Answer::error(std::string(reply->str, reply->len)));
  }
  return Result<Answer>(Answer(to_value(*reply)));
}

bool AnswerReader::has_more() const noexcept {
  // After the last answer, hiredis' parser may have begun with an item of which it has no data yet.
#if HIREDIS_MAJOR >= 1
  const int first = reader_->ridx == 0 ? reader_->task[0]->type : -1;
#else
  const int first = reader_->ridx == 0 ? reader_->rstack[0].type : -1;
#endif
  return reader_->ridx > 0 || first != -1 || reader_->pos < reader_->len;
}

}  // namespace interlock::redis
