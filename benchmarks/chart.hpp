// Figures as a picture for the documents: one line a row, panels side by side or below each other.
// Bars begin at nought; where a scale is logarithmic, lengths mean nothing, and dots are drawn.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace interlock::benchmark {

std::string number(double value, int digits);
// Three figures that mean something: 0.42, 17.3, 1042.
std::string brief(double value);

class Panel {
 public:
  enum class Scale { linear, logarithmic };
  // `times` is what the ticks say for one: 100 for shares in percent.
  Panel(std::string of, Scale by, std::string unit_of_ticks = {}, double times = 1)
      : title(std::move(of)), scale(by), unit(std::move(unit_of_ticks)), factor(times) {}
  std::string title;
  Scale scale;
  std::string unit;
  double factor;
  // The axis ends here at least; it covers the figures in any case.
  double least_end = 0;
};

class Bar {
 public:
  Bar(double is, std::string beside) : value(is), text(std::move(beside)) {}
  double value;
  std::string text;
  // The spread: a thin line from the lowest to the highest.
  std::optional<double> lowest;
  std::optional<double> highest;
};

class BarChart {
 public:
  BarChart(std::string name, std::string title, std::vector<Panel> panels)
      : name_(std::move(name)), title_(std::move(title)), panels_(std::move(panels)) {}

  // What a colour means; kinds without words, and those that no row has, are not in the legend.
  void legend(std::string kind, std::string words);
  // One bar for each panel; `kind` is its colour: interlock, hiredis, source, repaired.
  void row(std::string label, std::string kind, std::vector<Bar> bars);
  std::string svg() const;
  // The picture in words, for those who do not see it: what it shows, and with all figures.
  std::string alternative() const;
  std::string description() const;

 private:
  class BarRow {
   public:
    std::string label;
    std::string kind;
    std::vector<Bar> bars;
  };
  friend class ChartDrawing;

  std::string name_;
  std::string title_;
  std::vector<Panel> panels_;
  std::vector<BarRow> rows_;
  std::vector<std::pair<std::string, std::string>> legend_;
};

// An axis with round ticks.
class Axis {
 public:
  // Covers all figures, given as the smallest above nought and the largest.
  Axis(const Panel& panel, double smallest, double largest);

  // From 0 to 1.
  double place(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  bool logarithmic_;
  double begin_ = 0;  // decades of a logarithmic axis
  double end_ = 1;
  std::vector<double> ticks_;
};

}  // namespace interlock::benchmark
