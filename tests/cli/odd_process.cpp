// odd_process without-main-thread: ends its main thread and lives on by another one, which heeds no
//   signal. Where ps(1) looks, it is a zombie.
// odd_process trace PID: traces the process until it is itself ended, and never waits for it: so
//   the process, once ended, stays a zombie for its parent, too.
#include <pthread.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

void* live_on(void*) {
  for (;;) pause();
}

int without_main_thread() {
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) std::signal(each, SIG_IGN);
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, live_on, nullptr) != 0) return 1;
  pthread_exit(nullptr);
}

int trace(const char* pid) {
  if (ptrace(PTRACE_SEIZE, std::atoi(pid), nullptr, nullptr) != 0) {
    std::perror("trace");
    return 1;
  }
  std::puts("traces");
  std::fflush(stdout);
  live_on(nullptr);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "without-main-thread") == 0) {
    return without_main_thread();
  }
  if (count == 3 && std::strcmp(arguments[1], "trace") == 0) return trace(arguments[2]);
  return 2;
}
