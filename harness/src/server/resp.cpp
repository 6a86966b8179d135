#include "server/resp.hpp"

#include "interlock/detail/number.hpp"

namespace interlock::harness {
namespace {

constexpr std::string_view end_of_line = "\r\n";
constexpr std::size_t words_max = 1U << 20;
constexpr std::size_t bytes_max = 64U << 20;

class ReplyWriter {
 public:
  explicit ReplyWriter(bool resp3) : resp3_(resp3) {}

  void value(const Value& value, Shape shape) {
    if (value.is_nil()) return nil(shape);
    if (value.number() != nullptr) return line(':', std::to_string(*value.number()));
    if (value.text() != nullptr) return text(*value.text(), shape);
    list(*value.list(), shape);
  }
  void status(std::string_view status) { line('+', status); }
  void error(std::string_view error) { line('-', error); }
  void bulk(std::string_view text) {
    line('$', std::to_string(text.size()));
    out_ += text;
    out_ += end_of_line;
  }
  // The replies of a transaction.
  void results(const std::vector<Value>& all, const std::vector<Words>& queued) {
    line('*', std::to_string(all.size()));
    for (std::size_t at = 0; at < all.size(); ++at) {
      const Shape shape = at < queued.size() ? shape_of(queued[at]) : Shape::tagged;
      if (all[at].text() != nullptr) {
        result(*all[at].text(), shape);
      } else {
        value(all[at], shape);
      }
    }
  }
  // A text is marked there, whatever the command.
  void result(const std::string& marked, Shape shape) {
    if (shape != Shape::number || marked.starts_with('-')) return text(marked, Shape::tagged);
    text(marked.starts_with('\\') ? marked.substr(1) : marked, shape);
  }

  std::string take() { return std::move(out_); }

 private:
  void line(char kind, std::string_view rest) {
    out_ += kind;
    for (const char letter : rest) out_ += letter == '\r' || letter == '\n' ? ' ' : letter;
    out_ += end_of_line;
  }
  void nil(Shape shape) {
    if (resp3_) return line('_', "");
    line(shape == Shape::null_list || shape == Shape::popped ? '*' : '$', "-1");
  }
  void text(const std::string& text, Shape shape) {
    if (shape == Shape::status) return status(text);
    if (shape == Shape::number && resp3_) return line(',', text);
    if (shape != Shape::tagged || text.empty()) return bulk(text);
    if (text[0] == '+') return status(std::string_view(text).substr(1));
    if (text[0] == '-') return error(std::string_view(text).substr(1));
    if (text[0] == ',') return this->text(text.substr(1), Shape::number);
    bulk(std::string_view(text).substr(text[0] == '\\' ? 1 : 0));
  }
  void list(const std::vector<Value>& all, Shape shape) {
    if (shape == Shape::scored && resp3_) return pairs(all);
    if (shape == Shape::popped && resp3_ && !all.empty()) {
      line('*', std::to_string(all.size()));
      for (std::size_t at = 0; at + 1 < all.size(); ++at) value(all[at], Shape::plain);
      return value(all.back(), Shape::number);
    }
    if (shape == Shape::map && resp3_) {
      line('%', std::to_string(all.size() / 2));
    } else {
      line(shape == Shape::set && resp3_ ? '~' : '*', std::to_string(all.size()));
    }
    for (const Value& one : all) value(one, shape == Shape::tagged ? shape : Shape::plain);
  }
  void pairs(const std::vector<Value>& all) {
    line('*', std::to_string(all.size() / 2));
    for (std::size_t at = 0; at + 1 < all.size(); at += 2) {
      line('*', "2");
      value(all[at], Shape::plain);
      value(all[at + 1], Shape::number);
    }
  }

  bool resp3_;
  std::string out_;
};

}  // namespace

// A line `*3` or `$5` at `at`, which moves behind it.
std::optional<std::size_t> RequestReader::count(char kind, std::size_t& at) {
  const auto end = bytes_.find(end_of_line, at);
  if (end == std::string::npos) {
    if (bytes_.size() - at > 64) broken_ = "a line without an end";
    return std::nullopt;
  }
  const auto number =
      detail::parse_number<std::size_t>(std::string_view(bytes_).substr(at + 1, end - at - 1));
  if (bytes_[at] != kind || !number || *number > (kind == '*' ? words_max : bytes_max)) {
    broken_ = "what is no array of strings: inline commands are not modelled";
    return std::nullopt;
  }
  at = end + end_of_line.size();
  return number;
}

std::optional<Words> RequestReader::next() {
  std::size_t at = 0;
  if (bytes_.empty()) return std::nullopt;
  const auto size = count('*', at);
  if (!size) return std::nullopt;
  Words words;
  for (std::size_t word = 0; word < *size; ++word) {
    if (at >= bytes_.size()) return std::nullopt;
    const auto length = count('$', at);
    if (!length || bytes_.size() < at + *length + end_of_line.size()) return std::nullopt;
    words.push_back(bytes_.substr(at, *length));
    at += *length + end_of_line.size();
  }
  bytes_.erase(0, at);
  if (words.empty()) return next();
  return words;
}

std::string encode(const Reply& reply, Shape shape, bool resp3, const std::vector<Words>& queued) {
  ReplyWriter writer(resp3);
  if (!reply) {
    writer.error(reply.error().detail());
  } else if (!queued.empty() && reply->list() != nullptr) {
    writer.results(*reply->list(), queued);
  } else {
    writer.value(*reply, shape);
  }
  return writer.take();
}

std::string encode_status(std::string_view status) {
  ReplyWriter writer(false);
  writer.status(status);
  return writer.take();
}
std::string encode_error(std::string_view error) {
  ReplyWriter writer(false);
  writer.error(error);
  return writer.take();
}
std::string encode_text(std::string_view text) {
  ReplyWriter writer(false);
  writer.bulk(text);
  return writer.take();
}

std::string encode_pong(std::string_view text, bool resp3) {
  if (!resp3) return "*2\r\n" + encode_text("pong") + encode_text(text);
  return text.empty() ? encode_status("PONG") : encode_text(text);
}

}  // namespace interlock::harness
