// Several commands as one atomic step on the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/store/keyspace.hpp"
#include "interlock/store/value.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// How the Lua of a script serves many calls at once. KEYS are the first key of every call, then the
// second of every call, and so on. ARGV are the arguments that all calls have in common, once, and
// then the first of the others of every call, and so on. The Lua answers with a list that has a
// reply for each call, in order; one call gets the bare reply. In the list a text is a refusal, so
// the script may answer nothing else with a text.
//
// Calls of one batch do not affect each other: no two have the same first key, which is the lock.
class ScriptBatch {
 public:
  using Meaning = Value (*)(Value reply);
  ScriptBatch(std::size_t of_each, std::vector<std::size_t> in_common, Meaning of_reply = nullptr)
      : arguments(of_each), common(std::move(in_common)), meaning(of_reply) {}

  bool is_common(std::size_t argument) const;

  // How many each call has. A call with another number of arguments is sent alone.
  std::size_t arguments;
  // The places of the arguments that all calls have in common, in order.
  std::vector<std::size_t> common;
  // What the native half answers where the Lua answers `reply`, which may be shorter; null: the
  // same.
  Meaning meaning;
};

// What the reply to a script may do.
enum class ScriptReply : std::uint8_t {
  grants_nothing,
  // It may grant a lock: KEYS[1] is the lock, ARGV[1] is the owner, and the reply is that of a
  // claim (KeyValueStore::claim_by). A store that may get replies to other requests checks such a
  // grant before anybody believes it.
  may_grant,
};

// The same program twice: `lua` for Redis, `native` for stores without Lua. A differential test
// compares their replies (tests/redis/scripts_test.cpp). A script never changes, so any thread may
// use it. It must live as long as the program: stores remember it by address.
class Script {
 public:
  // One call. It must not throw. If it answers with an error, it must have changed nothing. What it
  // does depends on the keyspace, the keys and the arguments alone. In the simulator it compares
  // owner tokens for equality only, because it stands for clients with any tokens.
  using Native = Reply (*)(Keyspace& keyspace,
                           const std::vector<Key>& keys,
                           const std::vector<std::string>& arguments);

  Script(std::string_view name,
         std::string_view lua,
         Native native,
         ScriptReply reply = ScriptReply::grants_nothing)
      : name_(name), lua_(lua), native_(native), reply_(reply) {}
  Script(std::string_view name,
         std::string_view lua,
         Native native,
         ScriptBatch batch,
         ScriptReply reply = ScriptReply::grants_nothing)
      : name_(name), lua_(lua), native_(native), batch_(std::move(batch)), reply_(reply) {}
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  const std::string& name() const noexcept { return name_; }
  const std::string& lua() const noexcept { return lua_; }
  // Null: the Lua takes only one call at a time.
  const ScriptBatch* batch() const noexcept { return batch_ ? &*batch_ : nullptr; }
  ScriptReply reply() const noexcept { return reply_; }

  Reply run(Keyspace& keyspace,
            const std::vector<Key>& keys,
            const std::vector<std::string>& arguments) const {
    return native_(keyspace, keys, arguments);
  }

 private:
  std::string name_;
  std::string lua_;
  Native native_;
  std::optional<ScriptBatch> batch_;
  ScriptReply reply_;
};

// The operation's own script, or that of claim, renew or release. Null: none. From any thread.
const Script* script_of(const Operation& operation);

// The call of a script by an operation: its keys and arguments, in order. For one thread. A key or
// argument is valid until the caller asks for the next one, because this class writes into `memory`
// what the operation does not have in this form. Operation and memory must outlive this object.
class ScriptCall {
 public:
  // Only if script_of() is not null.
  ScriptCall(const Operation& operation, std::string& memory)
      : operation_(operation), memory_(memory) {}

  const Script& script() const;
  std::size_t keys() const noexcept;
  std::size_t arguments() const noexcept;
  const std::string& key(std::size_t at) const;
  const std::string& argument(std::size_t at) const;

 private:
  const Operation& operation_;
  std::string& memory_;
};

}  // namespace interlock

#pragma GCC visibility pop
