// JSON on one line, written by hand: the simulator depends on nothing that could do it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::sim::draw {

// Calls must nest as JSON does; a name comes before each value inside an object.
class JsonWriter {
 public:
  JsonWriter& open_object() { return open('{'); }
  JsonWriter& close_object() { return close('}'); }
  JsonWriter& open_list() { return open('['); }
  JsonWriter& close_list() { return close(']'); }
  JsonWriter& name(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  std::string take() { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string text_;
  bool first_ = true;
};

// With quotes. Bytes that are no UTF-8 become U+FFFD; `<` is escaped, so that the text can stand
// in a script of an HTML page.
std::string json_string(std::string_view text);

}  // namespace interlock::sim::draw
