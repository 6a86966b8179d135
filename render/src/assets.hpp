// The files of render/assets, compiled in (cmake/interlock_embed_texts.cmake).
#pragma once

#include <string_view>

namespace interlock::sim::draw {

extern const std::string_view page_style;
extern const std::string_view page_script;
// What the classes of a drawing look like, in an SVG file and in a page.
extern const std::string_view run_style;
// What a page of coverage has besides.
extern const std::string_view coverage_style;

}  // namespace interlock::sim::draw
