#include "lab/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "interlock/detail/number.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::cli {
namespace {

using Bytes = std::optional<std::uint64_t>;

Bytes number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// `MemAvailable:   16316664 kB`
Bytes left_on_machine() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  for (std::string unit; file >> name >> kibibytes; std::getline(file, unit)) {
    if (name == "MemAvailable:") return kibibytes << 10;
  }
  return std::nullopt;
}

// If the group has no limit of its own, memory.max reads `max`.
Bytes left_in_cgroup() {
  const Bytes most = number_in("/sys/fs/cgroup/memory.max");
  const Bytes used = number_in("/sys/fs/cgroup/memory.current");
  if (!most || !used) return std::nullopt;
  return *most - std::min(*most, *used);
}

// The first number of statm is the size of the address space in pages.
Bytes left_to_process() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::uint64_t page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t used = number_in("/proc/self/statm").value_or(0) * page;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

Fallible<std::uint64_t> parse_memory(const Given& given, const char* example) {
  std::string_view rest = given.text;
  const std::uint64_t number = detail::take_number<std::uint64_t>(rest).value_or(0);
  int shift = 0;
  if (rest.size() == 1) {
    const std::string units = "KMG";
    const std::size_t unit = units.find(rest.front());
    if (unit != std::string::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      rest = {};
    }
  }
  const bool fits = number <= ~std::uint64_t{0} >> shift;
  if (number == 0 || !rest.empty() || !fits) {
    return Failure(
        given.fault_code(),
        fmt::format("{} is no size; write {}, or 2G: a number of bytes, or K, M or G of them, "
                    "below 2^64",
                    given.said(), example));
  }
  return number << shift;
}

std::string memory_words(std::uint64_t bytes) {
  for (const auto& [shift, unit] :
       {std::pair(30U, "G"), std::pair(20U, "M"), std::pair(10U, "K")}) {
    if (bytes >> shift << shift == bytes) return fmt::format("{}{}", bytes >> shift, unit);
  }
  return std::to_string(bytes);
}

std::uint64_t memory_share() {
  std::uint64_t least = ~std::uint64_t{0};
  for (const Bytes& left : {left_on_machine(), left_in_cgroup(), left_to_process()}) {
    if (left) least = std::min(least, *left);
  }
  return least == ~std::uint64_t{0} ? sim::Limits::usual_memory : least / 2;
}

}  // namespace interlock::cli
