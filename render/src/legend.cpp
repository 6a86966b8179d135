// What the signs of a drawing mean.
#include <algorithm>
#include <array>
#include <iterator>

#include "svg_writer.hpp"

namespace interlock::sim::draw {
namespace {

constexpr std::array all_entries{
    LegendEntry{"arrow", "request"},
    LegendEntry{"arrow answer", "answer"},
    LegendEntry{"cross", "fault"},
    LegendEntry{"dead", "crashed"},
    LegendEntry{"holds", "believes that it holds the lock"},
    LegendEntry{"lease", "lease: shrinks until the key expires"},
    LegendEntry{"outlived", "still believes it, but its key is gone or another's"},
};

bool is_in(std::string_view rows, std::string_view sign) {
  const std::string begin = "class=\"" + std::string(sign);
  return rows.find(begin + "\"") != std::string_view::npos ||
         rows.find(begin + " client-") != std::string_view::npos ||
         rows.find(begin + " nobody") != std::string_view::npos;
}

}  // namespace

std::vector<LegendEntry> legend_of(std::string_view rows) {
  std::vector<LegendEntry> entries;
  std::copy_if(all_entries.begin(), all_entries.end(), std::back_inserter(entries),
               [rows](const LegendEntry& entry) { return is_in(rows, entry.sign); });
  return entries;
}

std::string legend_sign(const LegendEntry& entry, int x, int y, std::string_view name) {
  const std::string_view sign = entry.sign;
  const std::string left = std::to_string(x);
  const std::string middle = std::to_string(x + legend_sign_width / 2);
  const std::string centre = std::to_string(y - 4);
  const std::string open = "class=\"" + std::string(sign) + " nobody\"";
  const auto box = [&](int width) {
    return " x=\"" + std::to_string(x + (legend_sign_width - width) / 2) + "\" y=\"" +
           std::to_string(y - 12) + "\" width=\"" + std::to_string(width) + "\" height=\"16\"";
  };
  if (sign == "outlived") {
    return "<rect " + open + box(10) + " fill=\"url(#" + std::string(name) + "hatch)\"/>\n";
  }
  if (sign == "lease") {
    return "<rect class=\"lease-whole nobody\"" + box(8) + "/><rect " + open + box(4) + "/>\n";
  }
  if (sign == "cross") {
    return "<path " + open + " d=\"M" + std::to_string(x + 8) + " " + std::to_string(y - 9) +
           "l10 10m0 -10l-10 10\"/>\n";
  }
  if (sign.starts_with("arrow")) {
    const std::string right = std::to_string(x + legend_sign_width);
    const std::string way = "M" + left + " " + centre + "H" + right;
    return "<path " + open + " d=\"" + way + "\"/><path class=\"arrow-head nobody\" d=\"M" + right +
           " " + centre + "l-8 -3.5v7z\"/>\n";
  }
  return "<path " + open + " d=\"M" + middle + " " + std::to_string(y - 12) + "v16\"/>\n";
}

}  // namespace interlock::sim::draw
