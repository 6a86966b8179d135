#include "system/heap.hpp"

#include <malloc.h>

namespace interlock::cli {

void share_one_heap() noexcept {
#ifdef M_ARENA_MAX  // glibc's
  ::mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace interlock::cli
