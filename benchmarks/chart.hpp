// Bars as a picture: one line a row, panels side by side, for the documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace interlock::benchmark {

std::string number(double value, int digits);
// Three figures that mean something: 0.42, 17.3, 1042.
std::string brief(double value);

class Panel {
 public:
  enum class Scale { linear, logarithmic };
  Panel(std::string of, Scale by, double highest, std::string unit_of_ticks = {}, double times = 1)
      : title(std::move(of)),
        scale(by),
        top(highest),
        unit(std::move(unit_of_ticks)),
        factor(times) {}
  std::string title;
  Scale scale;
  double top;  // the longest bar; a logarithmic scale begins at 1 and ends with a power of ten
  std::string unit;
  double factor;  // of what the ticks say: 100 for shares in percent
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

  // One bar for each panel; `kind` is its colour: interlock, hiredis, source, repaired.
  void row(std::string label, std::string kind, std::vector<Bar> bars);
  std::string svg() const;

 private:
  class BarRow {
   public:
    std::string label;
    std::string kind;
    std::vector<Bar> bars;
  };
  std::string name_;
  std::string title_;
  std::vector<Panel> panels_;
  std::vector<BarRow> rows_;
};

}  // namespace interlock::benchmark
