// The drawing as SVG, for the SVG file and for the HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chart.hpp"
#include "scene.hpp"

namespace interlock::sim::draw {

// `&`, `<`, `>` and quotes escaped; what is no text becomes `?`.
std::string xml(std::string_view text);

// The definitions that a drawing uses; `name` tells drawings in one page apart.
std::string svg_definitions(std::string_view name);

// The lanes and rows without the element around them. Each row is a group of class `step`, which
// says its number in `data-step`.
std::string svg_rows(const Chart& chart, const Scene& scene, std::string_view name);

// One sign of the drawing and what it means.
class LegendEntry {
 public:
  const char* sign;  // the class of its element in the rows
  const char* words;
};
constexpr int legend_sign_width = 26;

// The signs that these rows, as svg_rows() has written them, contain.
std::vector<LegendEntry> legend_of(std::string_view rows);
// The sign beside a line of text whose base line is at `y`.
std::string legend_sign(const LegendEntry& entry, int x, int y, std::string_view name);

}  // namespace interlock::sim::draw
