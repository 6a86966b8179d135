// Writes the SVG by itself: vertical lanes, time downwards, text as text, colours by class.
#include <algorithm>

#include "assets.hpp"
#include "columns.hpp"
#include "svg_writer.hpp"

namespace interlock::sim {
namespace draw {
namespace {

constexpr int row_height = 26;
constexpr int top = 74;
constexpr int number_x = 34;
constexpr int clock_x = 84;
constexpr int lanes_x = 116;
constexpr int lane_width = 150;
constexpr int store_width = 230;
constexpr int footer_line = 22;
constexpr int footer_x = 14;

class SvgWriter {
 public:
  SvgWriter(const Chart& chart, const Remarks& remarks) : chart_(chart), remarks_(remarks) {
    store_x_ = lanes_x + static_cast<int>(chart.clients.size()) * lane_width + 20;
    width_ = std::max({store_x_ + store_width, 720, wide_enough_for(remarks.replay)});
    bottom_ = top + static_cast<int>(chart.rows.size()) * row_height;
  }

  std::string write() {
    const int height = bottom_ + 16 + footer_line * footer_lines();
    text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"run\" role=\"img\" viewBox=\"0 0 " +
            number(width_) + " " + number(height) + "\" width=\"" + number(width_) +
            "\" height=\"" + number(height) + "\" aria-labelledby=\"run-title run-desc\">\n";
    text_ += "<title id=\"run-title\">" + xml(title()) + "</title>\n";
    text_ += "<desc id=\"run-desc\">" + xml(description()) + "</desc>\n";
    text_ +=
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect class=\"hatch-ground\" width=\"6\" height=\"6\"/>"
        "<rect class=\"hatch-line\" width=\"3\" height=\"6\"/></pattern>"
        "<marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path class=\"head\" d=\"M0 0L8 4L0 8z\"/></marker>"
        "</defs>\n";
    head();
    for (std::size_t at = 0; at < chart_.rows.size(); ++at) row(at);
    if (chart_.loop && !is_stuck(chart_)) loop();
    footer();
    return text_ + "</svg>\n";
  }

 private:
  static std::string number(int value) { return std::to_string(value); }
  int lane_x(std::size_t client) const {
    return lanes_x + static_cast<int>(client) * lane_width + 10;
  }
  static int row_y(std::size_t at) { return top + static_cast<int>(at) * row_height; }

  std::string title() const {
    return chart_.title + ": " + std::to_string(chart_.steps) +
           (chart_.steps == 1 ? " step, " : " steps, ") + (chart_.violation ? "violation" : "ok");
  }
  std::string description() const {
    if (!chart_.violation) return "Lanes are clients; thick: believes that it holds the lock.";
    const std::string where =
        chart_.loop ? std::string() : "Step " + std::to_string(*chart_.violation) + ": ";
    return where + chart_.broken + ". " + chart_.why;
  }

  void label(int x, int y, const char* kind, const std::string& words) {
    if (words.empty()) return;
    text_ += "<text class=\"" + std::string(kind) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
             "\">" + xml(words) + "</text>\n";
  }
  // At 12 pixels a character of the monospaced font is at most 7.3 wide.
  static std::string cut(const std::string& words, int width) {
    return shortened(words, static_cast<std::size_t>(width * 10 / 73), false);
  }
  // A command that is cut cannot be pasted.
  static int wide_enough_for(const std::string& command) {
    return 2 * footer_x + static_cast<int>(columns(printable(command, false)) + 1) * 73 / 10;
  }

  void head() {
    label(14, 26, "title", cut(title(), width_ - 40));
    label(number_x, 58, "name end", "#");
    label(clock_x, 58, "name end", chart_.milliseconds ? "ms" : "t");
    for (std::size_t client = 0; client < chart_.clients.size(); ++client) {
      label(lane_x(client) - 6, 58, "name", cut(chart_.clients[client], lane_width - 20));
    }
    label(store_x_, 58, "name", cut(chart_.key, store_width));
    text_ += "<path class=\"rule\" d=\"M14 66H" + number(width_ - 14) + "\"/>\n";
  }

  void row(std::size_t at) {
    const ChartRow& row = chart_.rows[at];
    const int y = row_y(at);
    const bool repeats = chart_.loop && row.number >= *chart_.loop;
    text_ += "<g class=\"step" + std::string(row.violation && !repeats ? " violation" : "") +
             (repeats ? " repeats" : "") + (row.fault ? " fault" : "") + "\" id=\"step-" +
             std::to_string(row.number) + "\">\n";
    text_ += "<title>" + xml(spoken(row)) + "</title>\n";
    text_ += "<rect class=\"row\" x=\"8\" y=\"" + number(y) + "\" width=\"" + number(width_ - 16) +
             "\" height=\"" + number(row_height) + "\"/>\n";
    for (std::size_t client = 0; client < row.lanes.size(); ++client) {
      lane(client, row.lanes[client], y);
    }
    label(number_x, y + 17, "number end", std::to_string(row.number));
    label(clock_x, y + 17, "number end", clock_text(chart_, row.clock));
    if (row.mover) action(at);
    if (row.number == 0) {
      for (std::size_t client = 0; client < row.lanes.size(); ++client) {
        if (row.lanes[client] == Lane::dead) label(lane_x(client) + 10, y + 17, "act", "✗ crashed");
      }
    }
    label(store_x_, y + 17, "value", cut(row.value, row.note.empty() ? store_width : 120));
    label(store_x_ + 126, y + 17, row.violation ? "note bad" : "note", cut(row.note, 106));
    text_ += "</g>\n";
  }

  void lane(std::size_t client, Lane lane, int y) {
    const int x = lane_x(client);
    if (lane == Lane::done) return;
    if (believes(lane)) {
      text_ += "<rect class=\"" + std::string(lane == Lane::holds ? "holds" : "outlived") +
               " client-" + std::to_string(client % 8) + "\" x=\"" + number(x - 5) + "\" y=\"" +
               number(y) + "\" width=\"10\" height=\"" + number(row_height) + "\"/>\n";
      return;
    }
    text_ += "<path class=\"" + std::string(lane == Lane::dead ? "dead" : "alive") + "\" d=\"M" +
             number(x) + " " + number(y) + "v" + number(row_height) + "\"/>\n";
  }

  // Applied in one step and answered in another: the arrow slants from the one to the other.
  void action(std::size_t at) {
    const ChartRow& row = chart_.rows[at];
    const int y = row_y(at);
    const int x = lane_x(*row.mover);
    const std::string words = sentence(row, chart_.several_keys, true);
    label(x + 10, y + 17, row.arrival ? "act hears" : "act", cut(words, lane_width - 24));
    if (row.target.empty()) return;
    std::size_t from = at;
    if (row.arrival) {
      for (std::size_t sent = at; sent-- > 0;) {
        const ChartRow& before = chart_.rows[sent];
        if (before.mover == row.mover && before.pending && before.target == row.target) {
          from = sent;
          break;
        }
      }
    }
    const int store = store_x_ - 8;
    const int mine = x + lane_width - 16;
    if (row.arrival) {
      line("answer", store, row_y(from) + 13, mine, y + 13);
    } else {
      line(row.reply == "?" || row.pending ? "request cut" : "request", mine, y + 13, store,
           y + 13);
    }
  }
  void line(const char* kind, int x1, int y1, int x2, int y2) {
    if (x1 == x2) return;
    text_ += "<path class=\"" + std::string(kind) + "\" marker-end=\"url(#head)\" d=\"M" +
             number(x1) + " " + number(y1) + "L" + number(x2) + " " + number(y2) + "\"/>\n";
  }

  // A bracket beside the steps that repeat, with its head at the first of them.
  void loop() {
    text_ += "<path class=\"loop\" marker-end=\"url(#head)\" d=\"M12 " + number(bottom_ - 8) +
             "H4V" + number(row_y(*chart_.loop) + 13) + "H14\"/>\n";
  }

  std::string spoken(const ChartRow& row) const {
    if (row.number == 0) return "At the beginning " + chart_.key + " holds " + row.value + ".";
    std::string words =
        "Step " + std::to_string(row.number) + ", clock " + clock_text(chart_, row.clock) + ". ";
    if (row.mover) words += chart_.clients[*row.mover] + ": " + sentence(row, true, true) + ". ";
    words += chart_.key + ": " + row.value + ".";
    if (!row.note.empty()) words += " " + row.note + ".";
    return words;
  }

  int footer_lines() const {
    int lines = chart_.violation ? 1 : 0;
    for (const std::string* one : {&chart_.why, &remarks_.fix, &remarks_.replay}) {
      if (!one->empty()) ++lines;
    }
    return lines;
  }
  void footer() {
    text_ += "<path class=\"rule\" d=\"M14 " + number(bottom_ + 4) + "H" + number(width_ - 14) +
             "\"/>\n";
    int y = bottom_ + 24;
    const auto say = [&](const char* kind, const std::string& words) {
      if (words.empty()) return;
      label(footer_x, y, kind, cut(words, width_ - 2 * footer_x));
      y += footer_line;
    };
    if (chart_.violation) {
      const std::string where =
          chart_.loop ? std::string() : "step " + std::to_string(*chart_.violation) + ": ";
      say("bad", "✗ " + where + chart_.broken);
    }
    if (!chart_.why.empty()) say("note", "why: " + chart_.why);
    if (!remarks_.fix.empty()) say("note", "fix: " + remarks_.fix);
    if (!remarks_.replay.empty()) say("note", remarks_.replay);
  }

  const Chart& chart_;
  const Remarks& remarks_;
  int store_x_ = 0;
  int width_ = 0;
  int bottom_ = 0;
  std::string text_;
};

}  // namespace

std::string xml(std::string_view text) {
  std::string result;
  for (const char byte : printable(text, false)) {
    switch (byte) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += byte;
    }
  }
  return result;
}

std::string svg_element(const Chart& chart, const Remarks& remarks) {
  return SvgWriter(chart, remarks).write();
}

}  // namespace draw

std::string draw_svg(const Run& run, const Verdict* verdict, const Remarks& remarks) {
  std::string element = draw::svg_element(draw::make_chart(run, verdict), remarks);
  const std::size_t after_tag = element.find('\n') + 1;
  element.insert(after_tag, "<style>\n" + std::string(draw::run_style) + "</style>\n");
  return element;
}

}  // namespace interlock::sim
