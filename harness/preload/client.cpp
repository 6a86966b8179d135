#include "client.hpp"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace interlock_preload {

namespace {

// 1 is the main thread, which needs no number. 0: it has none.
thread_local int thread_number = 0;

// Which thread is the main one, and of which process: a child that is forked has its own. 0: the
// first one.
pid_t main_thread = 0;
pid_t main_process = 0;

// Puts the thread's number behind a question.
void append_thread(char* line, size_t size) {
  const size_t length = strlen(line);
  if (thread_number <= 1 || length == 0 || line[length - 1] != '\n') return;
  snprintf(line + length - 1, size - length + 1, " @%d\n", thread_number);
}

}  // namespace

bool is_program(const char* name) {
  return strncmp(program_invocation_short_name, name, strlen(name)) == 0;
}

bool is_simulated_thread() {
  if (thread_number > 1) return true;
  const pid_t process = getpid();
  return syscall(SYS_gettid) == (main_process == process ? main_thread : process);
}

void become_main_thread() {
  main_thread = static_cast<pid_t>(syscall(SYS_gettid));
  main_process = getpid();
}

bool ask_in_any_thread(const char* question, char* answer, size_t size) {
  const char* const path = getenv("INTERLOCK_CONTROL");
  if (path == nullptr || *path == '\0') return false;
  const int saved = errno;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  bool answered = false;
  char line[256];  // a copy: the question may be a constant
  snprintf(line, sizeof line, "%s", question);
  append_thread(line, sizeof line);
  const size_t length = strlen(line);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(fd, line, length, MSG_NOSIGNAL) == static_cast<ssize_t>(length)) {
    size_t got = 0;
    while (got + 1 < size) {
      const ssize_t n = recv(fd, answer + got, size - 1 - got, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      got += static_cast<size_t>(n);
      if (answer[got - 1] == '\n') {
        answered = true;
        break;
      }
    }
    answer[got] = '\0';
  }
  close(fd);
  errno = saved;
  return answered;
}

bool ask(const char* question, char* answer, size_t size) {
  return is_simulated_thread() && ask_in_any_thread(question, answer, size);
}

void refuse(const char* what) {
  char question[256];
  char answer[64];
  snprintf(question, sizeof question, "X %s\n", what);
  ask_in_any_thread(question, answer, sizeof answer);
}

void refuse_other_thread(const char* what) {
  if (is_simulated_thread()) return;
  char text[128];
  snprintf(text, sizeof text, "%s in a thread, and the threads of a client are not modelled", what);
  refuse(text);
}

bool is_client_thread() {
  return getenv("INTERLOCK_CONTROL") != nullptr && is_simulated_thread();
}

namespace {

// The search is told that this program is one whose clocks it answers.
[[gnu::constructor]] void say_hello() {
  char answer[64];
  ask_in_any_thread("L\n", answer, sizeof answer);
}

}  // namespace
}  // namespace interlock_preload

#pragma GCC visibility push(default)
extern "C" {

// For adaptors: gives the calling thread its number, at least 2.
void interlock_thread(int number) {
  interlock_preload::thread_number = number;
}

}  // extern "C"
#pragma GCC visibility pop
