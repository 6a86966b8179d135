#include "search_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace interlock::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;
struct sigaction before {};

void on_interrupt(int) {
  interrupted = 1;
}

}  // namespace

SearchWatch::SearchWatch(std::chrono::seconds limit)
    : limit_(limit), on_terminal_(::isatty(STDERR_FILENO) == 1) {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  // The second one does what it always does.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &before);
}

SearchWatch::~SearchWatch() {
  wipe();
  ::sigaction(SIGINT, &before, nullptr);
}

double SearchWatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

bool SearchWatch::proceed(const sim::Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (interrupted != 0) {
    reason_ = "interrupted";
  } else if (limit_.count() > 0 && now - begin_ >= limit_) {
    reason_ = fmt::format("{} seconds were over", limit_.count());
  }
  if (now - shown_ >= std::chrono::seconds(1)) {
    shown_ = now;
    show(progress);
  }
  return reason_.empty();
}

void SearchWatch::show(const sim::Progress& progress) {
  if (!on_terminal_) return;
  const double rate = static_cast<double>(progress.transitions) / seconds() / 1e6;
  fmt::print(stderr, "\r{} states, depth {}, {} faults, {:.1f} million steps a second ",
             progress.states, progress.depth, progress.faults, rate);
  std::fflush(stderr);
  line_there_ = true;
}

void SearchWatch::wipe() {
  if (!line_there_) return;
  fmt::print(stderr, "\r{:78}\r", "");
  std::fflush(stderr);
}

}  // namespace interlock::cli
