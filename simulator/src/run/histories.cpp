#include "run/histories.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "interlock/sim/violation.hpp"

namespace interlock::sim {
namespace {

constexpr std::string_view fits_no_order = " fits no order of the operations";

std::string number_text(std::optional<std::int64_t> number) {
  return number ? std::to_string(*number) : "nothing";
}

std::string call_text(const std::string& operation, std::optional<std::int64_t> argument) {
  return operation + (argument ? "(" + std::to_string(*argument) + ")" : "");
}

// Follows the operations through one step.
class StepHistory {
 public:
  StepHistory(Engine& engine, const WideState& before, const WideState& after)
      : before_(engine.monitor().histories(before[engine.monitor_component()])),
        after_(engine.monitor().histories(after[engine.monitor_component()])) {
    for (const ObjectHistory& history : before_) {
      for (const PendingCall& call : history.pending) called(history.name, call);
    }
  }

  void read(const std::vector<Mark>& marks, std::size_t client, const Scenario& scenario) {
    for (const Mark& mark : marks) {
      const bool is_checked = std::any_of(
          scenario.properties().begin(), scenario.properties().end(), [&](const Property& one) {
            return one.kind == PropertyKind::linearizability && one.subject == mark.subject;
          });
      if (is_checked) read(mark, client);
    }
  }

  // A request of the client may arrive after it has crashed.
  void begin_all(std::size_t client) {
    for (FollowedCall& call : calls_) {
      if (!call.has_begun && call.event.client == client) begin(call);
    }
  }

  std::vector<HistoryEvent> events() {
    for (FollowedCall& call : calls_) {
      if (!call.has_begun && has_begun_after(call.event)) begin(call);
    }
    return std::move(events_);
  }

 private:
  class FollowedCall {
   public:
    HistoryEvent event;
    bool has_begun = false;
  };

  void called(const std::string& object, const PendingCall& pending) {
    FollowedCall call;
    call.event.client = pending.client;
    call.event.object = object;
    call.event.operation = pending.call.operation;
    call.event.number = pending.call.argument;
    call.has_begun = pending.has_begun;
    calls_.push_back(std::move(call));
  }

  void read(const Mark& mark, std::size_t client) {
    if (mark.kind == MarkKind::invokes) {
      PendingCall pending;
      pending.client = client;
      pending.call = OpenCall{mark.operation, mark.number};
      return called(mark.subject, pending);
    }
    if (mark.kind != MarkKind::returns && mark.kind != MarkKind::leaves_open) return;
    const auto at = std::find_if(calls_.begin(), calls_.end(), [&](const FollowedCall& call) {
      return call.event.client == client && call.event.object == mark.subject;
    });
    if (at == calls_.end()) return;
    if (!at->has_begun) begin(*at);
    HistoryEvent ends = at->event;
    ends.kind =
        mark.kind == MarkKind::returns ? HistoryEventKind::returns : HistoryEventKind::leaves_open;
    ends.number = mark.number;
    events_.push_back(std::move(ends));
    calls_.erase(at);
  }

  void begin(FollowedCall& call) {
    call.has_begun = true;
    events_.push_back(call.event);
  }

  bool has_begun_after(const HistoryEvent& event) const {
    return std::any_of(after_.begin(), after_.end(), [&event](const ObjectHistory& history) {
      const PendingCall* const call =
          history.name == event.object ? history.find(event.client) : nullptr;
      return call != nullptr && call->has_begun;
    });
  }

  // Copies: a table may grow.
  const std::vector<ObjectHistory> before_;
  const std::vector<ObjectHistory> after_;
  std::vector<FollowedCall> calls_;
  std::vector<HistoryEvent> events_;
};

// An operation of a run, as history_text() tells it.
class ToldCall {
 public:
  HistoryEvent begins;
  std::size_t first = 0;
  std::size_t last = 0;  // 0: it has not ended
  std::string result;
};

std::vector<ToldCall> calls_on(const Run& run, const std::string& object) {
  std::vector<ToldCall> calls;
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    for (const HistoryEvent& event : run.steps[at].history) {
      if (event.object != object) continue;
      if (event.kind == HistoryEventKind::invokes) {
        calls.push_back(ToldCall{event, at + 1, 0, {}});
        continue;
      }
      const auto call = std::find_if(calls.rbegin(), calls.rend(), [&event](const auto& one) {
        return one.begins.client == event.client;
      });
      if (call == calls.rend()) continue;
      call->last = at + 1;
      call->result =
          event.kind == HistoryEventKind::leaves_open ? "left open" : number_text(event.number);
    }
  }
  return calls;
}

std::string line_of(const Run& run, const ToldCall& call) {
  std::string line = "  " + run.clients[call.begins.client] + "  " +
                     call_text(call.begins.operation, call.begins.number);
  if (call.last == 0) {
    return line + " has not returned, from step " + std::to_string(call.first) + "\n";
  }
  line += " -> " + call.result;
  if (call.first == call.last) return line + ", step " + std::to_string(call.first) + "\n";
  return line + ", steps " + std::to_string(call.first) + " to " + std::to_string(call.last) + "\n";
}

}  // namespace

std::vector<HistoryEvent> history_of(Engine& engine,
                                     const WideState& before,
                                     const TransitionTrace& detail,
                                     const WideState& after) {
  if (!engine.monitor().has_histories()) return {};
  StepHistory step(engine, before, after);
  const Interner<std::vector<Mark>>& marks = engine.vocabulary().mark_lists;
  for (const std::uint32_t list : {detail.start_marks, detail.marks}) {
    step.read(marks[list], detail.action.actor(), engine.scenario());
  }
  if (detail.leaves_behind) step.begin_all(detail.action.actor());
  return step.events();
}

std::string what_fits_no_order(const RunStep& step, const std::string& object) {
  const auto at =
      std::find_if(step.history.rbegin(), step.history.rend(), [&object](const auto& event) {
        return event.kind == HistoryEventKind::returns && event.object == object;
      });
  if (at == step.history.rend()) return object + std::string(fits_no_order);
  return step.after.clients[at->client].name + ": " + object + "." + at->operation + " -> " +
         number_text(at->number) + std::string(fits_no_order);
}

std::string describe(const HistoryEvent& event) {
  std::string on = event.object + "." + event.operation;
  switch (event.kind) {
    case HistoryEventKind::invokes:
      return "invokes " + event.object + "." + call_text(event.operation, event.number);
    case HistoryEventKind::returns:
      return "returns " + number_text(event.number) + " from " + on;
    case HistoryEventKind::leaves_open:
      return "leaves " + on + " open";
  }
  return on;
}

namespace {

// The return that fits no order, if the run breaks linearizable() so.
const HistoryEvent* misfit(const Run& run) {
  const std::optional<std::size_t> at = violating_step(run);
  if (!at || run.steps[*at].note.find(fits_no_order) == std::string::npos) return nullptr;
  const std::vector<HistoryEvent>& history = run.steps[*at].history;
  const auto returned = std::find_if(history.rbegin(), history.rend(), [](const auto& event) {
    return event.kind == HistoryEventKind::returns;
  });
  return returned == history.rend() ? nullptr : &*returned;
}

}  // namespace

std::string history_text(const Run& run) {
  const HistoryEvent* const returned = misfit(run);
  if (returned == nullptr) return {};
  std::string text = "the operations on " + returned->object + ":\n";
  for (const ToldCall& call : calls_on(run, returned->object)) text += line_of(run, call);
  return text;
}

std::string what_fits_no_order(const Run& run) {
  const HistoryEvent* const returned = misfit(run);
  if (returned == nullptr) return {};
  return what_fits_no_order(run.steps[*violating_step(run)], returned->object);
}

}  // namespace interlock::sim
