// Figures as a table for terminals, for a document, for programs, and as a picture.
#pragma once

#include <string>
#include <vector>

#include "field.hpp"

namespace interlock::load {

std::string as_table(const std::vector<Figures>& all, const Setting& setting);
std::string as_markdown(const std::vector<Figures>& all, const Setting& setting);
// One object.
std::string as_json(const std::vector<Figures>& all, const Setting& setting);
// The share of the ideal rate, and what a section costs the server.
std::string as_svg(const std::vector<Figures>& all, const Setting& setting);

}  // namespace interlock::load
