// Built with exceptions, unlike most of core: what it calls destroys its copy of the exception on
// the way out, which code without exceptions does not.
#include <utility>

#include "interlock/task.hpp"

namespace interlock::detail {

void throw_again(std::exception_ptr& thrown) {
  std::rethrow_exception(std::exchange(thrown, nullptr));
}

}  // namespace interlock::detail
