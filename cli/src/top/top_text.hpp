// A look at a store's locks, in words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "top/lock_watch.hpp"

namespace interlock::cli {

// For a terminal of this size; none: for a pipe, with all rows and columns. `where` names the
// store, and `trouble` is why this look could not be had: what is shown is an earlier one.
class TopSize {
 public:
  std::size_t columns;
  std::size_t rows;
};
std::string top_text(const LockLook& look,
                     const std::string& where,
                     const std::optional<std::string>& trouble,
                     std::optional<TopSize> size);

// One line of JSON.
std::string top_json(const LockLook& look, const std::string& where);

}  // namespace interlock::cli
