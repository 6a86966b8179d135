// The picture: two rows of bars side by side, one line a lock.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report.hpp"

namespace interlock::load {
namespace {

constexpr double label_width = 250;
constexpr double panel_width = 250;
constexpr double gap = 90;
constexpr double row_height = 24;
constexpr double top = 96;
constexpr double bar = 14;

constexpr const char* style = R"(<style>
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .title { font-size: 16px; font-weight: 600 }
  .quiet { fill: #666 }
  .axis { stroke: #999; stroke-width: 1 }
  .grid { stroke: #ddd; stroke-width: 1 }
  .interlock { fill: #1b7f4d }
  .hiredis { fill: #4a6fa5 }
  .source { fill: #b5651d }
  .repaired { fill: #8a7fb5 }
</style>
)";

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string brief(double value) {
  if (value >= 100) return number(value, 0);
  return number(value, value >= 10 ? 1 : 2);
}

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

class Plot {
 public:
  Plot(const std::vector<Figures>& all, const Setting& setting) {
    for (const Figures& one : all) {
      dearest_ = std::max(dearest_, one.commands_per_section);
    }
    decades_ = std::max(1.0, std::ceil(std::log10(dearest_)));
    height_ = top + row_height * static_cast<double>(all.size()) + 40;
    title(setting);
    axes();
    for (std::size_t at = 0; at < all.size(); ++at) row(all[at], at);
  }

  std::string svg() const {
    const std::string width = number(label_width + 2 * panel_width + gap + 90, 0);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " +
           number(height_, 0) + "\" width=\"" + width + "\" height=\"" + number(height_, 0) +
           "\" role=\"img\">\n<title>Locks under load</title>\n" + style +
           "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + text_ + "</svg>\n";
  }

 private:
  static double second() { return label_width + panel_width + gap; }

  void write(double x, double y, const std::string& what, const char* kind, const char* anchor) {
    text_ += "<text x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" class=\"" + kind +
             "\" text-anchor=\"" + anchor + "\">" + escaped(what) + "</text>\n";
  }
  void line(double x, const char* kind) {
    text_ += "<line x1=\"" + number(x, 1) + "\" x2=\"" + number(x, 1) + "\" y1=\"" +
             number(top - 8, 1) + "\" y2=\"" + number(height_ - 36, 1) + "\" class=\"" + kind +
             "\"/>\n";
  }

  void title(const Setting& setting) {
    write(16, 28,
          std::to_string(setting.clients) + " clients, one lock, sections of " +
              std::to_string(setting.section / milliseconds{1}) + " ms",
          "title", "start");
    write(label_width, 56, "rate, share of the ideal", "", "start");
    write(second(), 56, "server commands for one section (log scale)", "", "start");
  }

  void axes() {
    for (int share = 0; share <= 100; share += 25) {
      const double x = label_width + panel_width * share / 100;
      line(x, share == 0 ? "axis" : "grid");
      write(x, top - 14, std::to_string(share) + " %", "quiet", "middle");
    }
    for (int decade = 0; decade <= static_cast<int>(decades_); ++decade) {
      const double x = second() + panel_width * decade / decades_;
      line(x, decade == 0 ? "axis" : "grid");
      write(x, top - 14, power_text(decade), "quiet", "middle");
    }
  }

  void row(const Figures& one, std::size_t at) {
    const double y = top + row_height * static_cast<double>(at);
    const double middle = y + bar - 2;
    write(label_width - 10, middle, one.lock + ", " + one.waits, "", "end");
    block(label_width, y, panel_width * std::min(1.0, one.share), one.who);
    write(label_width + panel_width * std::min(1.0, one.share) + 6, middle, brief(one.rate) + "/s",
          "quiet", "start");
    const double cost = std::max(0.0, std::log10(std::max(1.0, one.commands_per_section)));
    block(second(), y, panel_width * cost / decades_, one.who);
    write(second() + panel_width * cost / decades_ + 6, middle, brief(one.commands_per_section),
          "quiet", "start");
  }

  void block(double x, double y, double width, const std::string& kind) {
    text_ += "<rect x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" width=\"" +
             number(std::max(1.0, width), 1) + "\" height=\"" + number(bar, 0) + "\" class=\"" +
             kind + "\"/>\n";
  }

  double dearest_ = 1;
  double decades_ = 1;
  double height_ = 0;
  std::string text_;
};

}  // namespace

std::string as_svg(const std::vector<Figures>& all, const Setting& setting) {
  return Plot(all, setting).svg();
}

}  // namespace interlock::load
