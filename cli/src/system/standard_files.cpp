#include "system/standard_files.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace interlock::cli {

StandardFiles fill_standard_files() {
  StandardFiles open_before{};
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    open_before.at(static_cast<std::size_t>(descriptor)) = ::fcntl(descriptor, F_GETFD) != -1;
    if (open_before.at(static_cast<std::size_t>(descriptor))) continue;
    // The lowest free number is this one. Standard input cannot be read, the others not be written.
    static_cast<void>(::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));
  }
  return open_before;
}

}  // namespace interlock::cli
