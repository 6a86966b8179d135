// For a program without libedit: lines are read as they come, and the terminal's own keys edit
// them.
#include "interactive/line_editor.hpp"

namespace interlock::cli {

std::unique_ptr<LineEditor> LineEditor::open() {
  return nullptr;
}

}  // namespace interlock::cli
