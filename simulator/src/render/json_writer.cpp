#include "render/json_writer.hpp"

#include "render/columns.hpp"

namespace interlock::sim::draw {

std::string json_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0) {
      result += "\\ufffd";
    } else if (byte == '"' || byte == '\\') {
      result += '\\';
      result += text.front();
    } else if (byte < 0x20 || byte == 0x7F || byte == '<') {
      result += "\\u00";
      result += digits[byte >> 4U];
      result += digits[byte & 15U];
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

void JsonWriter::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::name(std::string_view name) {
  separate();
  text_ += json_string(name) + ":";
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  text_ += json_string(value);
  return *this;
}

JsonWriter& JsonWriter::number(std::int64_t value) {
  separate();
  text_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

}  // namespace interlock::sim::draw
