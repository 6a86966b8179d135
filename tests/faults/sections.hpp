// A file in which commands write that they run: the order of its lines is the order of events.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace interlock::test {

class SectionLog {
 public:
  explicit SectionLog(const ScratchFolder& folder) : path_(folder / "sections") {}

  // Shell text that writes `NAME seconds-since-boot` every few hundredths of a second, for ever,
  // whatever signal it is sent.
  std::string beats_deaf(const std::string& name) const {
    return "trap '' TERM INT HUP; " + beats(name);
  }
  std::string beats(const std::string& name) const {
    return "while read -r up idle </proc/uptime; do echo \"" + name + " $up\" >>" + path_ +
           "; sleep 0.03; done";
  }
  // Shell text that writes one such line.
  std::string once(const std::string& name) const {
    return "read -r up idle </proc/uptime; echo \"" + name + " $up\" >>" + path_;
  }

  bool has(const std::string& name) const { return count(name) > 0; }
  int count(const std::string& name) const {
    int found = 0;
    for (const std::string& line : lines()) found += line.starts_with(name + " ") ? 1 : 0;
    return found;
  }
  // Every line of `first` stands before every line of `second`.
  bool all_before(const std::string& first, const std::string& second) const {
    bool second_seen = false;
    for (const std::string& line : lines()) {
      if (line.starts_with(second + " ")) second_seen = true;
      if (second_seen && line.starts_with(first + " ")) return false;
    }
    return true;
  }
  // On the clock of local_now(), to a hundredth of a second, rounded down.
  TimePoint first_of(const std::string& name) const { return times(name).front(); }
  TimePoint last_of(const std::string& name) const { return times(name).back(); }

 private:
  std::vector<std::string> lines() const { return lines_of(contents(path_)); }
  std::vector<TimePoint> times(const std::string& name) const {
    std::vector<TimePoint> found;
    for (const std::string& line : lines()) {
      if (!line.starts_with(name + " ")) continue;
      const double seconds = std::stod(line.substr(name.size() + 1));
      found.emplace_back(
          std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
    }
    return found;
  }

  std::string path_;
};

}  // namespace interlock::test
