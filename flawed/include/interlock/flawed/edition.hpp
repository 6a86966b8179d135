// Which text of a flawed lock runs.
#pragma once

#include <cstdint>

namespace interlock::flawed {

enum class Edition : std::uint8_t {
  as_shipped,
  repaired,  // each lock's header says what is repaired
};

}  // namespace interlock::flawed
