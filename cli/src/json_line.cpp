#include "json_line.hpp"

#include <nlohmann/json.hpp>

#include "safe_text.hpp"

namespace interlock::cli {

std::string json_line(const nlohmann::ordered_json& object) {
  return escaped_in_json(
      object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace interlock::cli
