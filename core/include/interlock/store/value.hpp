// What stores answer: nothing, a number, text, or a list of these.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "interlock/error.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// A plain value, as safe for threads as a std::string. Lists may contain lists; a store bounds what
// it reads (the Redis stores refuse a list of more than 2^20 elements).
class Value {
 public:
  Value() = default;
  explicit Value(std::int64_t number) : content_(number) {}
  explicit Value(std::string text) : content_(std::move(text)) {}
  explicit Value(std::vector<Value> list) : content_(std::move(list)) {}
  Value(const Value& other);
  Value(Value&& other) noexcept = default;
  Value& operator=(const Value& other) { return *this = Value(other); }
  Value& operator=(Value&& other) noexcept = default;
  ~Value() = default;

  bool is_nil() const noexcept { return std::holds_alternative<std::monostate>(content_); }

  // Null unless the value is of that kind.
  const std::int64_t* number() const noexcept { return std::get_if<std::int64_t>(&content_); }
  const std::string* text() const noexcept { return std::get_if<std::string>(&content_); }
  const std::vector<Value>* list() const noexcept {
    return std::get_if<std::vector<Value>>(&content_);
  }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<std::monostate, std::int64_t, std::string, std::vector<Value>> content_;
};

// For people and for schedules: nil, 17, "text", [1, "text"].
std::string to_string(const Value& value);

using Reply = Result<Value>;

}  // namespace interlock

#pragma GCC visibility pop
