// Reads one value from the text of Metrics.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "interlock/metrics.hpp"

namespace interlock::test {

// The value of the sample that is written so: `interlock_held`,
// `interlock_lost_total{reason="gone"}`. None: there is no such sample, or more than one.
inline std::optional<double> metric(const Metrics& metrics, const std::string& sample) {
  const std::string text = "\n" + metrics.prometheus();
  const std::string line = "\n" + sample + " ";
  const auto at = text.find(line);
  if (at == std::string::npos || text.find(line, at + 1) != std::string::npos) return std::nullopt;
  return std::stod(text.substr(at + line.size()));
}

}  // namespace interlock::test
