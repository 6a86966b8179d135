#include "system/peak_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace interlock::cli {

void restart_peak_memory() {
  // proc(5): 5 resets the peak (VmHWM) to the memory of this moment.
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") {
      std::uint64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace interlock::cli
