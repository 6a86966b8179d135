// Commands on plain strings.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <optional>

#include "server/command.hpp"

namespace interlock::harness {
namespace {

constexpr auto string_type = DataType::string;

Data string_of(std::string value, std::optional<milliseconds> expiry = {}) {
  Data data(string_type);
  data.items.push_back(std::move(value));
  data.expiry = expiry;
  return data;
}

// What SET and GETEX say about the end of a key.
class Lifetime {
 public:
  bool keep = false;
  bool persist = false;
  std::optional<milliseconds> until;
};

constexpr std::int64_t time_max = INT64_C(9223372036854775807);

Reply invalid_expire(const Words& words) {
  std::string name = words.front();
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
  return refuse("ERR invalid expire time in '" + name + "' command");
}

// EX, PX, EXAT or PXAT with this number. An error: the reply.
Result<milliseconds> end_of(TypedKeys& database,
                            const Words& words,
                            const std::string& unit,
                            const std::string& word) {
  const auto given = whole_number(word);
  if (!given) return not_a_number().error();
  const bool seconds = unit == "EX" || unit == "EXAT";
  const bool relative = unit == "EX" || unit == "PX";
  const std::int64_t most =
      (relative ? time_max - database.now_ms().count() : time_max) / (seconds ? 1000 : 1);
  if (*given <= 0 || *given > most) return invalid_expire(words).error();
  const milliseconds length(*given * (seconds ? 1000 : 1));
  return relative ? database.now_ms() + length : length;
}

bool is_unit(const std::string& option) {
  return option == "EX" || option == "PX" || option == "EXAT" || option == "PXAT";
}

Reply get(TypedKeys& database, const Words& words) {
  const auto data = database.find(words[1]);
  if (!data) return Value();
  if (data->type != string_type) return wrong_type();
  return text(data->items.front());
}

Reply set(TypedKeys& database, const Words& words) {
  bool nx = false;
  bool xx = false;
  bool gives = false;
  Lifetime life;
  for (std::size_t at = 3; at < words.size(); ++at) {
    const std::string option = in_capitals(words[at]);
    const bool timed = life.keep || life.until;
    if (option == "NX" && !xx) {
      nx = true;
    } else if (option == "XX" && !nx) {
      xx = true;
    } else if (option == "GET") {
      gives = true;
    } else if (option == "KEEPTTL" && !timed) {
      life.keep = true;
    } else if (is_unit(option) && at + 1 < words.size() && !timed) {
      const auto until = end_of(database, words, option, words[++at]);
      if (!until) return until.error();
      life.until = *until;
    } else {
      return syntax_error();
    }
  }
  const auto before = database.find(words[1]);
  if (gives && before && before->type != string_type) return wrong_type();
  const Value was = gives && before ? text(before->items.front()) : Value();
  if ((nx && before) || (xx && !before)) return was;
  database.put(words[1], string_of(words[2], life.keep && before ? before->expiry : life.until));
  return gives ? was : ok();
}

Reply setnx(TypedKeys& database, const Words& words) {
  if (database.find(words[1])) return number(0);
  database.put(words[1], string_of(words[2]));
  return number(1);
}

Reply set_for(TypedKeys& database, const Words& words) {
  const std::string unit = in_capitals(words[0]) == "SETEX" ? "EX" : "PX";
  const auto until = end_of(database, words, unit, words[2]);
  if (!until) return until.error();
  database.put(words[1], string_of(words[3], *until));
  return ok();
}

Reply getset(TypedKeys& database, const Words& words) {
  Reply before = get(database, words);
  if (before) database.put(words[1], string_of(words[2]));
  return before;
}

Reply getdel(TypedKeys& database, const Words& words) {
  Reply before = get(database, words);
  if (before && !before->is_nil()) database.erase(words[1]);
  return before;
}

Reply getex(TypedKeys& database, const Words& words) {
  bool persist = false;
  std::size_t end = 0;  // where its number stands
  for (std::size_t at = 2; at < words.size(); ++at) {
    const std::string option = in_capitals(words[at]);
    if (persist || end != 0) return syntax_error();
    if (option == "PERSIST") {
      persist = true;
    } else if (is_unit(option) && at + 1 < words.size()) {
      end = ++at;
    } else {
      return syntax_error();
    }
  }
  Reply value = get(database, words);
  if (!value || value->text() == nullptr || (!persist && end == 0)) return value;
  // Redis looks at the number only if there is such a key.
  std::optional<milliseconds> until;
  if (end != 0) {
    const auto found = end_of(database, words, in_capitals(words[end - 1]), words[end]);
    if (!found) return found.error();
    until = *found;
  }
  database.put(words[1], string_of(*value->text(), until));
  return value;
}

Reply mget(TypedKeys& database, const Words& words) {
  std::vector<Value> values;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto data = database.find(words[at]);
    values.push_back(data && data->type == string_type ? text(data->items.front()) : Value());
  }
  return Value(std::move(values));
}

Reply mset(TypedKeys& database, const Words& words) {
  const bool absent_only = in_capitals(words[0]) == "MSETNX";
  if (words.size() % 2 == 0) {
    return refuse(std::string("ERR wrong number of arguments for '") +
                  (absent_only ? "msetnx" : "mset") + "' command");
  }
  for (std::size_t at = 1; absent_only && at < words.size(); at += 2) {
    if (database.find(words[at])) return number(0);
  }
  for (std::size_t at = 1; at < words.size(); at += 2) {
    database.put(words[at], string_of(words[at + 1]));
  }
  return absent_only ? number(1) : ok();
}

Reply append(TypedKeys& database, const Words& words) {
  auto data = database.find(words[1]);
  if (data && data->type != string_type) return wrong_type();
  if (!data) data = string_of("");
  data->items.front() += words[2];
  database.put(words[1], *data);
  return number(static_cast<std::int64_t>(data->items.front().size()));
}

Reply strlen(TypedKeys& database, const Words& words) {
  Reply value = get(database, words);
  if (!value) return value;
  const std::string* const found = value->text();
  return number(found == nullptr ? 0 : static_cast<std::int64_t>(found->size()));
}

Reply getrange(TypedKeys& database, const Words& words) {
  const auto from = whole_number(words[2]);
  const auto to = whole_number(words[3]);
  if (!from || !to) return not_a_number();
  Reply value = get(database, words);
  if (!value) return value;
  const std::string all = value->text() == nullptr ? "" : *value->text();
  const auto size = static_cast<std::int64_t>(all.size());
  if (*from < 0 && *to < 0 && *from > *to) return text("");
  const std::int64_t first = std::max<std::int64_t>(0, *from < 0 ? size + *from : *from);
  std::int64_t last = std::max<std::int64_t>(0, *to < 0 ? size + *to : *to);
  last = std::min(last, size - 1);
  if (size == 0 || first > last) return text("");
  return text(
      all.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1)));
}

Reply add(TypedKeys& database, const std::string& key, std::int64_t by) {
  auto data = database.find(key);
  if (data && data->type != string_type) return wrong_type();
  if (!data) data = string_of("0");
  const auto value = whole_number(data->items.front());
  std::int64_t sum = 0;
  if (!value) return not_a_number();
  if (__builtin_add_overflow(*value, by, &sum)) {
    return refuse("ERR increment or decrement would overflow");
  }
  data->items.front() = std::to_string(sum);
  database.put(key, *data);
  return number(sum);
}

Reply incr(TypedKeys& database, const Words& words) {
  return add(database, words[1], 1);
}
Reply decr(TypedKeys& database, const Words& words) {
  return add(database, words[1], -1);
}
Reply incrby(TypedKeys& database, const Words& words) {
  const auto by = whole_number(words[2]);
  return by ? add(database, words[1], *by) : not_a_number();
}
Reply decrby(TypedKeys& database, const Words& words) {
  const auto by = whole_number(words[2]);
  if (!by) return not_a_number();
  if (*by == INT64_MIN) return refuse("ERR decrement would overflow");
  return add(database, words[1], -*by);
}

}  // namespace

const std::vector<ServerCommand>& string_commands() {
  static const std::vector<ServerCommand> all{
      {"GET", 2, false, 1, 1, 1, Shape::plain, get},
      {"SET", -3, true, 1, 1, 1, Shape::status, set},
      {"SETNX", 3, true, 1, 1, 1, Shape::plain, setnx},
      {"SETEX", 4, true, 1, 1, 1, Shape::status, set_for},
      {"PSETEX", 4, true, 1, 1, 1, Shape::status, set_for},
      {"GETSET", 3, true, 1, 1, 1, Shape::plain, getset},
      {"GETDEL", 2, true, 1, 1, 1, Shape::plain, getdel},
      {"GETEX", -2, true, 1, 1, 1, Shape::plain, getex},
      {"MGET", -2, false, 1, -1, 1, Shape::plain, mget},
      {"MSET", -3, true, 1, -1, 2, Shape::status, mset},
      {"MSETNX", -3, true, 1, -1, 2, Shape::plain, mset},
      {"APPEND", 3, true, 1, 1, 1, Shape::plain, append},
      {"STRLEN", 2, false, 1, 1, 1, Shape::plain, strlen},
      {"GETRANGE", 4, false, 1, 1, 1, Shape::plain, getrange},
      {"INCR", 2, true, 1, 1, 1, Shape::plain, incr},
      {"DECR", 2, true, 1, 1, 1, Shape::plain, decr},
      {"INCRBY", 3, true, 1, 1, 1, Shape::plain, incrby},
      {"DECRBY", 3, true, 1, 1, 1, Shape::plain, decrby},
  };
  return all;
}

}  // namespace interlock::harness
