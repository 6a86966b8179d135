#include "support/child.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace interlock::test {

namespace {

int run_in(pid_t child, const std::function<int()>& body) {
  if (child == 0) {
    int code = 127;
    try {
      code = body();
    } catch (...) {
    }
    _exit(code);
  }
  int status = 0;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (waitpid(child, &status, WNOHANG) != child) {
    if (std::chrono::steady_clock::now() > limit) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int in_child(const std::function<int()>& body) {
  return run_in(fork(), body);
}

int in_untold_child(const std::function<int()>& body) {
  return run_in(_Fork(), body);
}

int in_cloned_child(const std::function<int()>& body) {
  return run_in(static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0)),
                body);
}

void forbid_threads() {
  constexpr uid_t nobody = 65534;
  if (geteuid() == 0 && setresuid(nobody, nobody, nobody) != 0) {
    throw std::runtime_error("cannot become nobody");
  }
  const rlimit none{0, 0};
  if (setrlimit(RLIMIT_NPROC, &none) != 0) throw std::runtime_error("cannot forbid threads");
}

void limit_descriptors(unsigned count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = count;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::runtime_error("cannot limit descriptors");
}

}  // namespace interlock::test
