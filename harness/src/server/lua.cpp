#include "server/lua.hpp"

#include <lua.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "interlock/detail/sha1.hpp"
#include "server/command.hpp"
#include "server/notes.hpp"
#include "server/waiting.hpp"

namespace interlock::harness {
namespace {

class RunningScript {
 public:
  TypedKeys* database;
  ScriptKind kind;
};
// The script that runs. A function that Lua calls gets no C++ object, so it looks here.
RunningScript* running = nullptr;

constexpr int instructions_max = 50'000'000;

std::string text_at(lua_State* lua, int at) {
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(lua, at, &size);
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

void push_text(lua_State* lua, const std::string& text) {
  lua_pushlstring(lua, text.data(), text.size());
}

void push_table(lua_State* lua, const char* field, const std::string& text) {
  lua_newtable(lua);
  push_text(lua, text);
  lua_setfield(lua, -2, field);
}

void push_reply(lua_State* lua, const Value& value, Shape shape) {
  if (value.is_nil()) {
    lua_pushboolean(lua, 0);
  } else if (value.number() != nullptr) {
    lua_pushnumber(lua, static_cast<lua_Number>(*value.number()));
  } else if (value.text() != nullptr) {
    if (shape == Shape::status) return push_table(lua, "ok", *value.text());
    push_text(lua, *value.text());
  } else {
    lua_newtable(lua);
    int at = 1;
    for (const Value& element : *value.list()) {
      push_reply(lua, element, Shape::plain);
      lua_rawseti(lua, -2, at++);
    }
  }
}

// Pushes the reply of a command, or a table with its error. True: an error.
bool push_answer(lua_State* lua, const Reply& reply, const Words& words) {
  if (reply) {
    push_reply(lua, *reply, shape_of(words));
    return false;
  }
  push_table(lua, "err", reply.error().detail());
  return true;
}

// As Redis writes numbers of scripts: whole ones without a fraction.
std::string text_of(lua_Number value) {
  std::array<char, 64> text{};
  const bool whole = value == std::floor(value) && std::abs(value) < 1e17;
  const int size = whole ? std::snprintf(text.data(), text.size(), "%.0f", value)
                         : std::snprintf(text.data(), text.size(), "%.17g", value);
  return {text.data(), static_cast<std::size_t>(size)};
}

bool take_words(lua_State* lua, Words& words) {
  for (int at = 1; at <= lua_gettop(lua); ++at) {
    if (lua_type(lua, at) == LUA_TNUMBER) {
      words.push_back(text_of(lua_tonumber(lua, at)));
    } else if (lua_type(lua, at) == LUA_TSTRING) {
      words.push_back(text_at(lua, at));
    } else {
      return false;
    }
  }
  return true;
}

// Commands that Redis refuses in scripts.
bool is_for_scripts(const std::string& name) {
  static const std::set<std::string> others{
      "EVAL",  "EVALSHA", "EVAL_RO",   "EVALSHA_RO",  "EXEC",       "MULTI",       "DISCARD",
      "WATCH", "UNWATCH", "SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE"};
  return !others.contains(name) && !may_block(name) && !is_for_session(name);
}

bool changes_anything(const ServerCommand& command) {
  return command.writes || command.name == "PUBLISH";
}

// Leaves one value on the stack: the reply, or a table with an error. True: an error.
bool call(lua_State* lua) {
  Words words;
  if (lua_gettop(lua) == 0) {
    push_table(lua, "err", "ERR Please specify at least one argument for this redis lib call");
    return true;
  }
  if (!take_words(lua, words)) {
    push_table(lua, "err", "ERR Lua redis lib command arguments must be strings or integers");
    return true;
  }
  const std::string name = in_capitals(words.front());
  if (!is_for_scripts(name)) {
    push_table(lua, "err", "ERR This Redis command is not allowed from script");
    return true;
  }
  const ServerCommand* const command = find_command(name);
  if (command != nullptr && !has_right_size(*command, words)) {
    push_table(lua, "err", "ERR Wrong number of args calling Redis command from script");
    return true;
  }
  if (command != nullptr && changes_anything(*command) && running->kind == ScriptKind::only_reads) {
    push_table(lua, "err", "ERR Write commands are not allowed from read-only scripts.");
    return true;
  }
  return push_answer(lua, execute(*running->database, words), words);
}

int redis_call(lua_State* lua) {
  const bool error = call(lua);
  return error ? lua_error(lua) : 1;
}
int redis_pcall(lua_State* lua) {
  call(lua);
  return 1;
}

int status_reply(lua_State* lua) {
  push_table(lua, "ok", text_at(lua, 1));
  return 1;
}
int error_reply(lua_State* lua) {
  std::string text = text_at(lua, 1);
  if (text.starts_with('-')) text.erase(0, 1);
  // Redis puts a code before a text that has none.
  if (text.find(' ') == std::string::npos) text = "ERR " + text;
  push_table(lua, "err", text);
  return 1;
}
int sha1hex(lua_State* lua) {
  push_text(lua, detail::sha1_hex(text_at(lua, 1)));
  return 1;
}
// `pcall`, as in Redis: the error of a command is its text, not a table.
int text_pcall(lua_State* lua) {
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0) == 0) return lua_gettop(lua);
  lua_pushboolean(lua, 0);
  lua_replace(lua, 1);
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    if (lua_isstring(lua, -1) != 0) {
      lua_replace(lua, -2);
    } else {
      lua_pop(lua, 1);
    }
  }
  return 2;
}
int nothing(lua_State*) {
  return 0;
}
int yes(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

// What a script asks of a library that is not modelled.
int not_modelled(lua_State* lua) {
  notes().stop("a script uses " + text_at(lua, lua_upvalueindex(1)) + ", which is not modelled");
  return luaL_error(lua, "not modelled");
}

int no_new_global(lua_State* lua) {
  return luaL_error(lua, "Attempt to modify a readonly table");
}
int no_such_global(lua_State* lua) {
  // No C++ object may be alive here: errors of Lua jump.
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    lua_tostring(lua, 2));
}

void too_long(lua_State* lua, lua_Debug*) {
  notes().stop("a script runs for more than " + std::to_string(instructions_max) + " instructions");
  luaL_error(lua, "too long");
}

void add_function(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}

void add_redis_library(lua_State* lua) {
  lua_newtable(lua);
  add_function(lua, "call", redis_call);
  add_function(lua, "pcall", redis_pcall);
  add_function(lua, "status_reply", status_reply);
  add_function(lua, "error_reply", error_reply);
  add_function(lua, "sha1hex", sha1hex);
  add_function(lua, "log", nothing);
  add_function(lua, "replicate_commands", yes);
  for (const auto& [name, level] : {std::pair("LOG_DEBUG", 0), std::pair("LOG_VERBOSE", 1),
                                    std::pair("LOG_NOTICE", 2), std::pair("LOG_WARNING", 3)}) {
    lua_pushinteger(lua, level);
    lua_setfield(lua, -2, name);
  }
  for (const char* const name : {"setresp", "set_repl", "breakpoint", "debug", "acl_check_cmd"}) {
    lua_pushfstring(lua, "redis.%s", name);
    lua_pushcclosure(lua, not_modelled, 1);
    lua_setfield(lua, -2, name);
  }
  lua_setglobal(lua, "redis");
}

// Libraries of Redis that are not part of Lua: to look inside stops the search.
void add_missing_libraries(lua_State* lua) {
  for (const char* const name : {"cjson", "cmsgpack", "bit", "struct"}) {
    lua_newtable(lua);
    lua_newtable(lua);
    lua_pushstring(lua, name);
    lua_pushcclosure(lua, not_modelled, 1);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    lua_setglobal(lua, name);
  }
}

void open_libraries(lua_State* lua) {
  for (const lua_CFunction open : {luaopen_base, luaopen_table, luaopen_string, luaopen_math}) {
    lua_pushcfunction(lua, open);
    lua_call(lua, 0, 0);
  }
  for (const char* const name : {"dofile", "loadfile", "print", "newproxy"}) {
    lua_pushnil(lua);
    lua_setglobal(lua, name);
  }
  lua_pushcfunction(lua, text_pcall);
  lua_setglobal(lua, "pcall");
  // Redis seeds them alike for every script.
  lua_getglobal(lua, "math");
  for (const char* const name : {"random", "randomseed"}) {
    lua_pushfstring(lua, "math.%s", name);
    lua_pushcclosure(lua, not_modelled, 1);
    lua_setfield(lua, -2, name);
  }
  lua_pop(lua, 1);
}

void guard_globals(lua_State* lua) {
  lua_newtable(lua);
  add_function(lua, "__newindex", no_new_global);
  add_function(lua, "__index", no_such_global);
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, LUA_GLOBALSINDEX);
}

void set_list(lua_State* lua, const char* name, const Words& words) {
  lua_newtable(lua);
  int at = 1;
  for (const std::string& word : words) {
    push_text(lua, word);
    lua_rawseti(lua, -2, at++);
  }
  lua_setglobal(lua, name);
}

// --- the reply -----------------------------------------------------------------------------------

Value converted(lua_State* lua, int at, int depth);

// An `ok` or `err` field; none: the table is a list.
std::optional<std::string> field_of(lua_State* lua, int at, const char* name) {
  lua_pushstring(lua, name);
  lua_rawget(lua, at);
  std::optional<std::string> text;
  if (lua_type(lua, -1) == LUA_TSTRING) text = text_at(lua, -1);
  lua_pop(lua, 1);
  return text;
}

bool has_field(lua_State* lua, int at, const char* name) {
  lua_pushstring(lua, name);
  lua_rawget(lua, at);
  const bool has = !lua_isnil(lua, -1);
  lua_pop(lua, 1);
  return has;
}

// A `double` field.
std::optional<std::string> double_of(lua_State* lua, int at) {
  lua_pushstring(lua, "double");
  lua_rawget(lua, at);
  std::optional<std::string> text;
  if (lua_type(lua, -1) == LUA_TNUMBER) text = text_of(lua_tonumber(lua, -1));
  lua_pop(lua, 1);
  return text;
}

Value list_at(lua_State* lua, int at, int depth) {
  std::vector<Value> all;
  for (int index = 1;; ++index) {
    lua_rawgeti(lua, at, index);
    const bool end = lua_isnil(lua, -1);
    if (!end) all.push_back(converted(lua, lua_gettop(lua), depth + 1));
    lua_pop(lua, 1);
    if (end) return Value(std::move(all));
  }
}

Value converted(lua_State* lua, int at, int depth) {
  constexpr int depth_max = 100;
  if (depth > depth_max) return text(tagged_error("ERR reached lua stack limit"));
  luaL_checkstack(lua, 4, "reply");
  switch (lua_type(lua, at)) {
    case LUA_TNUMBER:
      return number(static_cast<std::int64_t>(lua_tonumber(lua, at)));
    case LUA_TSTRING:
      return text(tagged_text(text_at(lua, at)));
    case LUA_TBOOLEAN:
      return lua_toboolean(lua, at) != 0 ? number(1) : Value();
    case LUA_TTABLE: {
      if (const auto error = field_of(lua, at, "err")) return text(tagged_error(*error));
      if (const auto status = field_of(lua, at, "ok")) return text(tagged_status(*status));
      if (const auto fraction = double_of(lua, at)) return text(tagged_double(*fraction));
      for (const char* const kind : {"map", "set", "big_number", "verbatim_string"}) {
        if (!has_field(lua, at, kind)) continue;
        notes().stop("a script answers with a table that has a field '" + std::string(kind) +
                     "', which is not modelled");
      }
      return list_at(lua, at, depth);
    }
    default:
      return {};
  }
}

class Closed {
 public:
  void operator()(lua_State* lua) const { lua_close(lua); }
};

// What ended the script, as Redis says it.
std::string reason(lua_State* lua, const std::string& name) {
  if (lua_type(lua, -1) == LUA_TTABLE) {
    const auto error = field_of(lua, lua_gettop(lua), "err");
    return error ? *error + " script: " + name + ", on @user_script:1." : "ERR script failed";
  }
  return "ERR " + text_at(lua, -1) + " script: " + name + ", on @user_script:1.";
}

}  // namespace

Reply run_script(TypedKeys& database,
                 const std::string& body,
                 const Words& keys,
                 const Words& arguments,
                 ScriptKind kind) {
  // A state of its own for each run: nothing is left from another.
  const std::unique_ptr<lua_State, Closed> state(luaL_newstate());
  lua_State* const lua = state.get();
  if (lua == nullptr) {
    notes().stop("no memory for a script");
    return refuse("ERR no memory");
  }
  open_libraries(lua);
  add_redis_library(lua);
  add_missing_libraries(lua);
  set_list(lua, "KEYS", keys);
  set_list(lua, "ARGV", arguments);
  guard_globals(lua);
  lua_sethook(lua, too_long, LUA_MASKCOUNT, instructions_max);
  const bool shebang = body.starts_with("#!");
  if (shebang) {
    notes().stop("a script begins with #!, which is not modelled");
    return refuse("ERR not modelled");
  }
  if (luaL_loadbuffer(lua, body.data(), body.size(), "@user_script") != 0) {
    return refuse("ERR Error compiling script (new function): " + text_at(lua, -1));
  }
  RunningScript script{&database, kind};
  RunningScript* const before = std::exchange(running, &script);
  const int failed = lua_pcall(lua, 0, 1, 0);
  running = before;
  if (failed != 0) return refuse(reason(lua, detail::sha1_hex(body)));
  Value reply = converted(lua, lua_gettop(lua), 0);
  const std::string* const whole = reply.text();
  if (whole != nullptr && whole->starts_with('-')) return refuse(whole->substr(1));
  return reply;
}

}  // namespace interlock::harness
