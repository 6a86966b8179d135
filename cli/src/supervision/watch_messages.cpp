#include "supervision/watch_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "console/talk.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

template <std::size_t N>
void copy_into(std::array<char, N>& place, const std::string& text) {
  // The last byte stays 0.
  std::copy_n(text.begin(), std::min(text.size(), N - 1), place.begin());
}

}  // namespace

Report report_of(ReportKind kind, const Process& process) {
  Report report;
  report.kind = kind;
  report.pid = process.pid;
  copy_into(report.name, process.name);
  copy_into(report.user, user_of(process.pid));
  return report;
}

std::string process_text(const Report& report) {
  std::string about = printable(report.name.data());
  if (report.user[0] != '\0') about += (about.empty() ? "" : ", ") + printable(report.user.data());
  return fmt::format("pid {}{}", report.pid, about.empty() ? "" : " (" + about + ")");
}

std::string refusal_text(const Report& report) {
  const char* const signal = signal_name(report.signal);
  if (report.number == 0) {
    return fmt::format("{} was sent to {}, which has not ended: it may work on without the lock",
                       signal, process_text(report));
  }
  return fmt::format("{} could not be sent to {}: {}: it works on without the lock", signal,
                     process_text(report), std::strerror(report.number));
}

}  // namespace interlock::cli
