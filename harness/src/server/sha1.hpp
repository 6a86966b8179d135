// SHA-1, by which Redis names scripts.
#pragma once

#include <string>
#include <string_view>

namespace interlock::harness {

// 40 digits, in small letters.
std::string sha1(std::string_view text);

}  // namespace interlock::harness
