// The drawing as a sequence diagram in Mermaid's language.
#include <algorithm>

#include "chart.hpp"
#include "columns.hpp"
#include "interlock/sim/draw.hpp"

namespace interlock::sim {
namespace draw {
namespace {

class Writer {
 public:
  explicit Writer(const Chart& chart) : chart_(chart), active_(chart.clients.size(), false) {}

  std::string write() {
    text_ = "sequenceDiagram\n";
    participants();
    for (std::size_t at = 1; at < chart_.rows.size(); ++at) {
      if (chart_.loop == chart_.rows[at].number) line("loop " + loop_text(chart_));
      row(chart_.rows[at]);
      activity(chart_.rows[at]);
      if (chart_.rows[at].violation && !chart_.loop) violation();
    }
    if (chart_.loop && !is_stuck(chart_)) line("end");
    if (chart_.loop) violation();
    for (std::size_t client = active_.size(); client-- > 0;) {
      if (active_[client]) line("deactivate " + actor(client));
    }
    return std::move(text_);
  }

 private:
  void line(const std::string& words) { text_ += "  " + words + "\n"; }

  // `;` and `#` mean something in Mermaid, also inside of texts.
  static std::string safe(const std::string& words) {
    std::string result;
    for (const char byte : printable(words, false)) {
      if (byte == ';') {
        result += "#59;";
      } else if (byte == '#') {
        result += "#35;";
      } else {
        result += byte;
      }
    }
    return result;
  }
  static std::string actor(std::size_t client) { return "C" + std::to_string(client); }

  void participants() {
    const ChartRow& first = chart_.rows.front();
    for (std::size_t client = 0; client < chart_.clients.size(); ++client) {
      std::string name = safe(chart_.clients[client]);
      if (first.lanes[client] == Lane::dead) name += " (crashed)";
      line("participant " + actor(client) + " as " + name);
    }
    line("participant R as store " + safe(chart_.key));
    std::string note = first.value;
    if (!first.note.empty()) {
      note += " = " + first.note + " (now " + clock_text(chart_, first.clock) + ")";
    }
    line("Note over R: " + safe(note));
  }

  void row(const ChartRow& row) {
    const std::string number = std::to_string(row.number) + " ";
    if (!row.mover) {
      const std::string what = row.note.empty() ? "time" : row.note;
      return line("Note over R: " + number + safe(what) +
                  (row.time ? ", now " + clock_text(chart_, row.clock) : std::string()));
    }
    const bool changes = row.value != chart_.rows[row.number - 1].value;
    std::string words = safe(sentence(row, chart_.several_keys, changes));
    // An arrow with space around it reads better at this size.
    if (const auto arrow = words.find("→"); arrow != std::string::npos) {
      words.replace(arrow, std::string("→").size(), " → ");
    }
    const bool to_store = !row.target.empty();
    const std::string way = row.arrival                            ? "R-->>" + actor(*row.mover)
                            : to_store && row.fault && row.pending ? actor(*row.mover) + "-xR"
                            : to_store                             ? actor(*row.mover) + "->>R"
                                       : actor(*row.mover) + "->>" + actor(*row.mover);
    line(way + ": " + number + words);
    ChartRow noted = row;
    if (row.violation || row.note.ends_with("holds")) noted.note.clear();
    const std::string aside = beside(noted);
    if (!aside.empty()) line("Note right of R: " + safe(aside));
  }

  void activity(const ChartRow& row) {
    for (std::size_t client = 0; client < active_.size(); ++client) {
      const bool now = believes(row.lanes[client]);
      if (now == active_[client]) continue;
      line((now ? "activate " : "deactivate ") + actor(client));
      active_[client] = now;
    }
  }

  void violation() {
    const std::string last = actor(chart_.clients.size() - 1);
    line("rect rgba(200, 0, 0, 0.12)");
    line("Note over " + actor(0) + (last == actor(0) ? "" : "," + last) +
         ": VIOLATION: " + safe(chart_.broken));
    line("end");
  }

  const Chart& chart_;
  std::vector<bool> active_;
  std::string text_;
};

}  // namespace
}  // namespace draw

std::string draw_mermaid(const Run& run, const Verdict* verdict) {
  const draw::Chart chart = draw::make_chart(run, verdict);
  return draw::Writer(chart).write();
}

}  // namespace interlock::sim
