#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace interlock::benchmark {
namespace {

constexpr double width = 860;  // of a document's column
constexpr double margin = 16;
constexpr double bold_width = 8.3;       // of a character of a panel's head
constexpr double character_width = 7.4;  // of the widest fonts that `style` may find, on average
constexpr std::size_t label_most = 34;   // characters of a line, beside several panels
constexpr std::size_t label_roomy = 46;  // beside one
constexpr double value_room = 84;        // to the right of each panel
constexpr double panel_least = 150;      // with less, panels stand below each other
constexpr double panel_most = 460;
constexpr double line_height = 17;
constexpr double row_gap = 7;
constexpr double bar_height = 14;

constexpr const char* style = R"(<style>
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; fill: #14191f }
  .title { font-size: 16px; font-weight: 600 }
  .head { font-weight: 600 }
  .quiet { fill: #55606c }
  .sheet { fill: #fff; stroke: #cdd5dd }
  .axis { stroke: #55606c }
  .grid { stroke: #cdd5dd }
  .spread { stroke: #14191f; stroke-width: 1.5 }
  .interlock { fill: #0a5cad }
  .hiredis { fill: #b45309 }
  .source { fill: #00755a }
  .repaired { fill: #8b3a8b }
  @media screen and (prefers-color-scheme: dark) {
    text { fill: #e7edf3 }
    .quiet { fill: #9daab7 }
    .sheet { fill: #151b22; stroke: #323d49 }
    .axis { stroke: #9daab7 }
    .grid { stroke: #323d49 }
    .spread { stroke: #e7edf3 }
    .interlock { fill: #66b3ff }
    .hiredis { fill: #f2a65a }
    .source { fill: #4fd1a5 }
    .repaired { fill: #dd9fe0 }
  }
</style>
)";

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char byte : text) {
    if (byte == '<') {
      safe += "&lt;";
    } else if (byte == '&') {
      safe += "&amp;";
    } else {
      safe += byte;
    }
  }
  return safe;
}

double width_of(const std::string& text) {
  return character_width * static_cast<double>(text.size());
}

std::vector<std::string> lines_of(const std::string& label, std::size_t most) {
  std::vector<std::string> lines{""};
  for (std::size_t at = 0; at < label.size();) {
    const std::size_t end = std::min(label.find(' ', at), label.size());
    const std::string word = label.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines;
}

// `0.25`, `150`, `10 k`
std::string tick_text(double value) {
  const bool thousands = value >= 10000;
  const bool millions = value >= 1e6;
  char text[64];
  std::snprintf(text, sizeof text, "%.6g",
                millions    ? value / 1e6
                : thousands ? value / 1e3
                            : value);
  return std::string(text) + (millions ? " M" : thousands ? " k" : "");
}

}  // namespace

class ChartDrawing {
 public:
  explicit ChartDrawing(const BarChart& chart) : chart_(chart) { measure(); }

  std::string svg() {
    y_ = margin + 16;
    write(margin, y_, chart_.title_, "title", "start");
    y_ += 24;
    legend();
    if (stacked_) {
      for (std::size_t panel = 0; panel < chart_.panels_.size(); ++panel) block({panel});
    } else {
      std::vector<std::size_t> all;
      for (std::size_t panel = 0; panel < chart_.panels_.size(); ++panel) all.push_back(panel);
      block(all);
    }
    return framed();
  }

 private:
  void measure() {
    const std::size_t count = std::max<std::size_t>(chart_.panels_.size(), 1);
    place_columns(count);
    stacked_ = panel_width_ < panel_least;
    if (stacked_ || count == 1) {
      letters_ = label_roomy;
      place_columns(1);
    }
    for (std::size_t panel = 0; panel < chart_.panels_.size(); ++panel) {
      axes_.push_back(axis_of(panel));
    }
  }

  void place_columns(std::size_t panels) {
    double longest = 60;
    for (const auto& row : chart_.rows_) {
      for (const std::string& one : label_of(row)) longest = std::max(longest, width_of(one));
    }
    left_ = margin + longest + 12;
    panel_width_ = std::min(panel_most, (width - left_) / static_cast<double>(panels) - value_room);
  }
  template <class Row>
  std::vector<std::string> label_of(const Row& row) const {
    return lines_of(row.label, letters_);
  }

  Axis axis_of(std::size_t panel) const {
    double smallest = 1e300;
    double largest = 0;
    for (const auto& row : chart_.rows_) {
      if (panel >= row.bars.size()) continue;
      const Bar& bar = row.bars[panel];
      for (const double value :
           {bar.value, bar.lowest.value_or(bar.value), bar.highest.value_or(bar.value)}) {
        if (value > 0) smallest = std::min(smallest, value);
        largest = std::max(largest, value);
      }
    }
    return Axis(chart_.panels_[panel], largest > 0 ? smallest : 1, largest);
  }

  // --- pieces ------------------------------------------------------------------------------------
  void write(double x, double y, const std::string& what, const char* kind, const char* anchor) {
    drawn_ += "<text x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" class=\"" + kind +
              "\" text-anchor=\"" + anchor + "\">" + escaped(what) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char* kind) {
    drawn_ += "<line x1=\"" + number(x1, 1) + "\" x2=\"" + number(x2, 1) + "\" y1=\"" +
              number(y1, 1) + "\" y2=\"" + number(y2, 1) + "\" class=\"" + kind + "\"/>\n";
  }
  void block_of(double x, double y, double wide, const std::string& kind) {
    drawn_ += "<rect x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" width=\"" +
              number(std::max(1.0, wide), 1) + "\" height=\"" + number(bar_height, 0) +
              "\" class=\"" + kind + "\"/>\n";
  }
  void dot(double x, double y, const std::string& kind) {
    drawn_ += "<circle cx=\"" + number(x, 1) + "\" cy=\"" + number(y, 1) + "\" r=\"5\" class=\"" +
              kind + "\"/>\n";
  }

  bool has_spread() const {
    return std::any_of(chart_.rows_.begin(), chart_.rows_.end(), [](const auto& row) {
      return std::any_of(row.bars.begin(), row.bars.end(),
                         [](const Bar& bar) { return bar.lowest && bar.highest; });
    });
  }
  bool has_rows_of(const std::string& kind) const {
    return std::any_of(chart_.rows_.begin(), chart_.rows_.end(),
                       [&](const auto& row) { return row.kind == kind; });
  }

  void legend() {
    double x = margin;
    const auto entry = [&](const std::string& words, const auto& sign) {
      const double room = 22 + width_of(words) + 20;
      if (x > margin && x + room > width - margin) {
        x = margin;
        y_ += 20;
      }
      sign(x);
      write(x + 22, y_, words, "quiet", "start");
      x += room;
    };
    for (const auto& [kind, words] : chart_.legend_) {
      if (!has_rows_of(kind)) continue;
      entry(words, [&, of = kind](double left) { dot(left + 7, y_ - 4, of); });
    }
    if (has_spread()) {
      entry("from the lowest to the highest of all runs",
            [&](double left) { line(left, y_ - 4, left + 16, y_ - 4, "spread"); });
    }
    if (x > margin) y_ += 12;
  }

  // --- panels side by side -----------------------------------------------------------------------
  double left_of(std::size_t place) const {
    return left_ + static_cast<double>(place) * (panel_width_ + value_room);
  }

  void block(const std::vector<std::size_t>& panels) {
    std::size_t head_lines = 1;
    for (const std::size_t panel : panels) head_lines = std::max(head_lines, head_of(panel).size());
    y_ += line_height * static_cast<double>(head_lines - 1);
    const double top = y_ + 52;
    double bottom = top;
    for (const auto& row : chart_.rows_) bottom += height_of(row);
    for (std::size_t place = 0; place < panels.size(); ++place) {
      axis(panels[place], left_of(place), top, bottom);
    }
    y_ = top;
    for (const auto& row : chart_.rows_) {
      const double height = height_of(row);
      const auto lines = label_of(row);
      double base = y_ + (height - line_height * static_cast<double>(lines.size())) / 2 + 12;
      for (const std::string& one : lines) {
        write(left_ - 12, base, one, "", "end");
        base += line_height;
      }
      for (std::size_t place = 0; place < panels.size(); ++place) {
        if (panels[place] >= row.bars.size()) continue;
        figure(panels[place], row.bars[panels[place]], row.kind, left_of(place), y_ + height / 2);
      }
      y_ += height;
    }
    y_ += 8;
  }
  template <class Row>
  double height_of(const Row& row) const {
    return line_height * static_cast<double>(label_of(row).size()) + row_gap;
  }

  std::vector<std::string> head_of(std::size_t panel) const {
    const double room = panel_width_ + value_room - margin;
    return lines_of(chart_.panels_[panel].title, static_cast<std::size_t>(room / bold_width));
  }

  void axis(std::size_t panel, double left, double top, double bottom) {
    const Panel& of = chart_.panels_[panel];
    const std::vector<std::string> head = head_of(panel);
    double base = y_ + 16 - line_height * static_cast<double>(head.size() - 1);
    for (const std::string& one : head) {
      write(left, base, one, "head", "start");
      base += line_height;
    }
    for (const double tick : axes_[panel].ticks()) {
      const double x = left + panel_width_ * axes_[panel].place(tick);
      line(x, top - 6, x, bottom, tick == axes_[panel].ticks().front() ? "axis" : "grid");
      write(x, top - 11, tick_text(tick * of.factor) + of.unit, "quiet", "middle");
    }
  }

  void figure(
      std::size_t panel, const Bar& bar, const std::string& kind, double left, double middle) {
    const auto at = [&](double value) { return left + panel_width_ * axes_[panel].place(value); };
    double end = at(bar.value);
    if (chart_.panels_[panel].scale == Panel::Scale::linear) {
      block_of(left, middle - bar_height / 2, end - left, kind);
    }
    if (bar.lowest && bar.highest)
      line(at(*bar.lowest), middle, at(*bar.highest), middle, "spread");
    if (chart_.panels_[panel].scale == Panel::Scale::logarithmic) {
      dot(end, middle, kind);
      end += 5;
    }
    if (bar.highest) end = std::max(end, at(*bar.highest));
    write(end + 6, middle + 5, bar.text, "quiet", "start");
  }

  std::string framed() const {
    const std::string height = number(y_ + margin - 8, 0);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width, 0) + " " +
           height + "\" role=\"img\" aria-labelledby=\"name what\">\n<title id=\"name\">" +
           escaped(chart_.name_) + "</title>\n<desc id=\"what\">" + escaped(chart_.description()) +
           "</desc>\n" + style + "<rect class=\"sheet\" x=\"0.5\" y=\"0.5\" width=\"" +
           number(width - 1, 0) + "\" height=\"" + number(y_ + margin - 9, 0) + "\" rx=\"10\"/>\n" +
           drawn_ + "</svg>\n";
  }

  const BarChart& chart_;
  std::vector<Axis> axes_;
  std::size_t letters_ = label_most;
  double left_ = 0;
  double panel_width_ = 0;
  double y_ = 0;
  bool stacked_ = false;
  std::string drawn_;
};

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string brief(double value) {
  if (value >= 100) return number(value, 0);
  return number(value, value >= 10 ? 1 : 2);
}

void BarChart::legend(std::string kind, std::string words) {
  legend_.emplace_back(std::move(kind), std::move(words));
}

void BarChart::row(std::string label, std::string kind, std::vector<Bar> bars) {
  BarRow row;
  row.label = std::move(label);
  row.kind = std::move(kind);
  row.bars = std::move(bars);
  rows_.push_back(std::move(row));
}

std::string BarChart::alternative() const {
  std::string text = name_ + ": " + title_;
  for (const Panel& panel : panels_) text += "; " + panel.title;
  return text;
}

std::string BarChart::description() const {
  std::string text = title_ + ".";
  for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
    text += " " + panels_[panel].title + ": ";
    std::string list;
    for (const BarRow& row : rows_) {
      if (panel >= row.bars.size()) continue;
      list += (list.empty() ? "" : "; ") + row.label + " " + row.bars[panel].text;
    }
    text += list + ".";
  }
  return text;
}

std::string BarChart::svg() const {
  return ChartDrawing(*this).svg();
}

}  // namespace interlock::benchmark
