// The text format of Prometheus, version 0.0.4. Source:
// https://prometheus.io/docs/instrumenting/exposition_formats/
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metric_series.hpp"

namespace interlock {

// `name="value"`, with backslashes, quotes and line ends escaped.
std::string metric_label(std::string_view name, std::string_view value);

// One set of series, and the labels that distinguish it: `lock="deploy",job="a"`; empty: none.
class LabelledSeries {
 public:
  std::string labels;
  const MetricSeries* series;
};

// All metrics of all series: the samples of one metric stand together, as the format demands.
std::string metrics_text(const std::vector<LabelledSeries>& all);

}  // namespace interlock
