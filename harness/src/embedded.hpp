// Files that clients need, compiled in.
#pragma once

#include <string_view>

namespace interlock::harness {

// The library that clients load first (preload/).
std::string_view preload_library();
// The fork server for clients in Python (clients/python.py), and its modules
// (clients/interlock_adaptor).
extern const std::string_view python_server;
extern const std::string_view python_search;
extern const std::string_view python_clocks;
extern const std::string_view python_chance;
extern const std::string_view python_threads;
// What Node.js loads first (clients/node.cjs).
extern const std::string_view node_adaptor;

}  // namespace interlock::harness
