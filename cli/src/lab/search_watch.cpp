#include "lab/search_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <utility>

#include "console/lines.hpp"
#include "console/talk.hpp"

namespace interlock::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;
struct sigaction before {};
struct sigaction before_sigterm {};
struct sigaction before_sighup {};

void on_interrupt(int) {
  interrupted = 1;
}

// Calls on_interrupt() at the first of these signals; a second one has its usual effect. If our
// caller ignores the signal, as a shell that runs us in the background does SIGINT, we go on.
void take_over(int signal, struct sigaction& from) {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(signal, &action, &from);
  if (from.sa_handler == SIG_IGN) ::sigaction(signal, &from, nullptr);
}

}  // namespace

SearchWatch::SearchWatch(std::chrono::seconds limit, std::string notice)
    : limit_(limit), notice_(std::move(notice)), on_terminal_(::isatty(STDERR_FILENO) == 1) {
  interrupted = 0;
  take_over(SIGINT, before);
}

SearchWatch::~SearchWatch() {
  wipe();
  ::sigaction(SIGINT, &before, nullptr);
  if (!takes_more_) return;
  ::sigaction(SIGTERM, &before_sigterm, nullptr);
  ::sigaction(SIGHUP, &before_sighup, nullptr);
}

void SearchWatch::take_more_signals() {
  if (takes_more_) return;
  take_over(SIGTERM, before_sigterm);
  take_over(SIGHUP, before_sighup);
  takes_more_ = true;
}

double SearchWatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

bool SearchWatch::proceed(const sim::Progress& progress) {
  if (wants_figures()) {
    const std::string clients =
        client_runs_ > 0 ? counted(client_runs_, "client run") + ", " : std::string();
    show(fmt::format("{}{}, depth {}, {}, {:.1f} million steps a second", clients,
                     counted(progress.states, "state"), progress.depth,
                     counted(progress.faults, "fault"),
                     static_cast<double>(progress.transitions) / seconds() / 1e6));
  }
  return goes_on();
}

bool SearchWatch::proceed(const sim::RandomProgress& progress) {
  if (wants_figures()) {
    show(fmt::format("{}, {:.1f} million steps, {:.0f} runs a second",
                     counted(progress.runs, "run"), static_cast<double>(progress.steps) / 1e6,
                     static_cast<double>(progress.runs) / seconds()));
  }
  return goes_on();
}

bool SearchWatch::proceed_with_clients(std::uint64_t runs) {
  client_runs_ = runs;
  if (wants_figures()) show(counted(runs, "client run"));
  return goes_on();
}

bool SearchWatch::goes_on() {
  if (interrupted != 0) {
    reason_ = "interrupted";
  } else if (limit_.count() > 0 && std::chrono::steady_clock::now() - begin_ >= limit_) {
    reason_ = fmt::format("time limit ({} s) reached", limit_.count());
  }
  return reason_.empty();
}

bool SearchWatch::wants_figures() {
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < std::chrono::seconds(1)) return false;
  shown_ = now;
  if (!on_terminal_ && !notice_.empty()) say(std::exchange(notice_, ""));
  return on_terminal_;
}

// Overwrites the line before.
void SearchWatch::show(const std::string& line) {
  fmt::print(stderr, "\r{:78}", line);
  std::fflush(stderr);
  line_there_ = true;
}

void SearchWatch::wipe() {
  if (!line_there_) return;
  fmt::print(stderr, "\r{:78}\r", "");
  std::fflush(stderr);
  line_there_ = false;
}

}  // namespace interlock::cli
