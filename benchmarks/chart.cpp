#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace interlock::benchmark {
namespace {

constexpr double label_width_least = 120;
constexpr double character_width = 7.4;  // of the widest fonts that `style` may find, on average
constexpr double panel_width = 250;
constexpr double gap = 90;
constexpr double row_height = 24;
constexpr double top_margin = 96;
constexpr double bar_height = 14;

constexpr const char* style = R"(<style>
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .title { font-size: 16px; font-weight: 600 }
  .quiet { fill: #666 }
  .axis { stroke: #999; stroke-width: 1 }
  .grid { stroke: #ddd; stroke-width: 1 }
  .spread { stroke: #222; stroke-width: 1 }
  .interlock { fill: #1b7f4d }
  .hiredis { fill: #4a6fa5 }
  .source { fill: #b5651d }
  .repaired { fill: #8a7fb5 }
</style>
)";

std::string power_text(int decade) {
  const char* unit = decade < 3 ? "" : decade < 6 ? " k" : " M";
  return number(std::pow(10, decade % 3), 0) + unit;
}

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

// Where panels stand, and what is drawn there.
class Sheet {
 public:
  Sheet(std::size_t rows, std::size_t longest_label)
      : label_width_(
            std::max(label_width_least, 26 + character_width * static_cast<double>(longest_label))),
        height_(top_margin + row_height * static_cast<double>(rows) + 40) {}

  double left_of(std::size_t panel) const {
    return label_width_ + static_cast<double>(panel) * (panel_width + gap);
  }
  static double top_of(std::size_t row) {
    return top_margin + row_height * static_cast<double>(row);
  }
  double height() const { return height_; }
  const std::string& drawn() const { return drawn_; }

  void write(double x, double y, const std::string& what, const char* kind, const char* anchor) {
    drawn_ += "<text x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" class=\"" + kind +
              "\" text-anchor=\"" + anchor + "\">" + escaped(what) + "</text>\n";
  }
  void label(double y, const std::string& what) { write(label_width_ - 10, y, what, "", "end"); }
  void line(double x1, double y1, double x2, double y2, const char* kind) {
    drawn_ += "<line x1=\"" + number(x1, 1) + "\" x2=\"" + number(x2, 1) + "\" y1=\"" +
              number(y1, 1) + "\" y2=\"" + number(y2, 1) + "\" class=\"" + kind + "\"/>\n";
  }
  void tick(double x, bool first, const std::string& text) {
    line(x, top_margin - 8, x, height_ - 36, first ? "axis" : "grid");
    if (!text.empty()) write(x, top_margin - 14, text, "quiet", "middle");
  }
  void block(double x, double y, double width, const std::string& kind) {
    drawn_ += "<rect x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" width=\"" +
              number(std::max(1.0, width), 1) + "\" height=\"" + number(bar_height, 0) +
              "\" class=\"" + kind + "\"/>\n";
  }

 private:
  double label_width_;
  double height_;
  std::string drawn_;
};

double decades(const Panel& panel) {
  return std::max(1.0, std::ceil(std::log10(panel.top)));
}

double length(const Panel& panel, double value) {
  double share = 0;
  if (panel.scale == Panel::Scale::linear) {
    share = value / panel.top;
  } else {
    share = std::log10(std::max(1.0, value)) / decades(panel);
  }
  return panel_width * std::clamp(share, 0.0, 1.0);
}

void draw_axis(Sheet& sheet, const Panel& panel, double left) {
  sheet.write(left, 56, panel.title, "", "start");
  if (panel.scale == Panel::Scale::logarithmic) {
    for (int decade = 0; decade <= static_cast<int>(decades(panel)); ++decade) {
      const bool crowded = decades(panel) > 5 && decade % 2 != 0;
      sheet.tick(left + panel_width * decade / decades(panel), decade == 0,
                 crowded ? std::string() : power_text(decade));
    }
    return;
  }
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const double value = panel.top * quarter / 4 * panel.factor;
    const std::string text = value == std::floor(value) ? number(value, 0) : brief(value);
    sheet.tick(left + panel_width * quarter / 4, quarter == 0, text + panel.unit);
  }
}

void draw_bar(Sheet& sheet,
              const Panel& panel,
              const Bar& bar,
              const std::string& kind,
              double left,
              double top) {
  sheet.block(left, top, length(panel, bar.value), kind);
  double end = length(panel, bar.value);
  if (bar.lowest && bar.highest) {
    const double middle = top + bar_height / 2;
    end = std::max(end, length(panel, *bar.highest));
    sheet.line(left + length(panel, *bar.lowest), middle, left + length(panel, *bar.highest),
               middle, "spread");
  }
  sheet.write(left + end + 6, top + bar_height - 2, bar.text, "quiet", "start");
}

}  // namespace

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string brief(double value) {
  if (value >= 100) return number(value, 0);
  return number(value, value >= 10 ? 1 : 2);
}

void BarChart::row(std::string label, std::string kind, std::vector<Bar> bars) {
  BarRow row;
  row.label = std::move(label);
  row.kind = std::move(kind);
  row.bars = std::move(bars);
  rows_.push_back(std::move(row));
}

std::string BarChart::svg() const {
  std::size_t longest_label = 0;
  for (const BarRow& row : rows_) longest_label = std::max(longest_label, row.label.size());
  Sheet sheet(rows_.size(), longest_label);
  sheet.write(16, 28, title_, "title", "start");
  for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
    draw_axis(sheet, panels_[panel], sheet.left_of(panel));
  }
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    const double top = Sheet::top_of(at);
    sheet.label(top + bar_height - 2, rows_[at].label);
    for (std::size_t panel = 0; panel < rows_[at].bars.size(); ++panel) {
      draw_bar(sheet, panels_[panel], rows_[at].bars[panel], rows_[at].kind, sheet.left_of(panel),
               top);
    }
  }
  const std::string width = number(sheet.left_of(panels_.size()), 0);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " +
         number(sheet.height(), 0) + "\" width=\"" + width + "\" height=\"" +
         number(sheet.height(), 0) + "\" role=\"img\">\n<title>" + escaped(name_) + "</title>\n" +
         style + "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + sheet.drawn() +
         "</svg>\n";
}

}  // namespace interlock::benchmark
