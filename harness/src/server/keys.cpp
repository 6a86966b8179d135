// Commands on keys of any type.
#include <algorithm>
#include <cctype>

#include "server/command.hpp"

namespace interlock::harness {
namespace {

Reply del(TypedKeys& database, const Words& words) {
  std::int64_t count = 0;
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (!database.find(words[at])) continue;
    database.erase(words[at]);
    ++count;
  }
  return number(count);
}

Reply exists(TypedKeys& database, const Words& words) {
  std::int64_t count = 0;
  for (std::size_t at = 1; at < words.size(); ++at) count += database.find(words[at]) ? 1 : 0;
  return number(count);
}

Reply type(TypedKeys& database, const Words& words) {
  const auto data = database.find(words[1]);
  return text(data ? std::string(to_string(data->type)) : "none");
}

// The conditions of EXPIRE and its like; an error is the reply.
class Conditions {
 public:
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
};

Result<Conditions> conditions_of(const Words& words) {
  Conditions given;
  for (std::size_t at = 3; at < words.size(); ++at) {
    const std::string option = in_capitals(words[at]);
    if (option == "NX") {
      given.nx = true;
    } else if (option == "XX") {
      given.xx = true;
    } else if (option == "GT") {
      given.gt = true;
    } else if (option == "LT") {
      given.lt = true;
    } else {
      return Error(Errc::rejected, "ERR Unsupported option " + words[at]);
    }
  }
  if (given.nx && (given.xx || given.gt || given.lt)) {
    return Error(Errc::rejected,
                 "ERR NX and XX, GT or LT options at the same time are not compatible");
  }
  if (given.gt && given.lt) {
    return Error(Errc::rejected, "ERR GT and LT options at the same time are not compatible");
  }
  return given;
}

Reply expire(TypedKeys& database, const Words& words) {
  const std::string name = in_capitals(words[0]);
  const auto given = whole_number(words[2]);
  if (!given) return not_a_number();
  const auto conditions = conditions_of(words);
  if (!conditions) return conditions.error();
  const std::int64_t unit = name.starts_with('P') ? 1 : 1000;
  std::int64_t until = 0;
  const bool relative = !name.ends_with("AT");
  if (__builtin_mul_overflow(*given, unit, &until) ||
      (relative && __builtin_add_overflow(until, database.now_ms().count(), &until))) {
    std::string small = name;
    for (char& letter : small) letter = static_cast<char>(std::tolower(letter));
    return refuse("ERR invalid expire time in '" + small + "' command");
  }
  auto data = database.find(words[1]);
  if (!data) return number(0);
  const bool never = !data->expiry;
  const milliseconds end(until);
  if (conditions->nx && !never) return number(0);
  if (conditions->xx && never) return number(0);
  if (conditions->gt && (never || end <= *data->expiry)) return number(0);
  if (conditions->lt && !never && end >= *data->expiry) return number(0);
  if (end <= database.now_ms()) {
    database.erase(words[1]);
    return number(1);
  }
  data->expiry = end;
  database.put(words[1], *data);
  return number(1);
}

Reply remaining(TypedKeys& database, const Words& words) {
  const std::string name = in_capitals(words[0]);
  const auto data = database.find(words[1]);
  if (!data) return number(-2);
  if (!data->expiry) return number(-1);
  const bool absolute = name.ends_with("EXPIRETIME");
  const std::int64_t time = (absolute ? *data->expiry : *data->expiry - database.now_ms()).count();
  const std::int64_t left = std::max<std::int64_t>(0, time);
  return number(name.starts_with('P') ? left : (left + 500) / 1000);
}

Reply persist(TypedKeys& database, const Words& words) {
  auto data = database.find(words[1]);
  if (!data || !data->expiry) return number(0);
  data->expiry.reset();
  database.put(words[1], *data);
  return number(1);
}

Reply rename(TypedKeys& database, const Words& words) {
  const bool absent_only = in_capitals(words[0]) == "RENAMENX";
  const auto data = database.find(words[1]);
  if (!data) return refuse("ERR no such key");
  const bool same = words[1] == words[2];
  if (absent_only && (same || database.find(words[2]))) return number(0);
  if (!same) {
    database.erase(words[1]);
    database.put(words[2], *data);
  }
  return absent_only ? number(1) : ok();
}

}  // namespace

const std::vector<ServerCommand>& key_commands() {
  static const std::vector<ServerCommand> all{
      {"DEL", -2, true, 1, -1, 1, Shape::plain, del},
      {"UNLINK", -2, true, 1, -1, 1, Shape::plain, del},
      {"EXISTS", -2, false, 1, -1, 1, Shape::plain, exists},
      {"TOUCH", -2, false, 1, -1, 1, Shape::plain, exists},
      {"TYPE", 2, false, 1, 1, 1, Shape::status, type},
      {"EXPIRE", -3, true, 1, 1, 1, Shape::plain, expire},
      {"PEXPIRE", -3, true, 1, 1, 1, Shape::plain, expire},
      {"EXPIREAT", -3, true, 1, 1, 1, Shape::plain, expire},
      {"PEXPIREAT", -3, true, 1, 1, 1, Shape::plain, expire},
      {"TTL", 2, false, 1, 1, 1, Shape::plain, remaining},
      {"PTTL", 2, false, 1, 1, 1, Shape::plain, remaining},
      {"EXPIRETIME", 2, false, 1, 1, 1, Shape::plain, remaining},
      {"PEXPIRETIME", 2, false, 1, 1, 1, Shape::plain, remaining},
      {"PERSIST", 2, true, 1, 1, 1, Shape::plain, persist},
      {"RENAME", 3, true, 1, 2, 1, Shape::status, rename},
      {"RENAMENX", 3, true, 1, 2, 1, Shape::plain, rename},
  };
  return all;
}

}  // namespace interlock::harness
