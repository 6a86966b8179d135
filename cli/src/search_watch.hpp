// A search as somebody at a terminal sees it: figures while it runs, Ctrl-C and a limit in seconds.
#pragma once

#include <chrono>
#include <string>

#include "interlock/sim/explore.hpp"

namespace interlock::cli {

// One at a time: it takes over SIGINT while it lives. A second Ctrl-C ends the program.
class SearchWatch {
 public:
  // `seconds` 0: no limit.
  explicit SearchWatch(std::chrono::seconds limit);
  ~SearchWatch();
  SearchWatch(const SearchWatch&) = delete;
  SearchWatch& operator=(const SearchWatch&) = delete;

  // For Limits::proceed.
  bool proceed(const sim::Progress& progress);

  double seconds() const;
  // Why proceed() said no: `interrupted`; empty if it did not.
  const std::string& reason() const { return reason_; }

 private:
  void show(const sim::Progress& progress);
  void wipe();

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_ = begin_;
  std::chrono::seconds limit_;
  std::string reason_;
  bool on_terminal_;
  bool line_there_ = false;
};

}  // namespace interlock::cli
