#include "console/talk.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "console/json_line.hpp"

namespace interlock::cli {
namespace {

constexpr std::size_t line_longest = 4096;
constexpr std::size_t kept_most = std::size_t{64} * 1024;

// The descriptor for failures as JSON; none: they go to stderr, in words.
std::optional<int> json_descriptor;
std::optional<std::string> lock_in_failures;

// timeout: of poll(2). True also if the reader has gone: then a write fails at once.
bool takes_data(int descriptor, int timeout) {
  pollfd file{descriptor, POLLOUT, 0};
  return ::poll(&file, 1, timeout) > 0;
}

// False: errno says why.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    // Another process may have set O_NONBLOCK.
    if (written < 0 && errno == EAGAIN) {
      takes_data(descriptor, -1);
      continue;
    }
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// stderr, written without waiting. O_NONBLOCK must not be set on descriptor 2, because the command
// and the caller share its file description.
class StandardError {
 public:
  StandardError() {
    struct stat status {};
    stalls_ = ::fstat(STDERR_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
    const bool reopens = S_ISFIFO(status.st_mode) || ::isatty(STDERR_FILENO) == 1;
    // A file description of our own. Without it (no /proc, a terminal of another user) poll(2) says
    // whether a write would wait: a pipe that takes data takes PIPE_BUF bytes, unless another
    // process writes to it just then.
    if (stalls_ && reopens) {
      own_ = ::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;
  ~StandardError() {
    if (own_ >= 0) ::close(own_);
  }

  // The count of bytes written; -1: errno says why, and EAGAIN that it would have to wait.
  ssize_t write(std::string_view text) const {
    if (!stalls_) return ::write(STDERR_FILENO, text.data(), text.size());
    const std::size_t size = std::min<std::size_t>(text.size(), PIPE_BUF);
    if (own_ >= 0) return ::write(own_, text.data(), size);
    if (takes_data(STDERR_FILENO, 0)) return ::write(STDERR_FILENO, text.data(), size);
    errno = EAGAIN;
    return -1;
  }

 private:
  bool stalls_ = false;
  int own_ = -1;
};

// What stderr has not taken yet.
class Kept {
 public:
  enum class Whether { if_there_is_room, always };

  void write(std::string_view text, Whether whether) {
    const std::lock_guard lock(mutex_);
    write_some();
    const bool fits = text_.size() + text.size() <= kept_most;
    if (!fits && whether == Whether::if_there_is_room) {
      ++left_out_;
      return;
    }
    tell_left_out();
    text_ += text;
    write_some();
  }

  bool empty() {
    const std::lock_guard lock(mutex_);
    write_some();
    return text_.empty();
  }

  // Takes everything out, because a thread that waits for a reader must not keep the mutex.
  std::string take() {
    const std::lock_guard lock(mutex_);
    write_some();
    tell_left_out();
    return std::exchange(text_, {});
  }

  void clear() noexcept {
    text_.clear();
    left_out_ = 0;
  }

 private:
  void write_some() {
    if (text_.empty()) return;
    const StandardError error;
    while (!text_.empty()) {
      const ssize_t written = error.write(text_);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) return;
      // If stderr cannot be written, the error cannot be reported.
      if (written < 0) return clear();
      text_.erase(0, static_cast<std::size_t>(written));
    }
  }

  void tell_left_out() {
    if (left_out_ == 0) return;
    text_ += fmt::format(
        "interlock: {} message{} left out here: nobody had read the standard error "
        "output\n",
        left_out_, left_out_ == 1 ? " was" : "s were");
    left_out_ = 0;
  }

  std::mutex mutex_;
  std::string text_;
  std::size_t left_out_ = 0;
};

// Never destroyed: a message may come while the program's other objects are destroyed.
Kept& kept() {
  static Kept& all = *new Kept;
  return all;
}

}  // namespace

KeptMessages::~KeptMessages() {
  write_kept_messages();
}

void write_kept_messages() noexcept {
  // If the reader goes now, the exit code must stay. take() writes, too.
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  const std::string rest = kept().take();
  if (rest.empty()) {
    static_cast<void>(std::signal(SIGPIPE, before));
    return;
  }
  static_cast<void>(write_all(STDERR_FILENO, rest));
}

void write_kept_messages_within_a_second() noexcept {
  if (!kept().empty() && takes_data(STDERR_FILENO, 1000)) kept().empty();
}

void forget_kept_messages() noexcept {
  kept().clear();
}

bool messages_are_read() {
  return kept().empty() && takes_data(STDERR_FILENO, 0);
}

void say(std::string_view message) {
  put("interlock: " + printable(message, line_longest) + "\n");
}

void say_object(std::string_view object) {
  kept().write(std::string(object) + "\n", Kept::Whether::always);
}

void put(std::string_view text) {
  kept().write(text, Kept::Whether::if_there_is_room);
}

int fail(const Failure& failure) {
  return fail(failure, failure.code);
}

int fail(const Failure& failure, int exit_code) {
  if (!json_descriptor) {
    say(failure.message);
    return exit_code;
  }
  nlohmann::ordered_json object{{"v", 1}, {"result", result_of(failure.code)}, {"exit", exit_code}};
  if (lock_in_failures) object["lock"] = *lock_in_failures;
  object.update(nlohmann::ordered_json::parse(failure.fields));
  object["error"] = printable(failure.message, line_longest);
  if (*json_descriptor == STDERR_FILENO) {
    say_object(json_line(object));
  } else {
    static_cast<void>(write_all(*json_descriptor, json_line(object) + "\n"));
  }
  return exit_code;
}

void fail_in_json(int descriptor) {
  json_descriptor = descriptor;
}

void name_lock_in_failures(std::string lock) {
  lock_in_failures = std::move(lock);
}

int answer(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return success;
  if (errno == EPIPE) return ended_by_signal(SIGPIPE);
  say(fmt::format("the answer could not be written: {}: check where standard output goes",
                  std::strerror(errno)));
  return operating_system;
}

}  // namespace interlock::cli
