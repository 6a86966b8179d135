// One JSON object in one line, as every --json prints it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace interlock::cli {

// Without a line end. A name need not be UTF-8, but JSON must be: other bytes become U+FFFD, and
// the object then also has `lock_hex` beside a member `lock`, with all of its bytes. Characters
// that control a terminal are escaped, see escaped_in_json().
std::string json_line(const nlohmann::ordered_json& object);

}  // namespace interlock::cli
