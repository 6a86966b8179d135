#include "interlock/store/value.hpp"

namespace interlock {

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
