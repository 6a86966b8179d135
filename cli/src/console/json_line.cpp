#include "console/json_line.hpp"

#include <nlohmann/json.hpp>

#include "console/safe_text.hpp"

namespace interlock::cli {

namespace {

using Json = nlohmann::ordered_json;

// Adds to each member that is not UTF-8 a member with its bytes.
Json with_bytes(const Json& value) {
  if (!value.is_structured()) return value;
  Json whole = value.is_array() ? Json::array() : Json::object();
  for (const auto& [key, member] : value.items()) {
    if (value.is_array()) {
      whole.push_back(with_bytes(member));
      continue;
    }
    whole[key] = with_bytes(member);
    const auto* const text = member.get_ptr<const std::string*>();
    if (text != nullptr && !is_utf8(*text)) whole[key + "_hex"] = hex(*text);
  }
  return whole;
}

}  // namespace

std::string json_line(const Json& object) {
  return escaped_in_json(with_bytes(object).dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace interlock::cli
