// Several commands as one atomic step on the server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interlock/store/keyspace.hpp"
#include "interlock/store/value.hpp"

namespace interlock {

// The same program twice: `lua` for Redis, `native` for stores without Lua. A differential test
// runs both on the same keys and compares every reply (tests/redis/scripts_test.cpp). Lives as long
// as the program: stores remember it by address.
class Script {
 public:
  using Native = Reply (*)(Keyspace& keyspace,
                           const std::vector<Key>& keys,
                           const std::vector<std::string>& arguments);

  Script(std::string_view name, std::string_view lua, Native native)
      : name_(name), lua_(lua), native_(native) {}
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  const std::string& name() const noexcept { return name_; }
  const std::string& lua() const noexcept { return lua_; }

  Reply run(Keyspace& keyspace,
            const std::vector<Key>& keys,
            const std::vector<std::string>& arguments) const {
    return native_(keyspace, keys, arguments);
  }

 private:
  std::string name_;
  std::string lua_;
  Native native_;
};

}  // namespace interlock
