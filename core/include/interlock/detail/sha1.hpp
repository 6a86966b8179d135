// The name by which Redis knows a script. The library computes it, so that the first call needs no
// answer of SCRIPT LOAD. Source: FIPS 180-4, section 6.1.
#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace interlock::detail {

// 40 hexadecimal digits, lower case.
std::string sha1_hex(std::string_view text);

}  // namespace interlock::detail

#pragma GCC visibility pop
