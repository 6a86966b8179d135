// What the properties must remember of the past, as one number: which clients are inside which
// sections, which fencing tokens were granted and seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/flat_map.hpp"
#include "base/names.hpp"
#include "interlock/sim/scenario.hpp"
#include "model/beliefs.hpp"
#include "model/object_history.hpp"
#include "model/shared.hpp"
#include "process/live_process.hpp"

namespace interlock::sim {

enum class MonitorEventKind : std::uint8_t {
  enter,
  believes_until,
  leave,
  wants,
  gives_up,
  write,
  grant,
  removed,  // an operation took the key away; expiry and faults do not come here
  stored,   // the key is there again
  crash,
  restart,  // the client has crashed and begins again
  told,     // an event was reported: Happenings::note_event(); `fencing` is 1 if it has happened
  ghost,    // a ghost variable of the client is set, to the value in `fencing`
  queued,   // the client waits for its turn; `fencing` is the life in which it asked for it
  granted,  // to the client whose number is in `fencing`, above its life
  gave_up,  // the client has nothing to do with the lock any more; `fencing` as for `queued`
  invokes,  // the client calls an operation on an object
  returns,
  leaves_open,
};

class MonitorEvent {
 public:
  MonitorEventKind kind;
  std::string subject;
  std::uint64_t fencing;
  std::int32_t until = 0;  // of believes_until: an instant of the client's own clock
  bool by_wall_clock = false;
  std::string operation{};               // of invokes
  std::optional<std::int64_t> number{};  // of invokes the argument, of returns the result
};

class MonitorTable {
 public:
  using Monitor = std::uint32_t;
  static constexpr Monitor initial = 0;

  class Reaction {
   public:
    Monitor next = 0;
    std::uint16_t violation = 0;  // of the property with this number, counted from 1
    bool accepted = true;         // of a write
  };
  class Lock {
   public:
    std::string name;
    std::uint32_t inside = 0;   // one bit for each client
    std::uint32_t waiting = 0;  // the same; only if a property or a predicate may ask for it
    Beliefs beliefs;            // of those inside; only if a property asks for it
    std::uint64_t granted = 0;
    bool released = false;
    std::vector<std::uint8_t> line;  // clients that wait for their turn, first come first
    std::uint32_t had_turn = 0;      // one bit for each client
  };
  class Resource {
   public:
    std::string name;
    std::uint64_t greatest = 0;
    int writer = -1;
  };

  // A ghost variable.
  class Ghost {
   public:
    std::string name;
    std::size_t client = 0;
    std::int64_t value = 0;
  };

  explicit MonitorTable(EngineShared& shared);

  std::uint32_t add_cause(std::vector<MonitorEvent> events);
  std::uint32_t add_cause(const std::vector<Mark>& marks);

  const Reaction& apply(Monitor monitor, std::uint32_t cause, std::size_t client) {
    const std::uint64_t key =
        std::uint64_t{monitor} << 32 | std::uint64_t{cause} << 4 | std::uint64_t{client};
    if (const std::uint32_t* known = known_.find(key)) return steps_[*known];
    return learn(key, monitor, cause, client);
  }

  // Whether some property depends on when clients stop believing that they hold a lock. Then
  // settle() and aged() belong to every step that moves clocks or the monitor.
  bool beliefs_end() const { return beliefs_end_; }
  // Whether the client's belief that it holds a lock ends earlier afterwards.
  bool ends_belief(Monitor monitor, std::uint32_t cause, std::size_t client) {
    return beliefs_end_ && cause != 0 && ends_some_belief(monitor, cause, client);
  }
  // Applies what follows from the present readings of the clocks.
  Reaction settle(Monitor monitor, const ClocksOfAll& clocks);
  // The monitor one instant later, where time has no end.
  Monitor aged(Monitor monitor);
  // Whether some property is about the histories of objects. Then begin_calls() belongs to every
  // step of a client, and begin_all_calls() to every step of time.
  bool has_histories() const { return has_histories_; }
  // What the client has called before its present step begins with that step: PendingCall.
  Monitor begin_calls(Monitor monitor, std::size_t client);
  Monitor begin_all_calls(Monitor monitor);
  // The clients that believe that they hold the lock, one bit for each. For mutual_exclusion() the
  // end of a belief does not matter.
  std::uint32_t believers(const Lock& lock) const {
    return shows_end(lock) ? lock.beliefs.now() : lock.inside;
  }
  // Whether more time would end a belief, and a predicate might see that.
  bool awaits_end(Monitor monitor) const {
    for (const Lock& lock : contents_[monitor].locks) {
      if (predicates_may_look_ && shows_end(lock) && lock.beliefs.one_will_end()) return true;
    }
    return false;
  }

  Monitor rename(Monitor monitor, const Permutation& permutation);

  const std::vector<Lock>& locks(Monitor monitor) const { return contents_[monitor].locks; }
  const std::vector<Resource>& resources(Monitor monitor) const {
    return contents_[monitor].resources;
  }
  const std::vector<Ghost>& ghosts(Monitor monitor) const { return contents_[monitor].ghosts; }
  const std::vector<ObjectHistory>& histories(Monitor monitor) const {
    return contents_[monitor].histories;
  }
  // Whether a change of names would change it.
  bool names_clients(Monitor monitor) const { return named_[monitor]; }
  std::uint32_t size() const { return contents_.size(); }

 private:
  class MonitorContent {
   public:
    std::vector<Lock> locks;               // by name
    std::vector<Resource> resources;       // by name
    std::vector<Ghost> ghosts;             // by client, then by name
    std::vector<ObjectHistory> histories;  // by name
    Lives lives{};                         // only if a property asks for them
  };

  const Reaction& learn(std::uint64_t key,
                        Monitor monitor,
                        std::uint32_t cause,
                        std::size_t client);
  void happen(MonitorContent& content,
              const MonitorEvent& event,
              std::size_t client,
              Reaction& step);
  bool ends_some_belief(Monitor monitor, std::uint32_t cause, std::size_t client);
  bool shows_end(const Lock& lock) const {
    return has(PropertyKind::lease_exclusion, lock.name) &&
           !has(PropertyKind::mutual_exclusion, lock.name);
  }
  bool may_be_ghost(const Lock& lock, std::size_t client, std::size_t offers) const;
  void crash(MonitorContent& content, std::size_t client) const;
  void serve(Lock& lock, std::size_t client, Reaction& step) const;
  void write(MonitorContent& content,
             const MonitorEvent& event,
             std::size_t client,
             Reaction& step);
  bool has_unbegun_call(Monitor monitor, std::size_t client) const;
  ObjectHistory& history_of(MonitorContent& content, const Property& property) const;
  void call(MonitorContent& content, const MonitorEvent& event, std::size_t client, Reaction& step);
  void violate(Reaction& step, PropertyKind kind, const std::string& subject) const;
  // Null: no such property is required.
  const Property* find(PropertyKind kind, const std::string& subject) const;
  bool has(PropertyKind kind, const std::string& subject) const {
    return find(kind, subject) != nullptr;
  }
  void note_length(const std::string& lock, std::int32_t instants);
  Monitor intern(MonitorContent content);

  const Scenario& scenario_;
  const bool predicates_may_look_;  // at everything that a Snapshot shows
  Capacity& capacity_;
  Happenings& happenings_;
  Longest& longest_;
  Specifications& specifications_;
  bool beliefs_end_;
  bool has_histories_;
  bool has_queues_;
  Beliefs::Setback setback_;
  Interner<MonitorContent> contents_;
  std::vector<bool> named_;
  std::size_t size_of_histories_ = 0;
  Interner<std::vector<MonitorEvent>> causes_;
  std::vector<Reaction> steps_;
  FlatMap<> known_;
};

}  // namespace interlock::sim
