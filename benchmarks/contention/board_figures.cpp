#include "board_figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace interlock::contention {

namespace {

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  return values[at];
}

nlohmann::ordered_json spread(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double count = std::max<double>(1, static_cast<double>(values.size()));
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  return {{"p50", percentile(values, 0.5)},
          {"p99", percentile(values, 0.99)},
          {"max", percentile(values, 1)},
          {"mean", mean},
          {"sd_over_mean", mean > 0 ? deviation / mean : 0}};
}

double jain(const std::map<int, int>& sections_of, int clients) {
  double sum = 0;
  double squares = 0;
  for (const auto& [client, count] : sections_of) {
    sum += count;
    squares += static_cast<double>(count) * count;
  }
  return squares > 0 ? sum * sum / (clients * squares) : 0;
}

}  // namespace

nlohmann::ordered_json figures(const ContentionSettings& settings, SectionBoard& board) {
  std::vector<double> waits;
  std::vector<double> hand_offs;
  std::map<int, int> sections_of;
  for (int number = 0; number < settings.sections; ++number) {
    const SectionTimes& section = board.section(number);
    waits.push_back(static_cast<double>(section.entered - section.asked) / 1e6);
    ++sections_of[section.client];
    if (number == 0) continue;
    const SectionTimes& before = board.section(number - 1);
    if (before.client == section.client) continue;
    hand_offs.push_back(static_cast<double>(section.entered - before.left) / 1e3);
  }
  const double seconds =
      static_cast<double>(board.section(settings.sections - 1).left - board.section(0).entered) /
      1e9;
  const double rate = settings.sections / seconds;
  nlohmann::ordered_json json;
  json["sections_per_second"] = rate;
  json["wait_ms"] = spread(waits);
  json["hand_off_us"] = spread(hand_offs);
  json["hand_offs_to_another"] =
      static_cast<double>(hand_offs.size()) / std::max(1, settings.sections - 1);
  json["jain_index"] = jain(sections_of, settings.clients);
  json["overlaps"] = board.shared().overlaps.load();
  json["failures"] = board.shared().failures.load();
  return json;
}

}  // namespace interlock::contention
