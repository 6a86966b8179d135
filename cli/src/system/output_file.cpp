#include "system/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "console/talk.hpp"
#include "system/report_file.hpp"

namespace interlock::cli {

int write_output(const std::string& file, const std::string& text) {
  if (file == "-") return answer(text);
  if (ReportFile::replace(file, text)) return success;
  return fail(
      Failure(operating_system, fmt::format("'{}' cannot be written: {}: choose another file",
                                            printable(file), std::strerror(errno))));
}

}  // namespace interlock::cli
