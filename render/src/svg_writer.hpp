// The drawing as SVG, for the SVG file and for the HTML page.
#pragma once

#include <string>

#include "chart.hpp"
#include "interlock/sim/draw.hpp"

namespace interlock::sim::draw {

// `&`, `<`, `>` and quotes escaped; what is no text becomes `?`.
std::string xml(std::string_view text);

// The element with everything in it. Each row is a group with `id="step-N"`.
std::string svg_element(const Chart& chart, const Remarks& remarks);

}  // namespace interlock::sim::draw
