#include "run/move_text.hpp"

#include <algorithm>

#include "model/action.hpp"
#include "model/snapshot.hpp"
#include "run/token_names.hpp"
#include "run/words.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {
namespace {

std::string server_text(const RunStep& step, std::size_t servers) {
  return servers == 1 ? "the server" : "server " + std::to_string(step.server + 1);
}

// A request, and where it goes if there is a choice.
std::string request_text(const RunStep& step, std::size_t servers) {
  return servers == 1 ? step.what : step.what + " on " + server_text(step, servers);
}

void fill_in(std::string& text, std::string_view place, const std::string& what) {
  const std::size_t at = text.find(place);
  if (at != std::string::npos) text.replace(at, place.size(), what);
}

std::string subscriber_text(const Run& run, const RunStep& step) {
  const std::size_t subscriber = Action::from_code(step.code).subscriber();
  const bool known = subscriber > 0 && subscriber <= run.clients.size();
  return known ? run.clients[subscriber - 1] : "a subscriber";
}

// The words for what happens to the world, to a client, or to a request on its way.
std::string fault_text(const Run& run,
                       const Snapshot& before,
                       const RunStep& step,
                       std::size_t servers) {
  if (step.fault == Fault::failover && !step.note.empty()) return step.note;
  const FaultKind& kind = fault_kind(*step.fault);
  std::string text(step.client || kind.told_of_server.empty() ? kind.told : kind.told_of_server);
  if (text.empty()) return std::string(kind.word);
  fill_in(text, "{server}", server_text(step, servers));
  if (kind.target == FaultTarget::request) {
    fill_in(text, "{subscriber}", subscriber_text(run, step));
  }
  if (step.fault == Fault::client_restart && !step.note.empty()) text += "; " + step.note;
  if (kind.hits_one_key) fill_in(text, "{key}", evicted_key(before, step).key);
  return text;
}

std::string action_text(const Run& run,
                        const Snapshot& before,
                        const RunStep& step,
                        std::size_t servers) {
  switch (step.kind) {
    case StepKind::start:
      return "reads its clock, and asks for nothing yet";
    case StepKind::operation:
      return request_text(step, servers);
    case StepKind::deliver:
      if (!draw::goes_on(step)) return "hears the answer to " + request_text(step, servers);
      return step.what.starts_with("leave ") ? "goes on after it has left " + step.what.substr(6)
                                             : "is told that its subscription has ended";
    case StepKind::wake:
      if (!step.delivered) return "loses its subscription, and is told later";
      if (!step.reply.empty()) return "is told that its subscription has ended";
      return step.what == "sleep" ? "wakes up" : "goes on after its " + step.what;
    case StepKind::leave:
      return "leaves " + (step.what.starts_with("leave ") ? step.what.substr(6) : step.what) +
             (step.delivered ? "" : ", and goes on later");
    case StepKind::write:
      return step.what.starts_with("write ") ? "writes to " + step.what.substr(6) : step.what;
    case StepKind::late:
      if (draw::is_write(step)) {
        return "the late " + step.what + " arrives at last" +
               (step.reply == "0" ? ", and is refused" : "");
      }
      return "the late " + request_text(step, servers) + " arrives at last";
    case StepKind::time: {
      const std::string amount = step.what.substr(step.what.rfind('+') + 1);
      return amount + " pass" + (step.fault ? ", and nobody moves who could" : "");
    }
    case StepKind::fault:
      break;
  }
  return fault_text(run, before, step, servers);
}

}  // namespace

std::string mover_text(const Run& run, const RunStep& step) {
  if (!step.client) return "world";
  std::string mover = run.clients[*step.client];
  if (!step.task.empty()) mover += "/" + step.task;
  return mover;
}

std::string move_text(const Run& run, const RunStep& step, std::size_t servers) {
  const Snapshot& before = run.empty() ? run.before : run.steps.back().after;
  std::string text = action_text(run, before, step, servers);
  const bool request = step.kind == StepKind::operation || step.kind == StepKind::write;
  if (step.fault && request) text += fault_text(run, before, step, servers);
  if (const auto lost = Action::from_code(step.code).lost(); lost != Action::Lost::nothing) {
    text += lost == Action::Lost::request ? ", which is lost when its connection breaks"
                                          : ", whose answer is lost when its connection breaks";
  } else if (step.fault && request) {
    if (!step.delivered) text += ", and that is noticed later";
  } else if (request && !step.delivered) {
    text += ", and hears the answer later";
  }
  // A client that starts and asks in one step may have chosen at its start.
  const std::uint64_t begun = Action::from_code(step.code).start_branch().value_or(0);
  const std::uint64_t branch = std::max(step.choice, begun);
  // Those of a restart differ in what is still on its way, which is said.
  if (branch > 0 && step.fault != Fault::client_restart)
    text += " (branch " + std::to_string(branch) + ")";
  Run with_step = run;
  with_step.steps.push_back(step);
  return draw::TokenNames(with_step).in(text);
}

}  // namespace interlock::sim
