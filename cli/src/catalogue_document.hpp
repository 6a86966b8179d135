// The catalogue as one document: docs/how-to-break-a-distributed-lock.md.
#pragma once

#include <string>

#include "failure.hpp"

namespace interlock::cli {

// In Markdown, with every run searched for and drawn; the same text on every machine. Fails with
// `undecided` if a scenario is not what the catalogue says.
Outcome<std::string> catalogue_document();

}  // namespace interlock::cli
