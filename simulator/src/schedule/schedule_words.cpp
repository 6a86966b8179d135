#include "schedule/schedule_words.hpp"

#include <algorithm>
#include <array>

#include "base/escaped.hpp"
#include "model/action.hpp"
#include "model/snapshot.hpp"
#include "run/move_text.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {
namespace {

std::string number(std::size_t value) {
  return std::to_string(value);
}

// What the code says beyond the words: branches, servers, who misses a message.
std::string circumstances(const Run& run, const RunStep& step) {
  const Action action = Action::from_code(step.code);
  const bool moves = step.client && step.kind != StepKind::fault;
  std::string text;
  if (moves && step.kind != StepKind::start) {
    const std::size_t branch = action.start_branch().value_or(0);
    if (branch > 0) text += "begin " + number(branch) + " ";
  }
  if (action.lost() == Action::Lost::request) text += "cut before ";
  if (action.lost() == Action::Lost::answer) text += "cut after ";
  if (step.choice > 0) text += "branch " + number(step.choice) + " ";
  if (step.server > 0) text += "server " + number(step.server) + " ";
  if (step.fault && step.kind != StepKind::fault && step.kind != StepKind::time) {
    text += "fault " + std::string(to_string(*step.fault)) + " ";
    const std::size_t subscriber = action.subscriber();
    if (step.fault == Fault::lost_message && subscriber > 0 && subscriber <= run.clients.size()) {
      text += "to " + run.clients[subscriber - 1] + " ";
    }
  }
  return text;
}

bool is_lost(const RunStep& step) {
  return Action::from_code(step.code).lost() != Action::Lost::nothing;
}

// A schedule has every script as RUN, also where RunStep::what says it in fewer words.
std::string recorded(const RunStep& step) {
  return step.operation ? describe(*step.operation) : step.what;
}

std::string action_of(const Run& run, const Snapshot& before, const RunStep& step) {
  const std::string around = circumstances(run, step);
  switch (step.kind) {
    case StepKind::start:
      return around + "starts";
    case StepKind::operation:
      return around + (step.delivered || is_lost(step) ? "" : "sends ") + recorded(step);
    case StepKind::deliver:
      return around + "hears " + recorded(step);
    case StepKind::wake:
      // If the store has ended the wait and the client was not told yet, it is not awake yet.
      return around + (step.delivered ? "wakes from " : "sends ") + step.what;
    case StepKind::leave:
      return around + (step.delivered ? "" : "sends ") +
             (step.what.starts_with("leave") ? "" : "leave ") + step.what;
    case StepKind::write:
      return around + (step.delivered ? "" : "sends ") +
             (step.what.starts_with("write") ? "" : "write ") + step.what;
    case StepKind::late: {
      // Several requests of one client may be on their way, and say the same.
      const std::size_t copy = Action::from_code(step.code).slot();
      return around + "late " + (copy > 0 ? "copy " + number(copy + 1) + " " : "") + recorded(step);
    }
    case StepKind::time:
      return step.what.starts_with("time") ? step.what : "time " + step.what;
    case StepKind::fault:
      break;
  }
  const FaultKind& kind = fault_kind(step.fault.value_or(Fault::crash));
  std::string fault = around + "fault " + std::string(kind.word);
  if (kind.hits_one_key) fault += " " + evicted_key(before, step).key;
  const std::size_t missed = Action::from_code(step.code).missed_writes();
  if (kind.misses_writes && missed > 1) fault += " missing " + number(missed);
  return fault;
}

constexpr std::array action_words{
    "starts", "sends",   "hears",     "wakes",       "leave", "write",    "late",  "time",
    "fault",  "begin",   "branch",    "server",      "cut",   "GET",      "SET",   "SETNX",
    "GETSET", "DEL",     "PEXPIRE",   "PTTL",        "INCR",  "CLAIM",    "RENEW", "RELEASE",
    "RUN",    "PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE", "AWAIT", "INTERRUPT"};

}  // namespace

bool is_action_word(std::string_view word) {
  return std::find(action_words.begin(), action_words.end(), word) != action_words.end();
}

ScheduleStep schedule_step(const Run& run, const Snapshot& before, const RunStep& step) {
  ScheduleStep line;
  line.mover = mover_text(run, step);
  line.action = action_of(run, before, step);
  line.reply = step.reply;
  return line;
}

std::string question_of(const ScheduleStep& step) {
  return escaped_word(step.mover) + " " + escaped(step.action);
}

std::string line_of(const ScheduleStep& step) {
  std::string line = question_of(step);
  if (!step.reply.empty()) line += " -> " + escaped(step.reply);
  return line;
}

}  // namespace interlock::sim
