// One JSON object in one line, as every --json prints it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace interlock::cli {

// Without a line end. A name need not be UTF-8 and JSON must be: other bytes become U+FFFD, and
// beside a member `lock` stands `lock_hex` then, with all of its bytes. What a terminal would obey
// is escaped, see escaped_in_json().
std::string json_line(const nlohmann::ordered_json& object);

}  // namespace interlock::cli
