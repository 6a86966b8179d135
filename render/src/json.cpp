// Runs and verdicts for programs.
#include <nlohmann/json.hpp>

#include "chart.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/state_graph.hpp"
#include "interlock/sim/violation.hpp"

namespace interlock::sim {
namespace draw {
namespace {

// Names stay in the order in which they are written: people read it, too.
using Json = nlohmann::ordered_json;

// Times are whole milliseconds.
std::int64_t in_ms(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration).count();
}

std::string_view event_word(HistoryEventKind kind) {
  switch (kind) {
    case HistoryEventKind::invokes:
      return "invokes";
    case HistoryEventKind::returns:
      return "returns";
    case HistoryEventKind::leaves_open:
      return "leaves_open";
  }
  return "unknown";
}

Json json_of(const KeyView& key) {
  Json json = {{"server", key.server}, {"key", key.key}, {"value", key.value}};
  if (key.remaining) json["remaining_ms"] = key.remaining->count();
  return json;
}

Json json_of(const GhostView& ghost) {
  // As text, like tokens: one may be noted.
  return {{"name", ghost.name}, {"value", std::to_string(ghost.value)}};
}

Json json_of(const ClientView& client) {
  Json json = {{"name", client.name},
               {"status", status_word(client.status)},
               {"inside", client.inside},
               {"wants", client.wants},
               {"next", client.next}};
  if (client.restarts > 0) json["restarts"] = client.restarts;
  if (client.ghosts.empty()) return json;
  json["ghosts"] = Json::array();
  for (const GhostView& ghost : client.ghosts) json["ghosts"].push_back(json_of(ghost));
  return json;
}

Json json_of(const ResourceView& resource) {
  // The token as text: it does not fit into the numbers of every reader.
  return {{"name", resource.name},
          {"greatest_token", std::to_string(resource.greatest_fencing)},
          {"last_writer", resource.last_writer}};
}

Json json_of(const Goal& goal) {
  return {{"name", goal.name}, {"reached", goal.reached}};
}

Json json_of(const CoveredOutcome& outcome) {
  return {{"name", outcome.name}, {"seen", outcome.seen}};
}

template <class Part>
Json list_of(const std::vector<Part>& parts);

Json json_of(const CoveredOperation& operation) {
  Json json = {{"clients", operation.clients}};
  if (!operation.task.empty()) json["task"] = operation.task;
  json["what"] = operation.what;
  if (!operation.file.empty()) {
    json["file"] = operation.file;
    json["line"] = operation.line;
  }
  json["outcomes"] = list_of(operation.outcomes);
  return json;
}

Json json_of(const Coverage& coverage) {
  return {{"outcomes", coverage.outcomes()},
          {"seen", coverage.seen()},
          {"never", coverage.never()},
          {"operations", list_of(coverage.operations)},
          {"sections", list_of(coverage.sections)},
          {"faults", list_of(coverage.faults)}};
}

Json json_of(const GraphNode& node) {
  Json json = {{"lines", node.lines}, {"states", node.states}, {"depth", node.depth}};
  json["inside"] = node.inside;
  json["ends"] = node.ends;
  if (!node.violates.empty()) json["violates"] = node.violates;
  return json;
}

Json json_of(const GraphEdge& edge) {
  Json json = {{"from", edge.from}, {"to", edge.to}, {"mover", edge.mover}, {"what", edge.what}};
  if (!edge.reply.empty()) json["reply"] = edge.reply;
  json["fault"] = edge.fault;
  json["steps"] = edge.steps;
  return json;
}

template <class Part>
Json list_of(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(json_of(part));
  return list;
}

Json json_of(const Snapshot& world) {
  return {{"time_ms", in_ms(world.time)},
          {"keys", list_of(world.keys)},
          {"clients", list_of(world.clients)},
          {"resources", list_of(world.resources)},
          {"faults", world.faults}};
}

Json head(const Run& run, std::string_view replay) {
  Json json = {{"v", 1},
               {"event", "run"},
               {"scenario", run.scenario},
               {"clients", run.clients},
               {"clocks_start_at_ms", in_ms(run.clocks_start_at)},
               {"steps", run.steps.size()}};
  // The step from which the steps repeat for ever. The number of steps plus 1: nothing can happen,
  // or need happen.
  if (run.loop) json["loop"] = *run.loop + 1;
  // What the scenario has chosen besides weak fairness of all, or instead.
  if (!run.fairness.empty()) json["fairness"] = run.fairness;
  // After so many steps the run owes what a `leads-to` promises.
  if (run.owed_since) json["owed_since"] = *run.owed_since;
  if (const auto step = violating_step(run)) {
    json["violates"] = violated_property(run);
    json["violating_step"] = *step + 1;
  }
  if (!replay.empty()) json["replay"] = replay;
  json["before"] = json_of(run.before);
  return json;
}

Json json_of(const Run& run, const HistoryEvent& event) {
  Json json = {{"client", run.clients[event.client]},
               {"event", event_word(event.kind)},
               {"object", event.object},
               {"operation", event.operation}};
  // As text, like ghost variables.
  if (event.number) json["number"] = std::to_string(*event.number);
  return json;
}

Json step_of(const Run& run, std::size_t at) {
  const RunStep& step = run.steps[at];
  Json json = {{"v", 1}, {"event", "step"}, {"step", at + 1}, {"kind", to_string(step.kind)}};
  if (step.client) json["client"] = run.clients[*step.client];
  if (!step.task.empty()) json["task"] = step.task;
  if (step.fault) json["fault"] = to_string(*step.fault);
  json["what"] = step.what;
  if (!step.reply.empty()) json["reply"] = step.reply;
  json["server"] = step.server;
  json["applied"] = step.applied;
  json["delivered"] = step.delivered;
  for (const HistoryEvent& event : step.history) json["history"].push_back(json_of(run, event));
  if (!step.note.empty()) json["note"] = step.note;
  if (!step.violates.empty()) json["violates"] = step.violates;
  json["after"] = json_of(step.after);
  return json;
}

void add(Json& json, const Verdict& verdict) {
  json["verdict"] = to_string(verdict.outcome);
  json["scenario"] = verdict.scenario;
  json["bounds"] = verdict.bounds;
  if (!verdict.fairness.empty()) json["fairness"] = verdict.fairness;
  json["trusts"] = verdict.trusts;
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  if (verdict.outcome == Outcome::violated) {
    json["property"] = verdict.property;
    json["steps"] = verdict.run.steps.size();
    if (verdict.run.loop) json["loop"] = *verdict.run.loop + 1;
    if (verdict.run.owed_since) json["owed_since"] = *verdict.run.owed_since;
    json["faults"] = verdict.run.faults();
  }
  json["states"] = verdict.states;
  json["transitions"] = verdict.transitions;
  json["depth"] = verdict.depth;
  json["local_states"] = verdict.local_states;
  if (verdict.merged_local_states > 0) json["merged_local_states"] = verdict.merged_local_states;
  json["coroutine_runs"] = verdict.coroutine_runs;
  json["bytes_per_state"] = verdict.bytes_per_state;
  json["goals"] = list_of(verdict.goals);
  if (!verdict.coverage.empty()) json["coverage"] = json_of(verdict.coverage);
}

// On one line. Bytes that are no UTF-8 become U+FFFD. Beyond what JSON asks for, escaped are `<`,
// so that the text can stand in a script of an HTML page, and DEL, so that it can stand on a
// terminal: both can only be in strings.
std::string line_of(const Json& json) {
  std::string line;
  for (const char letter : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (letter == '<') {
      line += "\\u003c";
    } else if (letter == '\x7F') {
      line += "\\u007f";
    } else {
      line += letter;
    }
  }
  return line;
}

}  // namespace
}  // namespace draw

std::string to_json(const Run& run, const Verdict* verdict, std::string_view replay) {
  const bool has_run = !run.empty() || verdict == nullptr;
  std::string text = has_run ? draw::line_of(draw::head(run, replay)) + "\n" : std::string();
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    text += draw::line_of(draw::step_of(run, at)) + "\n";
  }
  if (verdict != nullptr) {
    draw::Json json = {{"v", 1}, {"event", "verdict"}};
    draw::add(json, *verdict);
    text += draw::line_of(json) + "\n";
  }
  return text;
}

std::string to_json(const Verdict& verdict) {
  draw::Json json = {{"v", 1}};
  draw::add(json, verdict);
  return draw::line_of(json);
}

std::string to_json(const StateGraph& graph) {
  draw::Json json = {{"v", 1},
                     {"event", "graph"},
                     {"scenario", graph.scenario},
                     {"bounds", graph.bounds},
                     {"merged_by", graph.merged_by},
                     {"states", graph.states},
                     {"steps", graph.steps},
                     {"nodes", draw::list_of(graph.nodes)},
                     {"edges", draw::list_of(graph.edges)}};
  return draw::line_of(json);
}

}  // namespace interlock::sim
