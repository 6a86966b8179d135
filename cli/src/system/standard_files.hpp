// Descriptors 0, 1 and 2, which a caller may have closed.
#pragma once

#include <array>

namespace interlock::cli {

// Which of them were open when the program began.
using StandardFiles = std::array<bool, 3>;

// Fills the closed ones with a descriptor whose first use fails, as it would on a closed one.
// Otherwise the next file that is opened, a database perhaps, would become "standard output".
StandardFiles fill_standard_files();

}  // namespace interlock::cli
