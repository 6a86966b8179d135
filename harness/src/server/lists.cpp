// Commands on lists. Those that block are in blocking.cpp.
#include <algorithm>
#include <cstdlib>

#include "server/command.hpp"

namespace interlock::harness {
namespace {

constexpr auto list_type = DataType::list;

// The list of a key; empty: there is none. An error: the key holds another type.
Result<Data> list_at(TypedKeys& database, const std::string& key) {
  auto data = database.find(key);
  if (!data) return Data(list_type);
  if (data->type != list_type) return wrong_type().error();
  return std::move(*data);
}

std::int64_t size_of(const Data& list) {
  return static_cast<std::int64_t>(list.items.size());
}

Reply push(TypedKeys& database, const Words& words) {
  const std::string name = in_capitals(words[0]);
  auto list = list_at(database, words[1]);
  if (!list) return list.error();
  if (name.ends_with('X') && list->items.empty()) return number(0);
  for (std::size_t at = 2; at < words.size(); ++at) {
    list->items.insert(name.starts_with('L') ? list->items.begin() : list->items.end(), words[at]);
  }
  database.put(words[1], *list);
  return number(size_of(*list));
}

Reply pop(TypedKeys& database, const Words& words) {
  const bool left = in_capitals(words[0]).starts_with('L');
  if (words.size() > 3) {
    return refuse(std::string("ERR wrong number of arguments for '") + (left ? "lpop" : "rpop") +
                  "' command");
  }
  const auto count = words.size() > 2 ? whole_number(words[2]) : 1;
  if (!count || *count < 0) return refuse("ERR value is out of range, must be positive");
  auto list = list_at(database, words[1]);
  if (!list) return list.error();
  if (list->items.empty()) return Value();
  if (*count == 0) return Value(std::vector<Value>());
  std::vector<Value> popped;
  while (static_cast<std::int64_t>(popped.size()) < *count && !list->items.empty()) {
    const auto at = left ? list->items.begin() : list->items.end() - 1;
    popped.push_back(text(*at));
    list->items.erase(at);
  }
  database.put(words[1], *list);
  return words.size() > 2 ? Value(std::move(popped)) : popped.front();
}

Reply llen(TypedKeys& database, const Words& words) {
  const auto list = list_at(database, words[1]);
  if (!list) return list.error();
  return number(size_of(*list));
}

// A range of indices as LRANGE has it: [first, last), within the list.
class IndexRange {
 public:
  IndexRange(std::int64_t from, std::int64_t to, std::int64_t size)
      : first(std::clamp<std::int64_t>(from < 0 ? size + from : from, 0, size)),
        last(std::clamp<std::int64_t>((to < 0 ? size + to : to) + 1, first, size)) {}
  std::int64_t first;
  std::int64_t last;
};

Reply lrange(TypedKeys& database, const Words& words) {
  const auto from = whole_number(words[2]);
  const auto to = whole_number(words[3]);
  if (!from || !to) return not_a_number();
  const auto list = list_at(database, words[1]);
  if (!list) return list.error();
  const IndexRange range(*from, *to, size_of(*list));
  std::vector<Value> some;
  for (std::int64_t at = range.first; at < range.last; ++at) {
    some.push_back(text(list->items[static_cast<std::size_t>(at)]));
  }
  return Value(std::move(some));
}

Reply ltrim(TypedKeys& database, const Words& words) {
  const auto from = whole_number(words[2]);
  const auto to = whole_number(words[3]);
  if (!from || !to) return not_a_number();
  auto list = list_at(database, words[1]);
  if (!list) return list.error();
  if (list->items.empty()) return ok();
  const IndexRange range(*from, *to, size_of(*list));
  list->items.erase(list->items.begin() + range.last, list->items.end());
  list->items.erase(list->items.begin(), list->items.begin() + range.first);
  database.put(words[1], *list);
  return ok();
}

Reply lindex(TypedKeys& database, const Words& words) {
  const auto list = list_at(database, words[1]);
  if (!list) return list.error();
  if (list->items.empty()) return Value();
  const auto index = whole_number(words[2]);
  if (!index) return not_a_number();
  const std::int64_t at = *index < 0 ? size_of(*list) + *index : *index;
  if (at < 0 || at >= size_of(*list)) return Value();
  return text(list->items[static_cast<std::size_t>(at)]);
}

Reply lset(TypedKeys& database, const Words& words) {
  auto list = list_at(database, words[1]);
  if (!list) return list.error();
  if (list->items.empty()) return refuse("ERR no such key");
  const auto index = whole_number(words[2]);
  if (!index) return not_a_number();
  const std::int64_t at = *index < 0 ? size_of(*list) + *index : *index;
  if (at < 0 || at >= size_of(*list)) return refuse("ERR index out of range");
  list->items[static_cast<std::size_t>(at)] = words[3];
  database.put(words[1], *list);
  return ok();
}

Reply lrem(TypedKeys& database, const Words& words) {
  const auto count = whole_number(words[2]);
  if (!count) return not_a_number();
  auto list = list_at(database, words[1]);
  if (!list) return list.error();
  const std::int64_t most = *count == 0 ? size_of(*list) : std::abs(*count);
  Words& items = list->items;
  if (*count < 0) std::reverse(items.begin(), items.end());
  std::int64_t removed = 0;
  std::erase_if(items, [&](const std::string& item) {
    const bool goes = item == words[3] && removed < most;
    removed += goes ? 1 : 0;
    return goes;
  });
  if (*count < 0) std::reverse(items.begin(), items.end());
  if (removed > 0) database.put(words[1], *list);
  return number(removed);
}

Reply linsert(TypedKeys& database, const Words& words) {
  const std::string where = in_capitals(words[2]);
  if (where != "BEFORE" && where != "AFTER") return syntax_error();
  auto list = list_at(database, words[1]);
  if (!list) return list.error();
  if (list->items.empty()) return number(0);
  auto at = std::find(list->items.begin(), list->items.end(), words[3]);
  if (at == list->items.end()) return number(-1);
  list->items.insert(where == "AFTER" ? at + 1 : at, words[4]);
  database.put(words[1], *list);
  return number(size_of(*list));
}

Reply move(
    TypedKeys& database, const std::string& from, const std::string& to, bool left, bool to_left) {
  auto source = list_at(database, from);
  if (!source) return source.error();
  if (source->items.empty()) return Value();
  auto target = list_at(database, to);
  if (!target) return target.error();
  const auto at = left ? source->items.begin() : source->items.end() - 1;
  const std::string item = *at;
  source->items.erase(at);
  Data& into = from == to ? *source : *target;
  into.items.insert(to_left ? into.items.begin() : into.items.end(), item);
  if (from != to) database.put(from, *source);
  database.put(to, into);
  return text(item);
}

Reply rpoplpush(TypedKeys& database, const Words& words) {
  return move(database, words[1], words[2], false, true);
}

Reply lmove(TypedKeys& database, const Words& words) {
  const std::string from = in_capitals(words[3]);
  const std::string to = in_capitals(words[4]);
  const bool sides = (from == "LEFT" || from == "RIGHT") && (to == "LEFT" || to == "RIGHT");
  if (!sides) return syntax_error();
  return move(database, words[1], words[2], from == "LEFT", to == "LEFT");
}

}  // namespace

const std::vector<ServerCommand>& list_commands() {
  static const std::vector<ServerCommand> all{
      {"LPUSH", -3, true, 1, 1, 1, Shape::plain, push},
      {"RPUSH", -3, true, 1, 1, 1, Shape::plain, push},
      {"LPUSHX", -3, true, 1, 1, 1, Shape::plain, push},
      {"RPUSHX", -3, true, 1, 1, 1, Shape::plain, push},
      {"LPOP", -2, true, 1, 1, 1, Shape::plain, pop},
      {"RPOP", -2, true, 1, 1, 1, Shape::plain, pop},
      {"LLEN", 2, false, 1, 1, 1, Shape::plain, llen},
      {"LRANGE", 4, false, 1, 1, 1, Shape::plain, lrange},
      {"LTRIM", 4, true, 1, 1, 1, Shape::status, ltrim},
      {"LINDEX", 3, false, 1, 1, 1, Shape::plain, lindex},
      {"LSET", 4, true, 1, 1, 1, Shape::status, lset},
      {"LREM", 4, true, 1, 1, 1, Shape::plain, lrem},
      {"LINSERT", 5, true, 1, 1, 1, Shape::plain, linsert},
      {"RPOPLPUSH", 3, true, 1, 2, 1, Shape::plain, rpoplpush},
      {"LMOVE", 5, true, 1, 2, 1, Shape::plain, lmove},
  };
  return all;
}

}  // namespace interlock::harness
