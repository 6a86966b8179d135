#include "interlock/sim/run.hpp"

#include "interlock/detail/number.hpp"
#include "interlock/sim/violation.hpp"
#include "run/words.hpp"

namespace interlock::sim {

const KeyView* Snapshot::find(const std::string& key, std::size_t server) const {
  for (const KeyView& view : keys) {
    if (view.key == key && view.server == server) return &view;
  }
  return nullptr;
}

std::optional<std::int64_t> Snapshot::number(const std::string& key, std::size_t server) const {
  const KeyView* const view = find(key, server);
  if (view == nullptr) return std::nullopt;
  return detail::parse_number<std::int64_t>(view->value);
}

std::int64_t Snapshot::sum_of_ghosts(const std::string& name) const {
  std::int64_t sum = 0;
  for (const ClientView& client : clients) sum += client.ghost(name).value_or(0);
  return sum;
}

std::optional<std::int64_t> ClientView::ghost(const std::string& variable) const {
  for (const GhostView& one : ghosts) {
    if (one.name == variable) return one.value;
  }
  return std::nullopt;
}

std::string_view to_string(StepKind kind) noexcept {
  switch (kind) {
    case StepKind::start:
      return "start";
    case StepKind::operation:
      return "operation";
    case StepKind::deliver:
      return "deliver";
    case StepKind::wake:
      return "wake";
    case StepKind::leave:
      return "leave";
    case StepKind::write:
      return "write";
    case StepKind::late:
      return "late";
    case StepKind::time:
      return "time";
    case StepKind::fault:
      return "fault";
  }
  return "unknown";
}

std::size_t Run::faults() const {
  return steps.empty() ? before.faults : steps.back().after.faults;
}

std::optional<std::size_t> violating_step(const Run& run) {
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    if (!run.steps[at].violates.empty()) return at;
  }
  return std::nullopt;
}

std::string violated_property(const Run& run) {
  const std::optional<std::size_t> at = violating_step(run);
  return at ? run.steps[*at].violates : std::string();
}

namespace {

// The part of a step that is still to come.
std::string_view later(StepKind kind) {
  switch (kind) {
    case StepKind::operation:
    case StepKind::write:
      return " (not yet delivered)";
    case StepKind::leave:
    case StepKind::wake:
      return " (goes on later)";
    default:
      return "";
  }
}

}  // namespace

std::string describe(const Run& run) {
  std::string text;
  std::size_t number = 0;
  for (const RunStep& step : run.steps) {
    const auto time = std::chrono::duration_cast<milliseconds>(step.after.time).count();
    text += std::to_string(++number) + "  " + std::to_string(time) + " ms  ";
    text += step.client ? run.clients[*step.client] : "-";
    if (!step.task.empty()) text += "/" + step.task;
    text += "  ";
    if (step.kind == StepKind::deliver) {
      text += draw::goes_on(step) ? "goes on after " : "answer to ";
    }
    if (step.kind == StepKind::late) text += "late: ";
    text += step.what;
    if (!step.reply.empty()) text += " -> " + step.reply;
    if (!step.delivered) text += later(step.kind);
    if (step.fault && step.kind != StepKind::fault) {
      text += "  [" + std::string(to_string(*step.fault)) + "]";
    }
    if (!step.note.empty()) text += "  # " + step.note;
    if (!step.violates.empty()) text += "  ! " + step.violates;
    text += "\n";
  }
  return text + history_text(run);
}

}  // namespace interlock::sim
