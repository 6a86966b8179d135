#include "server/database.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace interlock::harness {
namespace {

constexpr std::array types{
    std::pair(DataType::string, std::string_view("string")),
    std::pair(DataType::list, std::string_view("list")),
    std::pair(DataType::set, std::string_view("set")),
    std::pair(DataType::hash, std::string_view("hash")),
    std::pair(DataType::sorted_set, std::string_view("zset")),
};

// Items are separated by spaces, so their own are escaped.
void add_escaped(std::string& text, const std::string& item) {
  if (item.empty()) text += "\\e";
  for (const char letter : item) {
    switch (letter) {
      case ' ':
        text += "\\s";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\\':
        text += "\\\\";
        break;
      default:
        text += letter;
    }
  }
}

std::string unescaped(std::string_view text) {
  std::string item;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      item += text[at];
      continue;
    }
    ++at;
    if (text[at] == 's') item += ' ';
    if (text[at] == 'n') item += '\n';
    if (text[at] == '\\') item += '\\';
  }
  return item;
}

Key watchers_of(const std::string& key) {
  return Key("(watchers of " + key + ")");
}

// `+` after a name: the key was there when the watch began.
constexpr char was_there = '+';

}  // namespace

std::string_view to_string(DataType type) noexcept {
  for (const auto& [one, word] : types) {
    if (one == type) return word;
  }
  return "string";
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    add_escaped(text, word);
  }
  return text;
}

Words split(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.push_back(unescaped(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string pack(DataType type, const Words& items) {
  const std::string text = joined(items);
  return std::string(to_string(type)) + (text.empty() ? "" : " ") + text;
}

std::optional<Data> unpack(const Entry& entry) {
  if (entry.is_string()) {
    Data data(DataType::string);
    data.items.push_back(entry.value);
    data.expiry = entry.expiry;
    return data;
  }
  std::string_view text = entry.value;
  const auto space = std::min(text.find(' '), text.size());
  const auto* const at = std::find_if(types.begin(), types.end(), [&](const auto& one) {
    return one.second == text.substr(0, space);
  });
  if (at == types.end()) return std::nullopt;
  Data data(at->first);
  data.expiry = entry.expiry;
  text.remove_prefix(std::min(space + 1, text.size()));
  data.items = split(text);
  return data;
}

std::optional<Data> TypedKeys::find(const std::string& key) {
  const auto entry = keys_.find(Key(key));
  if (!entry) return std::nullopt;
  return unpack(*entry);
}

void TypedKeys::put(const std::string& key, const Data& data) {
  if (data.type != DataType::string && data.items.empty()) return erase(key);
  touch(key);
  if (data.type == DataType::list || data.type == DataType::sorted_set) ready_.push_back(key);
  if (data.type == DataType::string) {
    return keys_.put(Key(key), Entry(data.items.front(), data.expiry));
  }
  Entry entry(pack(data.type, data.items), data.expiry);
  entry.type = Entry::Type::other;
  keys_.put(Key(key), std::move(entry));
}

void TypedKeys::erase(const std::string& key) {
  touch(key);
  keys_.erase(Key(key));
}

void TypedKeys::touch(const std::string& key) {
  const Key watchers = watchers_of(key);
  if (keys_.find(watchers)) keys_.erase(watchers);
}

std::vector<Words> TypedKeys::records(const std::string& name) {
  std::vector<Words> all;
  const auto entry = keys_.find(Key(name));
  if (!entry) return all;
  const Words items = unpack(*entry)->items;
  for (const std::string& item : items) all.push_back(split(item));
  return all;
}

void TypedKeys::put_records(const std::string& name, const std::vector<Words>& records) {
  if (records.empty()) {
    if (keys_.find(Key(name))) keys_.erase(Key(name));
    return;
  }
  Words items;
  for (const Words& record : records) items.push_back(joined(record));
  Entry packed(pack(DataType::list, items));
  packed.type = Entry::Type::other;
  keys_.put(Key(name), std::move(packed));
}

void TypedKeys::watch(const std::string& key, const std::string& watcher) {
  const Key watchers = watchers_of(key);
  const auto entry = keys_.find(watchers);
  Words names = entry ? unpack(*entry)->items : Words();
  const auto same = [&](const std::string& name) {
    return name == watcher || name == watcher + was_there;
  };
  if (std::any_of(names.begin(), names.end(), same)) return;
  names.push_back(keys_.find(Key(key)) ? watcher + was_there : watcher);
  Entry packed(pack(DataType::set, names));
  packed.type = Entry::Type::other;
  keys_.put(watchers, std::move(packed));
}

bool TypedKeys::is_watched(const std::string& key, const std::string& watcher) {
  const auto entry = keys_.find(watchers_of(key));
  if (!entry) return false;
  const Words names = unpack(*entry)->items;
  if (std::find(names.begin(), names.end(), watcher) != names.end()) return true;
  const bool was = std::find(names.begin(), names.end(), watcher + was_there) != names.end();
  // Its expiry counts as a change, too.
  return was && keys_.find(Key(key)).has_value();
}

void TypedKeys::unwatch(const std::string& key, const std::string& watcher) {
  const Key watchers = watchers_of(key);
  const auto entry = keys_.find(watchers);
  if (!entry) return;
  Words names = unpack(*entry)->items;
  std::erase_if(names, [&](const std::string& name) {
    return name == watcher || name == watcher + was_there;
  });
  if (names.empty()) return keys_.erase(watchers);
  Entry packed(pack(DataType::set, names));
  packed.type = Entry::Type::other;
  keys_.put(watchers, std::move(packed));
}

}  // namespace interlock::harness
