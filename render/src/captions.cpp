#include "captions.hpp"

#include <algorithm>

#include "interlock/sim/violation.hpp"
#include "model/action.hpp"
#include "run/token_names.hpp"
#include "run/words.hpp"

namespace interlock::sim::draw {
namespace {

std::string time_words(milliseconds time) {
  const auto count = time.count();
  if (count >= 1000 && count % 1000 == 0) return std::to_string(count / 1000) + " s";
  return std::to_string(count) + " ms";
}

const Snapshot& world_before(const Run& run, std::size_t step) {
  return step == 0 ? run.before : run.steps[step - 1].after;
}

bool is_request(const RunStep& step) {
  return step.kind == StepKind::operation || step.kind == StepKind::write ||
         (step.kind == StepKind::deliver && !goes_on(step));
}

Passage passage_of_request(const RunStep& step) {
  if (step.kind == StepKind::deliver) return Passage::none;
  if (step.applied || step.fault == Fault::rejected) return Passage::arrives;
  const bool comes = step.fault == Fault::late_execution || step.fault == Fault::late_write;
  return comes ? Passage::pending : Passage::lost;
}

Passage passage_of_answer(const RunStep& step) {
  if (step.kind == StepKind::deliver) {
    return step.reply == "indeterminate" ? Passage::none : Passage::arrives;
  }
  if (passage_of_request(step) != Passage::arrives) return Passage::none;
  const bool lost = step.fault == Fault::lost_reply ||
                    Action::from_code(step.code).lost() == Action::Lost::answer;
  if (lost) return Passage::lost;
  return step.delivered ? Passage::arrives : Passage::pending;
}

class Captions {
 public:
  Captions(const Run& run, const Chart& chart) : run_(run), chart_(chart), names_(run) {
    const auto meet = [this](const Snapshot& world) {
      for (const KeyView& key : world.keys) {
        if (first_key_.empty()) first_key_ = key.key;
        if (key.key != first_key_) several_keys_ = true;
      }
    };
    meet(run.before);
    for (const RunStep& step : run.steps) meet(step.after);
  }

  std::vector<Caption> all() const {
    std::vector<Caption> captions{beginning()};
    for (std::size_t at = 0; at < run_.steps.size(); ++at) captions.push_back(caption(at));
    return captions;
  }

 private:
  Caption beginning() const {
    Caption caption;
    caption.kind = RowKind::beginning;
    caption.event = clock_words(chart_, chart_.rows.front().clock);
    std::string content;
    for (const KeyView& key : run_.before.keys) {
      caption.news.push_back(news_of(key));
      content += (content.empty() ? "" : ", ") + key.key + " = " + names_.in(key.value);
    }
    caption.note = chart_.rows.front().note;
    caption.spoken = "At the beginning, " + caption.event + ": " +
                     (content.empty() ? "the store is empty" : content) +
                     (caption.note.empty() ? "." : " (" + caption.note + ").");
    put_first(caption.news, 0);
    return caption;
  }

  StoreNews news_of(const KeyView& key) const {
    std::string text = several_keys_ ? key.key + " = " : std::string();
    text += names_.in(key.value);
    if (key.remaining) text += " · " + time_words(*key.remaining);
    return {key.server, text, false};
  }

  // What a step changes; that time goes on for a lease is no news.
  std::vector<StoreNews> news(std::size_t at) const {
    const Snapshot& before = world_before(run_, at);
    const Snapshot& after = run_.steps[at].after;
    std::vector<StoreNews> news;
    for (const KeyView& key : after.keys) {
      const KeyView* const was = before.find(key.key, key.server);
      const bool same = was != nullptr && was->value == key.value &&
                        was->remaining.has_value() == key.remaining.has_value() &&
                        (!key.remaining || *key.remaining <= *was->remaining);
      if (same) continue;
      news.push_back(news_of(key));
      if (key.key == chart_.key) put_first(news, news.size() - 1);
    }
    for (const KeyView& key : before.keys) {
      if (after.find(key.key, key.server) != nullptr) continue;
      const std::string gone = run_.steps[at].kind == StepKind::time ? "expired" : "gone";
      news.push_back({key.server, several_keys_ ? key.key + " " + gone : gone, true});
      if (key.key == chart_.key) put_first(news, news.size() - 1);
    }
    return news;
  }
  static void put_first(std::vector<StoreNews>& news, std::size_t at) {
    if (at < news.size()) std::rotate(news.begin(), news.begin() + std::ptrdiff_t(at), news.end());
  }

  Caption caption(std::size_t at) const {
    const RunStep& step = run_.steps[at];
    const ChartRow& row = chart_.rows[at + 1];
    Caption caption;
    caption.server = step.server;
    caption.fault = row.fault;
    caption.news = news(at);
    if (is_request(step)) {
      exchange(caption, step, row);
    } else {
      event(caption, at);
    }
    caption.note = note_and_ghosts(caption, step, row);
    caption.spoken = spoken(caption, row);
    return caption;
  }

  void exchange(Caption& caption, const RunStep& step, const ChartRow& row) const {
    const bool arrival = step.kind == StepKind::deliver;
    caption.kind = arrival ? RowKind::arrival : RowKind::exchange;
    caption.request = passage_of_request(step);
    caption.answer = passage_of_answer(step);
    caption.asks = names_.in(step.what);
    if (step.delivered) caption.hears = row.reply == "?" ? "no answer" : row.reply;
  }

  void event(Caption& caption, std::size_t at) const {
    const RunStep& step = run_.steps[at];
    const ChartRow& row = chart_.rows[at + 1];
    caption.kind = RowKind::event;
    caption.event = row.word;
    if (step.kind == StepKind::time) caption.kind = RowKind::time;
    if (row.time) {
      const Duration passed = step.after.time - world_before(run_, at).time;
      caption.event += (caption.event.empty() ? "+" : " +") +
                       time_words(std::chrono::duration_cast<milliseconds>(passed)) + " · " +
                       clock_words(chart_, row.clock);
    } else if (!step.client) {
      caption.at_server = true;
      caption.event = "✗ " + names_.in(step.what);
    } else if (step.kind == StepKind::late) {
      caption.at_server = true;
      caption.event = run_.clients[*step.client] + ": " + row.word;
      if (!row.target.empty()) caption.event += " " + row.target;
    }
  }

  std::string note_and_ghosts(const Caption& caption,
                              const RunStep& step,
                              const ChartRow& row) const {
    ChartRow drawn;
    drawn.note = note(caption, step, row);
    drawn.ghosts = row.ghosts;
    return beside(drawn);
  }

  // Leaves out what is drawn anyway.
  std::string note(const Caption& caption, const RunStep& step, const ChartRow& row) const {
    if (row.note.starts_with("+") || row.note.starts_with(row.target + "=")) return {};
    if (step.fault && !step.client) return {};
    const bool said =
        std::any_of(caption.news.begin(), caption.news.end(),
                    [&row](const StoreNews& one) { return one.text.ends_with(row.note); });
    return said ? std::string() : row.note;
  }

  std::string spoken(const Caption& caption, const ChartRow& row) const {
    std::string words = "Step " + std::to_string(row.number) + ". ";
    const std::string what = caption.asks.empty() ? caption.event : caption.asks;
    if (row.mover && !caption.at_server) words += run_.clients[*row.mover] + ": ";
    words += (caption.kind == RowKind::arrival ? "answer to " : "") + what + ".";
    if (caption.request == Passage::lost) words += " The request is lost.";
    if (caption.request == Passage::pending) words += " The request arrives later.";
    if (caption.answer == Passage::lost) words += " The answer is lost.";
    if (caption.answer == Passage::pending) words += " The answer is on its way.";
    if (!caption.hears.empty()) words += " Answer: " + caption.hears + ".";
    for (const StoreNews& one : caption.news) {
      words += " Store: " + one.text + (one.text == "gone" ? ": " + chart_.key : "") + ".";
    }
    if (!caption.note.empty()) words += " " + caption.note + ".";
    if (row.violation && !chart_.loop) words += " Violation: " + chart_.broken + ".";
    return words;
  }

  const Run& run_;
  const Chart& chart_;
  TokenNames names_;
  std::string first_key_;
  bool several_keys_ = false;
};

bool is_over(const ClientView& client) {
  return client.status == ClientView::Status::done || client.status == ClientView::Status::crashed;
}

}  // namespace

std::vector<Caption> captions_of(const Run& run, const Chart& chart) {
  return Captions(run, chart).all();
}

std::size_t servers_of(const Run& run) {
  std::size_t last = 0;
  const auto meet = [&last](const Snapshot& world) {
    for (const KeyView& key : world.keys) last = std::max(last, key.server);
  };
  meet(run.before);
  for (const RunStep& step : run.steps) {
    last = std::max(last, step.server);
    meet(step.after);
  }
  return last + 1;
}

std::string clock_words(const Chart& chart, Duration clock) {
  return "t = " + clock_text(chart, clock) + (chart.milliseconds ? " ms" : " s");
}

std::string standing_of(const Run& run, const Verdict* verdict) {
  if (violating_step(run)) return "violation";
  if (verdict != nullptr && verdict->outcome != Outcome::proved) {
    return std::string(to_string(verdict->outcome));
  }
  const Snapshot& end = run.empty() ? run.before : run.steps.back().after;
  const bool over = std::all_of(end.clients.begin(), end.clients.end(), is_over);
  return over ? "no violation" : "unfinished";
}

std::string length_and_standing(const Run& run, const Verdict* verdict) {
  return std::to_string(run.steps.size()) + (run.steps.size() == 1 ? " step, " : " steps, ") +
         standing_of(run, verdict);
}

}  // namespace interlock::sim::draw
