// What an operation does to a server, once: for store_table.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interlock/store/keyspace.hpp"

namespace interlock::sim {

// Core's keyspace, which also records what an operation reads and publishes.
class RecordingKeyspace final : public MemoryKeyspace {
 public:
  StoreTime now() const override {
    read_clock_ = true;
    return MemoryKeyspace::now();
  }
  std::optional<Entry> find(const Key& key) override {
    const auto at = entries().find(key);
    if (at != entries().end() && at->second.expiry) read_clock_ = true;
    return MemoryKeyspace::find(key);
  }
  void put(const Key& key, Entry entry) override {
    written_.insert(key);
    MemoryKeyspace::put(key, std::move(entry));
  }
  std::int64_t publish(const Channel& channel, const std::string& text) override {
    published_.emplace_back(channel, text);
    return 0;  // how many there are is not known here: knows_listeners() says so
  }

  std::string incarnation() override {
    if (!incarnation_) incarnation_ = 0;
    return "i" + std::to_string(*incarnation_);
  }

  void is_in(std::optional<std::uint32_t> incarnation) { incarnation_ = incarnation; }
  // None: nobody has read it yet.
  std::optional<std::uint32_t> known_incarnation() const { return incarnation_; }
  bool read_clock() const { return read_clock_; }
  const std::vector<std::pair<Channel, std::string>>& published() const { return published_; }
  // The keys that the operation has written; has() puts in what was there before.
  const std::set<Key>& written() const { return written_; }
  void has(const Key& key, Entry entry) { MemoryKeyspace::put(key, std::move(entry)); }

 private:
  mutable bool read_clock_ = false;
  std::optional<std::uint32_t> incarnation_;
  std::vector<std::pair<Channel, std::string>> published_;
  std::set<Key> written_;
};

}  // namespace interlock::sim
