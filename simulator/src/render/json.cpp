// Runs and verdicts for programs.
#include "interlock/sim/draw.hpp"
#include "interlock/sim/violation.hpp"
#include "render/json_writer.hpp"

namespace interlock::sim {
namespace draw {
namespace {

// Times are whole milliseconds.
std::int64_t in_ms(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration).count();
}
std::int64_t count(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

std::string_view status_text(ClientView::Status status) {
  switch (status) {
    case ClientView::Status::not_started:
      return "not_started";
    case ClientView::Status::running:
      return "running";
    case ClientView::Status::done:
      return "done";
    case ClientView::Status::crashed:
      return "crashed";
  }
  return "unknown";
}

void write(JsonWriter& out, const Snapshot& world) {
  out.open_object().name("time_ms").number(in_ms(world.time));
  out.name("keys").open_list();
  for (const KeyView& key : world.keys) {
    out.open_object().name("server").number(count(key.server));
    out.name("key").text(key.key).name("value").text(key.value);
    if (key.remaining) out.name("remaining_ms").number(key.remaining->count());
    out.close_object();
  }
  out.close_list().name("clients").open_list();
  for (const ClientView& client : world.clients) {
    out.open_object().name("name").text(client.name);
    out.name("status").text(status_text(client.status)).name("inside").open_list();
    for (const std::string& lock : client.inside) out.text(lock);
    out.close_list().name("wants").open_list();
    for (const std::string& lock : client.wants) out.text(lock);
    out.close_list().name("next").text(client.next).close_object();
  }
  out.close_list().name("resources").open_list();
  for (const ResourceView& resource : world.resources) {
    out.open_object().name("name").text(resource.name);
    // As text: it does not fit into the numbers of every reader.
    out.name("greatest_token").text(std::to_string(resource.greatest_fencing));
    out.name("last_writer").text(resource.last_writer).close_object();
  }
  out.close_list().name("faults").number(count(world.faults)).close_object();
}

std::string head(const Run& run) {
  JsonWriter out;
  out.open_object().name("v").number(1).name("event").text("run");
  out.name("scenario").text(run.scenario).name("clients").open_list();
  for (const std::string& client : run.clients) out.text(client);
  out.close_list().name("clocks_start_at_ms").number(in_ms(run.clocks_start_at));
  out.name("steps").number(count(run.steps.size()));
  // The step from which on they repeat for ever; one more than there are: nothing can happen.
  if (run.loop) out.name("loop").number(count(*run.loop + 1));
  if (const auto step = violating_step(run)) {
    out.name("violates").text(violated_property(run));
    out.name("violating_step").number(count(*step + 1));
  }
  out.name("before");
  write(out, run.before);
  out.close_object();
  return out.take();
}

std::string step_line(const Run& run, std::size_t at) {
  const RunStep& step = run.steps[at];
  JsonWriter out;
  out.open_object().name("v").number(1).name("event").text("step");
  out.name("step").number(count(at + 1)).name("kind").text(to_string(step.kind));
  if (step.client) out.name("client").text(run.clients[*step.client]);
  if (!step.task.empty()) out.name("task").text(step.task);
  if (step.fault) out.name("fault").text(to_string(*step.fault));
  out.name("what").text(step.what);
  if (!step.reply.empty()) out.name("reply").text(step.reply);
  out.name("server").number(count(step.server));
  out.name("applied").boolean(step.applied).name("delivered").boolean(step.delivered);
  if (!step.note.empty()) out.name("note").text(step.note);
  if (!step.violates.empty()) out.name("violates").text(step.violates);
  out.name("after");
  write(out, step.after);
  out.close_object();
  return out.take();
}

void write(JsonWriter& out, const Verdict& verdict) {
  out.name("verdict").text(to_string(verdict.outcome)).name("scenario").text(verdict.scenario);
  out.name("bounds").text(verdict.bounds).name("trusts").open_list();
  for (const std::string& promise : verdict.trusts) out.text(promise);
  out.close_list();
  if (!verdict.reason.empty()) out.name("reason").text(verdict.reason);
  if (verdict.outcome == Outcome::violated) {
    out.name("property").text(verdict.property);
    out.name("steps").number(count(verdict.run.steps.size()));
    if (verdict.run.loop) out.name("loop").number(count(*verdict.run.loop + 1));
    out.name("faults").number(count(verdict.run.faults()));
  }
  out.name("states").number(count(verdict.states));
  out.name("transitions").number(count(verdict.transitions));
  out.name("depth").number(count(verdict.depth));
  out.name("local_states").number(verdict.local_states);
  out.name("coroutine_runs").number(verdict.coroutine_runs);
  out.name("bytes_per_state").number(count(verdict.bytes_per_state));
  out.name("goals").open_list();
  for (const Goal& goal : verdict.goals) {
    out.open_object().name("name").text(goal.name).name("reached").boolean(goal.reached);
    out.close_object();
  }
  out.close_list();
}

}  // namespace
}  // namespace draw

std::string to_json(const Run& run, const Verdict* verdict) {
  const bool has_run = !run.empty() || verdict == nullptr;
  std::string text = has_run ? draw::head(run) + "\n" : std::string();
  for (std::size_t at = 0; at < run.steps.size(); ++at) text += draw::step_line(run, at) + "\n";
  if (verdict != nullptr) {
    draw::JsonWriter out;
    out.open_object().name("v").number(1).name("event").text("verdict");
    draw::write(out, *verdict);
    out.close_object();
    text += out.take() + "\n";
  }
  return text;
}

std::string to_json(const Verdict& verdict) {
  draw::JsonWriter out;
  out.open_object().name("v").number(1);
  draw::write(out, verdict);
  out.close_object();
  return out.take();
}

}  // namespace interlock::sim
