// How wide the columns of the drawing for terminals are.
#pragma once

#include <cstddef>
#include <vector>

namespace interlock::sim::draw {

// What the columns would have to be so that nothing in them is cut.
class ColumnNeeds {
 public:
  std::vector<std::size_t> lanes;
  std::size_t value = 0;  // of the store's key, if there is a note in the row
  std::size_t note = 0;
  std::size_t store = 0;  // value and note together
};

class TextLayout {
 public:
  std::vector<std::size_t> lanes;
  std::size_t value = 0;
  std::size_t note = 0;
  bool is_whole = false;  // lanes have room for all that a step says

  std::size_t sum() const;

  // For a drawing of `width` columns, of which the first `prefix` are not these. `brief`: if steps
  // leave out what they store and, if need be, the key; `whole`: if they say everything.
  // Up to 80 columns: brief steps, and all lanes as wide as each other if no step is cut then.
  // Beyond: as many columns of the width as whole steps need.
  // If there is too little room, the columns that need more than their share get as much as each
  // other.
  static TextLayout choose(std::size_t width,
                           std::size_t prefix,
                           const ColumnNeeds& brief,
                           const ColumnNeeds& whole);
};

}  // namespace interlock::sim::draw
