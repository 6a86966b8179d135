// Files that clients need, compiled in.
#pragma once

#include <string_view>

namespace interlock::harness {

// The library that clients load first (preload/).
std::string_view preload_library();
// The fork server for clients in Python (clients/python.py).
extern const std::string_view python_adaptor;
// What Node.js loads first (clients/node.cjs).
extern const std::string_view node_adaptor;

}  // namespace interlock::harness
