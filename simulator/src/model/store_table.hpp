// The content of a server as one number, and what each operation does to it: core's own apply()
// runs once for each pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/flat_map.hpp"
#include "base/names.hpp"
#include "interlock/sim/scenario.hpp"
#include "interlock/store/keyspace.hpp"
#include "model/monitor.hpp"
#include "model/process_table.hpp"
#include "model/script_check.hpp"

namespace interlock::sim {

class StoreTable {
 public:
  using Store = std::uint32_t;
  static constexpr int nobody = -1;

  class Effect {
   public:
    Store next = 0;
    std::uint32_t reply = 0;
    std::uint32_t messages = 0;   // a list of numbers of Messages; 0 means none
    std::uint32_t cause = 0;      // what the monitor must know; 0 means nothing
    std::uint16_t violation = 0;  // of the property with this number, counted from 1
    bool reads_clock = false;
  };
  class Stored {
   public:
    Key key;
    Entry entry;
    int writer;
  };

  StoreTable(EngineShared& shared, MonitorTable& monitor);

  Store initial(std::size_t server);
  std::uint32_t add_operation(Operation operation);
  const Operation& operation(std::uint32_t id) const { return operations_[id]; }

  const Effect& apply(Store store, std::uint32_t operation, std::size_t client, std::int32_t now) {
    const std::uint64_t key =
        std::uint64_t{store} << 32 | std::uint64_t{operation} << 4 | std::uint64_t{client};
    if (const std::uint32_t* known = known_.find(key)) {
      const Effect& step = steps_[*known];
      if (!step.reads_clock) return step;
      const std::uint64_t timed = std::uint64_t{*known} << 32 | static_cast<std::uint32_t>(now);
      if (const std::uint32_t* at = timed_.find(timed)) return steps_[*at];
    }
    return learn(key, store, operation, client, now);
  }

  // Without what has expired by `now`.
  Store at_time(Store store, std::int32_t now);
  // The store one instant later, where time has no end: `now` is the present again.
  Store aged(Store store, std::int32_t now);
  Store rename(Store store, const Permutation& permutation);
  Store empty();
  // The stores that a replica may have: as this one was before its last change, before its last
  // two, and so on, up to as many as the scenario's replica misses. Only the store itself if the
  // replica misses nothing, or if there was no change.
  std::vector<Store> seen_by_replica(Store store);
  // The store that has these `data` after a restart or failover of a server that had `store`: in an
  // incarnation of its own.
  Store reborn(Store store, Store data);
  // What the monitor must know when a fault has put a key back.
  std::uint32_t cause_of_change(Store before, Store after);
  // Whether a change of names would change it.
  bool names_clients(Store store) const { return named_[store]; }
  std::size_t keys(Store store) const { return contents_[store].entries.size(); }
  Store evict(Store store, std::size_t key);
  bool has_key(Store store, const std::string& key) const {
    return contains(contents_[store], key);
  }
  // Whether some key will expire.
  bool expires(Store store) const {
    const std::vector<Stored>& all = contents_[store].entries;
    return std::any_of(all.begin(), all.end(),
                       [](const Stored& stored) { return stored.entry.expiry.has_value(); });
  }
  // Whether the key exists and will not expire.
  bool stays(Store store, const std::string& key) const;

  const std::vector<Stored>& entries(Store store) const { return contents_[store].entries; }
  const std::vector<std::uint32_t>& message_list(std::uint32_t id) const {
    return message_lists_[id];
  }
  std::uint32_t size() const { return contents_.size(); }
  const ScriptCheck& script_check() const { return script_check_; }

 private:
  static constexpr Store unknown = ~Store{0};
  class StoreContent {
   public:
    std::vector<Stored> entries;
    // Before the last change, in no incarnation, with what was before that. Only while failovers
    // are possible, and no further back than a replica may miss.
    Store before = unknown;
    // Counted from the first that a script has read, because nobody can tell those before it apart.
    std::optional<std::uint32_t> incarnation = std::nullopt;
  };

  Store shifted(Store store);
  void see_expiry(const Entry& entry, StoreTime now, const std::string& what);
  bool is_long_lived(const Entry& entry, StoreTime now) const;
  static bool contains(const StoreContent& content, const std::string& key);

  const Effect& learn(std::uint64_t key,
                      Store store,
                      std::uint32_t operation,
                      std::size_t client,
                      std::int32_t now);
  Effect compute(Store store, std::uint32_t operation, std::size_t client, std::int32_t now);
  // What an operation has done: the keys that it has put, be it with the same value.
  class Deed {
   public:
    const Operation& operation;
    const std::set<Key>& written;
    int client;
  };
  // Whether it has written a value, and not only changed how long the key lasts.
  static bool writes_value(const Deed& deed, const Key& key);
  std::uint16_t owner_violation(const StoreContent& before,
                                const StoreContent& after,
                                Deed deed) const;
  std::uint16_t release_violation(const StoreContent& after, const Operation& operation) const;
  std::uint32_t cause(const StoreContent& before,
                      const StoreContent& after,
                      const Operation& operation,
                      const Reply& reply,
                      std::size_t client);
  static void queue_events(const StoreContent& before,
                           const StoreContent& after,
                           const Operation& operation,
                           std::size_t client,
                           std::vector<MonitorEvent>& events);
  static const std::string* value_at(const StoreContent& content, const std::string& key);
  static bool grants(const StoreContent& before, const Operation& operation, const Reply& reply);
  // The content without its incarnation and with what was before it, no further back than `steps`.
  Store as_past(StoreContent content, std::size_t steps);
  Store intern(StoreContent content);

  const Scenario& scenario_;
  Instants instants_;
  Capacity& capacity_;
  Vocabulary& vocabulary_;
  Interner<std::string>& channels_;
  Messages& published_;
  MonitorTable& monitor_;
  Happenings& happenings_;
  Longest& longest_;
  ScriptCheck script_check_;
  bool keeps_writers_ = false;
  std::size_t changes_kept_ = 0;  // for a replica that misses them
  Interner<StoreContent> contents_;
  std::vector<bool> named_;
  Interner<Operation> operations_;
  Interner<std::vector<std::uint32_t>> message_lists_;
  std::vector<Effect> steps_;
  FlatMap<> known_;
  FlatMap<> timed_;
  FlatMap<> aged_;
  FlatMap<> shifted_;
};

}  // namespace interlock::sim
