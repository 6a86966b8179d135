#include "chart.hpp"

#include <algorithm>
#include <set>

#include "history.hpp"
#include "interlock/sim/violation.hpp"
#include "model/action.hpp"
#include "run/token_names.hpp"
#include "run/words.hpp"

namespace interlock::sim::draw {
namespace {

bool is_on_the_second(Duration time) {
  return time % std::chrono::seconds{1} == Duration{0};
}

std::string remaining_text(milliseconds left) {
  const auto count = left.count();
  if (count >= 1000 && count % 1000 == 0) return std::to_string(count / 1000) + "s";
  return std::to_string(count) + "ms";
}

std::string value_text(const KeyView* view, const TokenNames& names) {
  if (view == nullptr) return "(none)";
  std::string text = names.in(view->value);
  if (view->remaining) text += " " + remaining_text(*view->remaining);
  return text;
}

// With several servers there is room for one word each.
std::string values_text(const Snapshot& world,
                        const std::string& key,
                        std::size_t servers,
                        const TokenNames& names) {
  if (servers == 1) return value_text(world.find(key), names);
  std::string text;
  for (std::size_t server = 0; server < servers; ++server) {
    if (server > 0) text += ' ';
    const KeyView* view = world.find(key, server);
    const std::string value = view == nullptr ? "·" : names.in(view->value);
    text += value.substr(0, value.find('#'));
  }
  return text;
}

// `A, B and C`
std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (at > 0) text += at + 1 == names.size() ? " and " : ", ";
    text += names[at];
  }
  return text;
}

class Maker {
 public:
  Maker(const Run& run, const Verdict* verdict)
      : run_(run), verdict_(verdict), names_(run), history_(run) {}

  Chart make() {
    chart_.title =
        run_.scenario.empty() && verdict_ != nullptr ? verdict_->scenario : run_.scenario;
    chart_.clients = run_.clients;
    chart_.key = history_.key();
    chart_.steps = run_.steps.size();
    if (run_.loop) chart_.loop = *run_.loop + 1;
    chart_.fairness = run_.fairness;
    std::set<std::string> targets;
    chart_.milliseconds = !is_on_the_second(run_.clocks_start_at);
    for (const RunStep& step : run_.steps) {
      if (const std::string target = target_of(step); !target.empty()) targets.insert(target);
      if (!is_on_the_second(step.after.time)) chart_.milliseconds = true;
    }
    chart_.several_keys = targets.size() > 1;
    find_violation();
    chart_.rows.push_back(first_row());
    for (std::size_t at = 0; at < run_.steps.size(); ++at) chart_.rows.push_back(row(at));
    if (chart_.violation) explain();
    return std::move(chart_);
  }

 private:
  bool about_leases() const { return violated_.starts_with("exclusion within leases"); }
  bool about_exclusion() const {
    return about_leases() || violated_.starts_with("mutual exclusion");
  }
  bool about_deadlock() const { return violated_ == no_deadlock().name; }

  void find_violation() {
    if (const auto at = violating_step(run_)) chart_.violation = *at + 1;
    violated_ = violated_property(run_);
  }

  ChartRow first_row() {
    ChartRow row;
    row.clock = run_.clocks_start_at + run_.before.time;
    row.lanes = lanes(0);
    row.value = values_text(run_.before, chart_.key, history_.servers(), names_);
    if (history_.stamp_is_past(0)) row.note = "expired";
    row.notable = true;
    return row;
  }

  std::vector<Lane> lanes(std::size_t moment) const {
    const Snapshot& world = history_.world(moment);
    std::vector<Lane> result;
    for (std::size_t client = 0; client < run_.clients.size(); ++client) {
      Lane lane = Lane::alive;
      if (client < world.clients.size()) {
        const ClientView& view = world.clients[client];
        if (view.status == ClientView::Status::crashed) {
          lane = Lane::dead;
        } else if (!view.inside.empty()) {
          lane = history_.outlived(moment, client) ? Lane::outlived : Lane::holds;
        } else if (view.status == ClientView::Status::done) {
          lane = Lane::done;
        }
      }
      result.push_back(lane);
    }
    return result;
  }

  ChartRow row(std::size_t at) {
    const RunStep& step = run_.steps[at];
    ChartRow row;
    row.number = at + 1;
    row.clock = run_.clocks_start_at + step.after.time;
    row.lanes = lanes(at + 1);
    row.mover = step.client;
    row.word = word_of(step);
    row.target = target_of(step);
    row.argument = argument_of(step, names_);
    row.reply = reply_of(step, names_);
    row.value = values_text(step.after, chart_.key, history_.servers(), names_);
    row.pending = !step.delivered && step.fault != Fault::lost_reply &&
                  (step.kind == StepKind::operation || step.kind == StepKind::write);
    row.arrival = step.kind == StepKind::deliver && !goes_on(step);
    row.fault = step.fault.has_value();
    row.time = step.kind == StepKind::time || step.fault == Fault::pause;
    row.violation = chart_.violation == row.number;
    row.note = note(at, row);
    row.ghosts = ghosts(at);
    for (const std::string& call : calls_in(at)) {
      row.ghosts += (row.ghosts.empty() ? "" : " ") + call;
    }
    const bool in_loop = chart_.loop && row.number >= *chart_.loop;
    row.notable = row.fault || row.violation || in_loop || step.kind == StepKind::late ||
                  row.lanes != chart_.rows.back().lanes || row.note.ends_with("key!") ||
                  row.note == "expired";
    return row;
  }

  std::string note(std::size_t at, const ChartRow& row) const {
    const RunStep& step = run_.steps[at];
    if (row.violation && !chart_.loop && about_exclusion()) {
      return std::to_string(history_.holders(at + 1).size()) + " HOLDERS";
    }
    if (row.violation && !chart_.loop) return "VIOLATED";
    if (const auto entered = history_.entered(at)) {
      const std::size_t inside = history_.holders(at + 1).size();
      // More than one client is inside, and that is no violation: the property is about something
      // else.
      return inside > 1 ? std::to_string(inside) + " inside" : run_.clients[*entered] + " holds";
    }
    if (step.fault) return std::string(note_of(*step.fault));
    const Action::Lost lost = Action::from_code(step.code).lost();
    if (lost == Action::Lost::request) return std::string(note_of(Fault::lost_request));
    if (lost == Action::Lost::answer) return std::string(note_of(Fault::lost_reply));
    const auto robbed = history_.robbed(at);
    if (robbed) {
      const bool loser = step.operation->kind == OperationKind::exchange;
      return loser ? run_.clients[*step.client] + " lost" : run_.clients[*robbed] + "'s key!";
    }
    if (step.kind == StepKind::time) return time_note(at);
    if (chart_.violation && row.number > *chart_.violation && row.reply == "0") return "looks ok";
    const bool refused = step.kind == StepKind::write ? row.reply == "refused" : step.reply == "0";
    if (is_write(step) && refused) return "fenced";
    if (!row.target.empty() && row.target != chart_.key) return other_key(step);
    return {};
  }

  std::string ghosts(std::size_t at) const {
    const RunStep& step = run_.steps[at];
    if (!step.client) return {};
    const ClientView& before = history_.world(at).clients[*step.client];
    std::string text;
    for (const GhostView& ghost : step.after.clients[*step.client].ghosts) {
      if (before.ghost(ghost.name) == ghost.value) continue;
      text += (text.empty() ? "" : " ") + ghost.name + "=" + std::to_string(ghost.value);
    }
    return text;
  }

  // The operations on objects that begin and end: `pop…`, later `pop→3`.
  std::vector<std::string> calls_in(std::size_t at) const {
    const RunStep& step = run_.steps[at];
    std::vector<std::string> calls;
    for (const HistoryEvent& event : step.history) {
      const std::string who = step.client == event.client ? "" : run_.clients[event.client] + ": ";
      const std::string number = event.number ? std::to_string(*event.number) : "";
      if (event.kind == HistoryEventKind::invokes) {
        calls.push_back(who + event.operation + (number.empty() ? "" : "(" + number + ")") + "…");
      } else if (event.kind == HistoryEventKind::leaves_open) {
        calls.push_back(who + event.operation + "→?");
      } else {
        calls.push_back(who + event.operation + "→" + (number.empty() ? "nothing" : number));
      }
    }
    return calls;
  }

  std::string time_note(std::size_t at) const {
    const bool gone = history_.world(at).find(chart_.key) != nullptr &&
                      history_.world(at + 1).find(chart_.key) == nullptr;
    if (gone) return "expired";
    if (const auto ended = history_.ended(at)) return run_.clients[*ended] + " lapsed";
    const Duration passed = history_.world(at + 1).time - history_.world(at).time;
    return "+" + remaining_text(std::chrono::duration_cast<milliseconds>(passed));
  }

  std::string other_key(const RunStep& step) const {
    const KeyView* view = step.after.find(target_of(step), step.server);
    return target_of(step) + "=" + (view == nullptr ? "-" : names_.in(view->value));
  }

  void explain() {
    const std::size_t step = *chart_.violation - 1;
    const std::string& lock = history_.lock();
    if (chart_.loop) {
      if (run_.owed_since) return explain_owed();
      chart_.broken = starving();
      chart_.property = violated_;
      chart_.why = how_it_goes_on();
      if (!is_stuck(chart_)) chart_.why += ", and nobody else gets in";
      return;
    }
    if (about_exclusion()) {
      std::vector<std::string> holders;
      for (const std::size_t one : history_.holders(step + 1)) {
        holders.push_back(run_.clients[one]);
      }
      chart_.broken =
          list_of(holders) + (holders.size() == 2 ? " both hold " : " all hold ") + lock;
      chart_.property = about_leases() ? "exclusion within leases" : "mutual exclusion";
    } else if (about_deadlock()) {
      return explain_deadlock(history_.world(step + 1));
    } else if (const std::string misfit = what_fits_no_order(run_); !misfit.empty()) {
      chart_.broken = misfit;
      chart_.property = violated_;
      chart_.why = operations();
      return;
    } else {
      chart_.broken = violated_;
    }
    chart_.why = history_.why(step);
  }

  void explain_owed() {
    chart_.broken = violated_;
    chart_.why = owed_text(*run_.owed_since) + "; " + how_it_goes_on();
  }

  std::string how_it_goes_on() const {
    if (is_stuck(chart_)) return "after the last step " + loop_text(chart_);
    if (run_.fairness.empty()) return loop_text(chart_) + ": all who can move do so";
    return loop_text(chart_) + ": fair as was chosen (" + list_of(run_.fairness) + ")";
  }

  // history_text() on one line.
  std::string operations() const {
    std::string text = history_text(run_);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      text.replace(end, 2, text[end - 1] == ':' ? "" : ";");
    }
    for (std::size_t gap = text.find("  "); gap != std::string::npos; gap = text.find("  ")) {
      text.erase(gap, 1);
    }
    return text;
  }

  // `A and B wait for ever`, and for what.
  void explain_deadlock(const Snapshot& end) {
    std::vector<std::string> names;
    for (const ClientView& client : end.clients) {
      if (client.status != ClientView::Status::running) continue;
      names.push_back(client.name);
      chart_.why += client.name + " is at '" + names_.in(client.next) + "', ";
    }
    chart_.broken = list_of(names) + (names.size() == 1 ? " waits for ever" : " wait for ever");
    chart_.property = violated_;
    chart_.why += "and nobody else can do anything, however much time passes";
  }

  // `B waits for lock.foo for ever`
  std::string starving() const {
    for (std::size_t client = 0; client < run_.clients.size(); ++client) {
      std::vector<std::string> wants = history_.world(*run_.loop).clients[client].wants;
      for (std::size_t moment = *run_.loop; moment <= run_.steps.size(); ++moment) {
        const std::vector<std::string>& now = history_.world(moment).clients[client].wants;
        std::erase_if(wants, [&now](const std::string& lock) {
          return std::find(now.begin(), now.end(), lock) == now.end();
        });
      }
      if (!wants.empty()) return run_.clients[client] + " waits for " + wants.front() + " for ever";
    }
    return violated_;
  }

  const Run& run_;
  const Verdict* verdict_;
  TokenNames names_;
  History history_;
  Chart chart_;
  std::string violated_;
};

}  // namespace

Chart make_chart(const Run& run, const Verdict* verdict) {
  return Maker(run, verdict).make();
}

std::string sentence(const ChartRow& row, bool with_target, bool with_argument) {
  std::string text = row.arrival ? "…" : "";
  text += row.word;
  if (with_target && !row.target.empty()) text += " " + row.target;
  if (with_argument && !row.argument.empty()) text += " " + row.argument;
  if (row.pending) return text + "…";
  if (!row.reply.empty()) text += "→" + row.reply;
  return text;
}

std::string beside(const ChartRow& row) {
  return row.note + (row.note.empty() || row.ghosts.empty() ? "" : " ") + row.ghosts;
}

bool is_stuck(const Chart& chart) {
  return chart.loop && *chart.loop > chart.steps;
}

std::string loop_text(const Chart& chart) {
  if (!chart.loop) return {};
  if (is_stuck(chart)) {
    return chart.fairness.empty() ? "nothing can happen any more" : "nothing need happen any more";
  }
  if (*chart.loop == chart.steps)
    return "step " + std::to_string(chart.steps) + ", again and again";
  return "steps " + std::to_string(*chart.loop) + " to " + std::to_string(chart.steps) +
         ", again and again";
}

std::string clock_text(const Chart& chart, Duration clock) {
  const auto unit = chart.milliseconds ? Duration{milliseconds{1}} : std::chrono::seconds{1};
  return std::to_string(clock / unit);
}

std::vector<std::size_t> visible_rows(const Chart& chart, std::size_t most) {
  const std::size_t count = chart.rows.size();
  std::vector<std::size_t> visible;
  // A fold takes a row of its own, so that folding fewer than three would gain nothing.
  constexpr std::size_t worth_folding = 3;
  const auto stays = [&](std::size_t at) {
    if (count <= most + 1) return true;
    const std::size_t next = std::min(at + 1, count - 1);
    return at == 0 || next == at || chart.rows[at].notable || chart.rows[next].notable ||
           chart.rows[at - 1].notable;
  };
  for (std::size_t at = 0; at < count;) {
    if (stays(at)) {
      visible.push_back(at++);
      continue;
    }
    std::size_t end = at;
    while (end < count && !stays(end)) ++end;
    if (end - at < worth_folding) {
      for (; at < end; ++at) visible.push_back(at);
    }
    at = end;
  }
  return visible;
}

std::string_view status_word(ClientView::Status status) {
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

}  // namespace interlock::sim::draw
