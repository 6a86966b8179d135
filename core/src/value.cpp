#include "interlock/store/value.hpp"

namespace interlock {

// Copies what the variant holds, and not the variant: if that throws in libstdc++ 12, the variant
// destroys a value that it does not hold yet, because it takes itself to be never without one.
Value::Value(const Value& other) {
  if (const auto* number = other.number()) {
    content_ = *number;
  } else if (const auto* text = other.text()) {
    content_ = std::string(*text);
  } else if (const auto* list = other.list()) {
    content_ = std::vector<Value>(*list);
  }
}

std::string to_string(const Value& value) {
  if (value.is_nil()) return "nil";
  if (const auto* number = value.number()) return std::to_string(*number);
  if (const auto* text = value.text()) return '"' + *text + '"';
  std::string list = "[";
  for (const Value& element : *value.list()) {
    if (list.size() > 1) list += ", ";
    list += to_string(element);
  }
  return list + "]";
}

}  // namespace interlock
