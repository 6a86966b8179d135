// Commands on sets. Members stay in the order in which they came: Redis promises none.
#include <algorithm>

#include "server/command.hpp"

namespace interlock::harness {
namespace {

constexpr auto set_type = DataType::set;

Result<Data> set_at(TypedKeys& database, const std::string& key) {
  auto data = database.find(key);
  if (!data) return Data(set_type);
  if (data->type != set_type) return wrong_type().error();
  return std::move(*data);
}

bool has(const Data& set, const std::string& member) {
  return std::find(set.items.begin(), set.items.end(), member) != set.items.end();
}

Reply sadd(TypedKeys& database, const Words& words) {
  auto set = set_at(database, words[1]);
  if (!set) return set.error();
  std::int64_t added = 0;
  for (std::size_t at = 2; at < words.size(); ++at) {
    if (has(*set, words[at])) continue;
    set->items.push_back(words[at]);
    ++added;
  }
  if (added > 0) database.put(words[1], *set);
  return number(added);
}

Reply srem(TypedKeys& database, const Words& words) {
  auto set = set_at(database, words[1]);
  if (!set) return set.error();
  std::int64_t removed = 0;
  for (std::size_t at = 2; at < words.size(); ++at) {
    removed += static_cast<std::int64_t>(std::erase(set->items, words[at]));
  }
  if (removed > 0) database.put(words[1], *set);
  return number(removed);
}

Reply sismember(TypedKeys& database, const Words& words) {
  const auto set = set_at(database, words[1]);
  if (!set) return set.error();
  return number(has(*set, words[2]) ? 1 : 0);
}

Reply smismember(TypedKeys& database, const Words& words) {
  const auto set = set_at(database, words[1]);
  if (!set) return set.error();
  std::vector<Value> all;
  for (std::size_t at = 2; at < words.size(); ++at) all.push_back(number(has(*set, words[at])));
  return Value(std::move(all));
}

Reply scard(TypedKeys& database, const Words& words) {
  const auto set = set_at(database, words[1]);
  if (!set) return set.error();
  return number(static_cast<std::int64_t>(set->items.size()));
}

Reply smembers(TypedKeys& database, const Words& words) {
  const auto set = set_at(database, words[1]);
  if (!set) return set.error();
  std::vector<Value> all;
  for (const std::string& member : set->items) all.push_back(text(member));
  return Value(std::move(all));
}

}  // namespace

const std::vector<ServerCommand>& set_commands() {
  static const std::vector<ServerCommand> all{
      {"SADD", -3, true, 1, 1, 1, Shape::plain, sadd},
      {"SREM", -3, true, 1, 1, 1, Shape::plain, srem},
      {"SISMEMBER", 3, false, 1, 1, 1, Shape::plain, sismember},
      {"SMISMEMBER", -3, false, 1, 1, 1, Shape::plain, smismember},
      {"SCARD", 2, false, 1, 1, 1, Shape::plain, scard},
      {"SMEMBERS", 2, false, 1, 1, 1, Shape::set, smembers},
  };
  return all;
}

}  // namespace interlock::harness
