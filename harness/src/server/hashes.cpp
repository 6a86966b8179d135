// Commands on hashes. Fields stay in the order in which they came, as in Redis' small hashes.
#include "server/command.hpp"

namespace interlock::harness {
namespace {

constexpr auto hash_type = DataType::hash;

Result<Data> hash_at(TypedKeys& database, const std::string& key) {
  auto data = database.find(key);
  if (!data) return Data(hash_type);
  if (data->type != hash_type) return wrong_type().error();
  return std::move(*data);
}

// Null: no such field.
std::string* value_in(Data& hash, const std::string& field) {
  for (std::size_t at = 0; at + 1 < hash.items.size(); at += 2) {
    if (hash.items[at] == field) return &hash.items[at + 1];
  }
  return nullptr;
}

// Whether the field is new.
bool assign(Data& hash, const std::string& field, const std::string& value) {
  if (std::string* const found = value_in(hash, field)) {
    *found = value;
    return false;
  }
  hash.items.push_back(field);
  hash.items.push_back(value);
  return true;
}

Reply hset(TypedKeys& database, const Words& words) {
  const bool says_how_many = in_capitals(words[0]) == "HSET";
  if (words.size() % 2 != 0) {
    return refuse(std::string("ERR wrong number of arguments for '") +
                  (says_how_many ? "hset" : "hmset") + "' command");
  }
  auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  std::int64_t added = 0;
  for (std::size_t at = 2; at < words.size(); at += 2) {
    added += assign(*hash, words[at], words[at + 1]) ? 1 : 0;
  }
  database.put(words[1], *hash);
  return says_how_many ? number(added) : ok();
}

Reply hsetnx(TypedKeys& database, const Words& words) {
  auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  if (value_in(*hash, words[2]) != nullptr) return number(0);
  assign(*hash, words[2], words[3]);
  database.put(words[1], *hash);
  return number(1);
}

Reply hget(TypedKeys& database, const Words& words) {
  auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  const std::string* const value = value_in(*hash, words[2]);
  return value == nullptr ? Value() : text(*value);
}

Reply hmget(TypedKeys& database, const Words& words) {
  auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  std::vector<Value> values;
  for (std::size_t at = 2; at < words.size(); ++at) {
    const std::string* const value = value_in(*hash, words[at]);
    values.push_back(value == nullptr ? Value() : text(*value));
  }
  return Value(std::move(values));
}

Reply some_of(TypedKeys& database, const Words& words, bool fields, bool values) {
  auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  std::vector<Value> all;
  for (std::size_t at = 0; at + 1 < hash->items.size(); at += 2) {
    if (fields) all.push_back(text(hash->items[at]));
    if (values) all.push_back(text(hash->items[at + 1]));
  }
  return Value(std::move(all));
}
Reply hgetall(TypedKeys& database, const Words& words) {
  return some_of(database, words, true, true);
}
Reply hkeys(TypedKeys& database, const Words& words) {
  return some_of(database, words, true, false);
}
Reply hvals(TypedKeys& database, const Words& words) {
  return some_of(database, words, false, true);
}

Reply hdel(TypedKeys& database, const Words& words) {
  auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  std::int64_t removed = 0;
  for (std::size_t word = 2; word < words.size(); ++word) {
    for (std::size_t at = 0; at + 1 < hash->items.size(); at += 2) {
      if (hash->items[at] != words[word]) continue;
      const auto first = hash->items.begin() + static_cast<std::ptrdiff_t>(at);
      hash->items.erase(first, first + 2);
      ++removed;
      break;
    }
  }
  if (removed > 0) database.put(words[1], *hash);
  return number(removed);
}

Reply hexists(TypedKeys& database, const Words& words) {
  auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  return number(value_in(*hash, words[2]) != nullptr ? 1 : 0);
}

Reply hlen(TypedKeys& database, const Words& words) {
  const auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  return number(static_cast<std::int64_t>(hash->items.size() / 2));
}

Reply hincrby(TypedKeys& database, const Words& words) {
  const auto by = whole_number(words[3]);
  if (!by) return not_a_number();
  auto hash = hash_at(database, words[1]);
  if (!hash) return hash.error();
  const std::string* const found = value_in(*hash, words[2]);
  const auto value = whole_number(found == nullptr ? "0" : *found);
  if (!value) return refuse("ERR hash value is not an integer");
  std::int64_t sum = 0;
  if (__builtin_add_overflow(*value, *by, &sum)) {
    return refuse("ERR increment or decrement would overflow");
  }
  assign(*hash, words[2], std::to_string(sum));
  database.put(words[1], *hash);
  return number(sum);
}

}  // namespace

const std::vector<ServerCommand>& hash_commands() {
  static const std::vector<ServerCommand> all{
      {"HSET", -4, true, 1, 1, 1, Shape::plain, hset},
      {"HMSET", -4, true, 1, 1, 1, Shape::status, hset},
      {"HSETNX", 4, true, 1, 1, 1, Shape::plain, hsetnx},
      {"HGET", 3, false, 1, 1, 1, Shape::plain, hget},
      {"HMGET", -3, false, 1, 1, 1, Shape::plain, hmget},
      {"HGETALL", 2, false, 1, 1, 1, Shape::map, hgetall},
      {"HKEYS", 2, false, 1, 1, 1, Shape::plain, hkeys},
      {"HVALS", 2, false, 1, 1, 1, Shape::plain, hvals},
      {"HDEL", -3, true, 1, 1, 1, Shape::plain, hdel},
      {"HEXISTS", 3, false, 1, 1, 1, Shape::plain, hexists},
      {"HLEN", 2, false, 1, 1, 1, Shape::plain, hlen},
      {"HINCRBY", 4, true, 1, 1, 1, Shape::plain, hincrby},
  };
  return all;
}

}  // namespace interlock::harness
