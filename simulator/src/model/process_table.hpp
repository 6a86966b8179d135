// All that belongs to one process, as one number: its local state, answers that have not reached it
// yet, requests and writes that it left behind, its subscriptions. With what it can do next, ready
// to be used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/flat_map.hpp"
#include "base/widths.hpp"
#include "interlock/sim/scenario.hpp"
#include "model/shared.hpp"
#include "process/automaton.hpp"
#include "process/local_classes.hpp"

namespace interlock::sim {

// The row of instants that all clocks count by. A clock's reading is `instant` steps from `first`.
class Instants {
 public:
  Instants(Duration first, Duration apart) : first_(first), apart_(apart) {}
  // The instants of a scenario. Where time has no end, the present is always instant 0, and so late
  // that no clock has shown anything negative before it.
  static Instants of(const Scenario& scenario) {
    constexpr int present = 4096;
    const Duration past = scenario.endless() ? scenario.apart() * present : Duration{0};
    return {scenario.first() + past, scenario.apart()};
  }
  TimePoint local(std::int64_t instant) const { return TimePoint(first_ + apart_ * instant); }
  StoreTime store(std::int64_t instant) const { return StoreTime(first_ + apart_ * instant); }
  // The first instant that is not before `time`; `never` if that is too far away to come.
  static constexpr std::int32_t never = 0x7fff;
  std::int32_t at_or_after(TimePoint time) const;
  // A time that is farther away than any lease means "for ever", as TimePoint::max() does.
  bool is_for_ever(TimePoint time) const {
    return time > TimePoint::max() - century || time - TimePoint(first_) > century;
  }

 private:
  Duration first_;
  Duration apart_;
};

// The reading of a server's clock: an instant and some milliseconds.
class ServerTicks {
 public:
  static std::int32_t at(std::int32_t instant, std::int32_t more) {
    return instant * per_instant + std::min(more, per_instant - 1);
  }
  static StoreTime time(const Instants& instants, std::int32_t ticks) {
    const std::int32_t more = ticks & (per_instant - 1);
    return instants.store((ticks - more) / per_instant) + milliseconds(more);
  }

 private:
  static constexpr std::int32_t per_instant = 8;
};

// By how many instants a process's clocks are set.
class ClockInstants {
 public:
  std::int32_t monotonic = 0;
  std::int32_t wall = 0;
  std::uint32_t key() const {
    return (static_cast<std::uint32_t>(monotonic + 0x4000) << 16) |
           static_cast<std::uint32_t>(wall + 0x4000);
  }
};

enum class TaskMoveKind : std::uint8_t {
  start,
  operation,
  subscribe,
  unsubscribe,
  message,
  refused_message,  // on a subscription that is not there, or has ended
  sleep,
  deliver,
  leave,
  write,
  late,  // a request, or a write, that was left behind
};

class TaskMove {
 public:
  TaskMoveKind kind;
  std::uint8_t slot;  // of late: which of the requests left behind
  std::uint8_t server;
  bool wall;         // of sleep
  bool pending;      // of message: one is there
  std::int32_t due;  // of sleep and message: the instant by the process's clock
  std::uint32_t wait;
  std::uint32_t channel;
  std::uint32_t text = 0;  // of message: the answer, if it is not only that there is one
  bool broken = false;     // of message: its connection broke, and the subscription may end with it
  bool awaits_break = false;  // of deliver: it is not possible before the connection breaks
};

class ProcessTable {
 public:
  using Config = std::uint32_t;

  // An event of a process other than an answer.
  enum class Edit : std::uint8_t {
    none,
    leave_behind,  // the request stays on its way although an answer is given
    subscribe,
    unsubscribe,
    take_message,
    deliver,      // the answer is the one that was held back
    await_break,  // the answer that was held back does not arrive before the connection breaks
    hear,         // a message was published on server `slot` `reply`, which is one of Messages
    crash,
    drop_late,  // request number `slot` has been applied
    reconnect,  // connections to server `slot` broke: what was left behind is lost, messages and
                // subscriptions may be
    restart,  // the client begins another life; `reply` says, bit by bit, which of the requests on
              // their way arrive later (requests_on_way())
  };

  class ProcessStep {
   public:
    Config config;
    std::uint32_t marks;
    std::uint32_t choices;  // a list of the vocabulary
  };
  class Results {
   public:
    std::uint32_t first = 0;
    std::uint16_t count = 0;
    bool reads_clock = false;
  };
  class ConfigInfo {
   public:
    std::uint32_t first_move = 0;
    std::uint8_t moves = 0;
    std::uint8_t waits = 0;  // tasks that wait for something
    bool finished = false;   // done or crashed
    bool crashed = false;
    bool not_started = false;
    bool awaits_message = false;  // waits for a message, and none is there
    bool subscribed = false;
    bool renamable = false;  // remembers other clients
  };

  ProcessTable(Automaton& automaton, EngineShared& shared);

  static constexpr Config initial = 0;
  const ConfigInfo& info(Config config) const { return infos_[config]; }
  const TaskMove& move(std::uint32_t index) const { return moves_[index]; }
  const ProcessStep& result(std::uint32_t index) const { return results_[index]; }

  // Gives `reply` to `slot`, or holds it back for later.
  Results step(Config config,
               Edit edit,
               std::uint8_t slot,
               std::uint32_t reply,
               ClockInstants now,
               bool hold) {
    const auto how = static_cast<std::uint64_t>(edit) * 2 + (hold ? 1 : 0);
    // 23 bits (Widths::configs), 5, 4 (slots, and Widths::late_requests) and 32.
    const std::uint64_t key =
        std::uint64_t{config} << 41 | how << 36 | std::uint64_t{slot} << 32 | reply;
    if (const std::uint32_t* known = known_.find(key)) {
      if (!steps_[*known].reads_clock) return taken(*known);
      const std::uint64_t timed = std::uint64_t{*known} << 32 | now.key();
      if (const std::uint32_t* at = timed_.find(timed)) return taken(*at);
    }
    return learn(key, config, edit, slot, reply, now, hold);
  }

  // A step that was asked for since the table was made, or since forget_taken().
  class TakenStep {
   public:
    Config before = 0;
    Edit edit = Edit::none;
    std::uint8_t slot = 0;
    std::uint32_t reply = 0;
    bool hold = false;
    Results results;
  };
  // Calls visit(step) for each of them, in the order in which the table learned them.
  template <class Visit>
  void each_taken(Visit visit) const {
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      if (!is_taken_[at]) continue;
      const std::uint64_t key = keys_[at];
      const auto how = static_cast<std::uint32_t>(key >> 36 & 31);
      visit(TakenStep{static_cast<Config>(key >> 41), static_cast<Edit>(how / 2),
                      static_cast<std::uint8_t>(key >> 32 & 15), static_cast<std::uint32_t>(key),
                      how % 2 != 0, steps_[at]});
    }
  }
  // For a search that begins again, with what the table has learned.
  void forget_taken() { is_taken_.assign(is_taken_.size(), false); }

  Config rename(Config config, const Permutation& permutation);
  // The config one instant later, where time has no end.
  Config aged(Config config);

  // Whether a message wait of the config ends within `within` by the process's clock.
  bool message_due_within(Config config, ClockInstants now, std::int32_t within) const;

  std::int64_t next_subscription(Config config) const {
    return static_cast<std::int64_t>(contents_[config].subscriptions.size());
  }
  const Instants& instants() const { return instants_; }
  const Wait& wait(std::uint32_t id) const { return automaton_.wait(id); }
  std::uint32_t wait_count() const { return automaton_.wait_count(); }
  // From here on local states of one class are one. The table has learned nothing yet.
  void merge(std::unique_ptr<LocalClasses> classes) { classes_ = std::move(classes); }
  std::uint32_t merged_local_states() const { return classes_ != nullptr ? classes_->count() : 0; }
  bool is_merge_refuted() const { return classes_ != nullptr && classes_->is_refuted(); }
  Automaton& automaton() { return automaton_; }
  const Automaton& automaton() const { return automaton_; }
  Automaton::Local local(Config config) const { return contents_[config].local; }
  // How often the client has restarted.
  Life life(Config config) const { return contents_[config].life; }
  // The requests that may still arrive if the client crashes: those for whose answers its tasks
  // wait and that have not been carried out, by slot, then those that it left behind.
  std::vector<std::uint32_t> requests_on_way(Config config) const {
    return requests_on_way(contents_[config]);
  }
  // How many of them its tasks wait for.
  std::size_t requests_awaited(Config config) const {
    return requests_on_way(config).size() - contents_[config].late.size();
  }
  // For a move that is not possible now: whether it stays impossible, however much time passes.
  bool waits_for_ever(const TaskMove& move) const;
  // Whether the process waits for a message in some config.
  bool waits_for_messages() const {
    return std::any_of(infos_.begin(), infos_.end(),
                       [](const ConfigInfo& info) { return info.awaits_message; });
  }
  // Whether it waits for a message in this config, even if the message has come.
  bool waits_for_message(Config config) const;
  // Whether the process ends in some config without a crash.
  bool ends() const {
    return std::any_of(infos_.begin(), infos_.end(),
                       [](const ConfigInfo& info) { return info.finished && !info.crashed; });
  }
  // How many open subscriptions to the server's channel there are.
  std::int64_t listeners(Config config, std::size_t server, std::uint32_t channel) const;
  // Whether a client has an open subscription when a request of it has been executed, and the
  // answer has not come.
  bool listens_after(Config config, Edit edit, std::uint8_t slot) const;
  // The reply that the store has given, and that the client has not yet received.
  std::uint32_t held_reply(Config config, std::uint8_t slot) const;
  std::uint32_t size() const { return contents_.size(); }

 private:
  class Held {
   public:
    std::uint8_t slot;
    std::uint32_t reply;
    bool awaits_break = false;
  };
  class Subscription {
   public:
    std::uint8_t server;
    std::uint32_t channel;
    bool open;
    bool pending;
    bool broken = false;  // its connection broke, and the client has not been told
    bool wants_texts = false;
    std::uint32_t text = 0;  // of the last message, as a reply; 0: it is not wanted, or not known
  };
  class ProcessContent {
   public:
    Automaton::Local local = Automaton::not_started;
    bool crashed = false;
    Life life = 0;
    std::vector<Held> held;
    std::vector<std::uint32_t> late;  // wait numbers: of requests and of writes
    std::vector<Subscription> subscriptions;
  };

  const Results& taken(std::uint32_t step) {
    is_taken_[step] = true;
    return steps_[step];
  }
  Results learn(std::uint64_t key,
                Config config,
                Edit edit,
                std::uint8_t slot,
                std::uint32_t reply,
                ClockInstants now,
                bool hold);
  Results compute(Config config,
                  Edit edit,
                  std::uint8_t slot,
                  std::uint32_t reply,
                  ClockInstants now,
                  bool hold);
  bool has_step(const ProcessContent& content, Edit edit, std::uint8_t slot) const;
  Results only(ProcessStep result);
  std::vector<std::uint32_t> requests_on_way(const ProcessContent& content) const;
  ProcessContent reborn(const ProcessContent& content, std::uint32_t arrive);
  void edit_content(ProcessContent& content, Edit edit, std::uint8_t slot, std::uint32_t& reply);
  Config intern(ProcessContent content);
  void describe_moves(Config config);
  void add_waiting_move(const ProcessContent& content, std::uint8_t slot, std::uint32_t wait);

  Instants instants_;
  Vocabulary& vocabulary_;
  Interner<std::string>& channels_;
  const Messages& messages_;
  Capacity& capacity_;
  Automaton& automaton_;
  Interner<ProcessContent> contents_;
  std::vector<ConfigInfo> infos_;
  std::vector<TaskMove> moves_;
  std::vector<ProcessStep> results_;
  std::vector<Results> steps_;
  std::vector<std::uint64_t> keys_;  // of `steps_`
  std::vector<bool> is_taken_;       // of `steps_`
  FlatMap<> known_;
  FlatMap<> timed_;
  FlatMap<> aged_;
  std::unique_ptr<LocalClasses> classes_;  // null: they are not merged
};

}  // namespace interlock::sim
