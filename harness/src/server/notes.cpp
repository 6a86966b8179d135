#include "server/notes.hpp"

namespace interlock::harness {

Notes& notes() {
  static Notes all;
  return all;
}

}  // namespace interlock::harness
