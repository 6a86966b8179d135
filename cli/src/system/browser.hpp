// The user's browser.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace interlock::cli {

// A command that shows a page.
class Browser {
 public:
  // $BROWSER, a list of commands separated by colons, in which %s stands for the address; else, if
  // there is a display, xdg-open. None: neither.
  static std::optional<Browser> find();

  // Starts the first command that can be started, in a session of its own, so that Ctrl-C at our
  // terminal does not end it, and without our standard files. Signals have their usual effect on
  // it. None: no command could be started. The process is the caller's child.
  std::optional<pid_t> show(const std::string& url) const;

 private:
  explicit Browser(std::string list) : list_(std::move(list)) {}
  static std::vector<std::string> words(const std::string& command, const std::string& url);

  std::string list_;
};

}  // namespace interlock::cli
