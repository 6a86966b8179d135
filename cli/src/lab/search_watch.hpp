// Watches a search: prints figures on a terminal while it runs, and ends it at Ctrl-C or a time
// limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"

namespace interlock::cli {

// One at a time: it takes over SIGINT while it lives. A second Ctrl-C ends the program.
class SearchWatch {
 public:
  // `limit` 0: none. `notice` is printed once, after a second, if no figures are shown.
  explicit SearchWatch(std::chrono::seconds limit, std::string notice = {});
  ~SearchWatch();
  SearchWatch(const SearchWatch&) = delete;
  SearchWatch& operator=(const SearchWatch&) = delete;

  // SIGTERM, and SIGHUP when the terminal is closed, then end the search as Ctrl-C does, and no
  // longer the program.
  void take_more_signals();

  // For Limits::proceed and RandomSearch::proceed.
  bool proceed(const sim::Progress& progress);
  bool proceed(const sim::RandomProgress& progress);
  // For watch_clients().
  bool proceed_with_clients(std::uint64_t runs);

  // Takes the figures off the terminal: before anything else is written there.
  void wipe();

  double seconds() const;
  // Why proceed() returned false: `interrupted`; empty if it did not.
  const std::string& reason() const { return reason_; }

 private:
  // Figures are printed once a second, on a terminal.
  bool wants_figures();
  void show(const std::string& line);
  bool goes_on();

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_ = begin_;
  std::chrono::seconds limit_;
  std::uint64_t client_runs_ = 0;
  std::string reason_;
  std::string notice_;
  bool on_terminal_;
  bool line_there_ = false;
  bool takes_more_ = false;
};

}  // namespace interlock::cli
