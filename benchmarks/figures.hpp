// What the benchmarks share: medians with their spread, and what processes spend.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace interlock::benchmark {

class Spread {
 public:
  double median = 0;
  double lowest = 0;
  double highest = 0;
};

inline Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Spread spread;
  if (values.empty()) return spread;
  spread.median = values[values.size() / 2];
  spread.lowest = values.front();
  spread.highest = values.back();
  return spread;
}

inline nlohmann::json json_of(const Spread& spread) {
  return {{"median", spread.median}, {"min", spread.lowest}, {"max", spread.highest}};
}

// What a process has spent on its processors: unlike elapsed time it hardly depends on what else
// the machine does. Of a process with one thread.
inline double cpu_us(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/schedstat");
  double nanoseconds = 0;
  file >> nanoseconds;
  return nanoseconds / 1000;
}

inline double own_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// A field of /proc/PID/status, or of the `status` of one of its threads: `VmRSS` and `VmHWM` in kB,
// `voluntary_ctxt_switches`. 0: there is none.
inline double status_field(const std::filesystem::path& status, const std::string& field) {
  std::ifstream file(status);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1));
  }
  return 0;
}

inline double own_status_field(const std::string& field) {
  return status_field("/proc/self/status", field);
}

// From here on VmHWM is the peak since now.
inline void forget_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace interlock::benchmark
