#include <algorithm>
#include <cmath>

#include "chart.hpp"

namespace interlock::benchmark {
namespace {

constexpr int steps_most = 5;
constexpr int decades_labelled = 5;

// 1, 2, 2.5 or 5 times a power of ten: the smallest that needs no more steps than that.
double round_step(double end) {
  const double decade = std::pow(10, std::floor(std::log10(end / steps_most)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    // A little less is lost in rounding.
    if (end / (factor * decade) <= steps_most + 1e-9) return factor * decade;
  }
  return 10 * decade;
}

}  // namespace

Axis::Axis(const Panel& panel, double smallest, double largest)
    : logarithmic_(panel.scale == Panel::Scale::logarithmic) {
  if (!logarithmic_) {
    // Ticks are round in the unit in which they are written.
    const double end = std::max({largest, panel.least_end, 1e-9}) * panel.factor;
    const double step = round_step(end);
    const int count = static_cast<int>(std::ceil(end / step - 1e-9));
    for (int at = 0; at <= count; ++at) ticks_.push_back(at * step / panel.factor);
    end_ = ticks_.back();
    return;
  }
  const double top = std::max(largest, panel.least_end);
  begin_ = std::floor(std::log10(std::max(smallest, 1e-9)) + 1e-9);
  end_ = std::max(begin_ + 1, std::ceil(std::log10(std::max(top, 1e-9)) - 1e-9));
  const int every = end_ - begin_ > decades_labelled ? 2 : 1;
  for (int decade = 0; begin_ + decade <= end_; decade += every) {
    ticks_.push_back(std::pow(10, begin_ + decade));
  }
}

double Axis::place(double value) const {
  const double at = logarithmic_ ? std::log10(std::max(value, 1e-9)) : value;
  return std::clamp((at - begin_) / (end_ - begin_), 0.0, 1.0);
}

}  // namespace interlock::benchmark
