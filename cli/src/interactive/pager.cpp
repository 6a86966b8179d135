#include "interactive/pager.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "console/talk.hpp"
#include "interlock/posix/descriptor.hpp"
#include "system/full_screen.hpp"
#include "system/signals.hpp"
#include "system/spawn.hpp"

namespace interlock::cli {
namespace {

// What to execute; empty: no pager.
std::vector<std::string> pager_command() {
  const char* const chosen = std::getenv("PAGER");
  if (chosen == nullptr) return {"less", "-FRX"};
  const std::string_view words(chosen);
  if (words.empty() || words == "cat") return {};
  return {"sh", "-c", std::string(words)};
}

bool fits(const std::string& text) {
  // The last row is for the prompt of the shell.
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return lines < FullScreen::rows();
}

// While a pager reads the keys, Ctrl-C is for it.
class InterruptsIgnored {
 public:
  InterruptsIgnored() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &interrupt_);
    ::sigaction(SIGQUIT, &ignore, &quit_);
  }
  InterruptsIgnored(const InterruptsIgnored&) = delete;
  InterruptsIgnored& operator=(const InterruptsIgnored&) = delete;
  ~InterruptsIgnored() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGQUIT, &quit_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction quit_ {};
};

// Ends early if the pager does.
void write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(output, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

int answer_by_pages(const std::string& text) {
  const std::vector<std::string> command = pager_command();
  if (command.empty() || !FullScreen::is_possible() || fits(text)) return answer(text);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return answer(text);
  posix::Descriptor input(ends[0]);
  posix::Descriptor output(ends[1]);
  // As git does: a reader who has chosen LESS keeps it.
  ::setenv("LESS", "FRX", 0);
  const InterruptsIgnored interrupts;
  ignore_broken_pipes();
  SpawnRules rules;
  rules.standard_input(input.get());
  const auto pager = rules.start(command);
  if (!pager) return answer(text);
  input.reset();
  write_all(output.get(), text);
  output.reset();
  int status = 0;
  while (::waitpid(*pager, &status, 0) < 0 && errno == EINTR) {
  }
  const bool not_there = WIFEXITED(status) && (WEXITSTATUS(status) == not_found ||
                                               WEXITSTATUS(status) == not_executable);
  return not_there ? answer(text) : static_cast<int>(success);
}

}  // namespace interlock::cli
