// The catalogue as one document: docs/how-to-break-a-distributed-lock.md.
#pragma once

#include <string>

#include "console/failure.hpp"

namespace interlock::cli {

// The document in Markdown. Searches and draws every run; the text is the same on every machine.
// Fails with `undecided` if the result of a scenario differs from the catalogue.
Fallible<std::string> catalogue_document();

}  // namespace interlock::cli
