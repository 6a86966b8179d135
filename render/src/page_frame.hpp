// What the pages of a run and of coverage have in common.
#pragma once

#include <string>
#include <string_view>

#include "interlock/sim/explore.hpp"

namespace interlock::sim::draw {

// From the document type to the opened element `main`, which has these attributes (` data-a="b"`).
// `style` follows the style that all pages have.
std::string page_beginning(const std::string& title,
                           std::string_view style,
                           const std::string& attributes = {});
// What follows the closed element `main`.
extern const std::string_view page_end;

// A paragraph of this class; empty: there are no words. Escapes them.
std::string page_paragraph(const char* kind, const std::string& words);

// What was found for which bounds, and what it rests on.
std::string verdict_paragraph(const Verdict& verdict);

}  // namespace interlock::sim::draw
