// Random bytes, and the paths at which languages without a way of their own ask the search.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client.hpp"

namespace interlock_preload {

bool fill_random(void* into, size_t size) {
  auto* bytes = static_cast<unsigned char*>(into);
  if (getenv("INTERLOCK_CHANCE") != nullptr && getenv("INTERLOCK_CONTROL") != nullptr) {
    memset(bytes, 'x', size);
    return true;
  }
  for (size_t at = 0; at < size;) {
    const size_t some = size - at < 64 ? size - at : 64;
    char question[32];
    char answer[160];
    snprintf(question, sizeof question, "R %zu\n", some);
    if (!ask(question, answer, sizeof answer)) return false;
    for (size_t i = 0; i < some; ++i, ++at) {
      char digits[3] = {answer[2 * i], answer[2 * i + 1], '\0'};
      bytes[at] = static_cast<unsigned char>(strtoul(digits, nullptr, 16));
    }
  }
  return true;
}

namespace {

int make_file(const void* bytes, size_t size) {
  const int file = memfd_create("answer", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes, size) != static_cast<ssize_t>(size)) return file;
  lseek(file, 0, SEEK_SET);
  return file;
}

// A file instead of a device that never ends: runtimes read more from it than they need. The first
// bytes are the search's, and the rest follows from them (xorshift). -1: this process is no client.
int make_device() {
  static uint64_t words[8192];
  constexpr size_t asked = 8;
  if (!fill_random(words, asked * sizeof words[0])) return -1;
  for (size_t i = asked; i < sizeof words / sizeof words[0]; ++i) {
    uint64_t next = words[i - 1] ^ words[i - asked] ^ (i << 32);
    next ^= next << 13;
    next ^= next >> 7;
    next ^= next << 17;
    words[i] = next;
  }
  return make_file(words, sizeof words);
}

// A file with what the search says to this question; -1: the path is another one.
int open_answer(const char* path) {
  if (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0) return make_device();
  const bool token = strcmp(path, "/interlock/token") == 0;
  const bool digits = strcmp(path, "/interlock/random") == 0;
  const bool clock = strcmp(path, "/interlock/time") == 0;
  const bool wall = strcmp(path, "/interlock/wall") == 0;
  constexpr const char* refused = "/interlock/refused/";
  if (strncmp(path, refused, strlen(refused)) == 0) refuse(path + strlen(refused));
  if (!token && !digits && !clock && !wall) return -1;
  const char* const question = token ? "U\n" : digits ? "R 64\n" : clock ? "T\n" : "N\n";
  char answer[512];
  return ask(question, answer, sizeof answer) ? make_file(answer, strlen(answer)) : -1;
}

}  // namespace
}  // namespace interlock_preload

using namespace interlock_preload;

#pragma GCC visibility push(default)
extern "C" {

ssize_t getrandom(void* into, size_t size, unsigned flags) {
  if (fill_random(into, size)) return static_cast<ssize_t>(size);
  return ask_machine(SYS_getrandom, into, size, flags);
}

// Paths at which languages without a way of their own ask the search, and the devices of the
// system.
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const int answer = open_answer(path);
  return answer >= 0 ? answer : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open(path, flags, mode);
}

FILE* fopen(const char* path, const char* how) {
  const int answer = open_answer(path);
  return answer >= 0 ? fdopen(answer, "r") : real<decltype(fopen)>("fopen")(path, how);
}

FILE* fopen64(const char* path, const char* how) {
  const int answer = open_answer(path);
  return answer >= 0 ? fdopen(answer, "r") : real<decltype(fopen64)>("fopen64")(path, how);
}

int getentropy(void* into, size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  return getrandom(into, size, 0) == static_cast<ssize_t>(size) ? 0 : -1;
}

}  // extern "C"
#pragma GCC visibility pop
