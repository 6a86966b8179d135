#include "system/browser.hpp"

#include <cstdlib>
#include <sstream>

#include "system/spawn.hpp"

namespace interlock::cli {
namespace {

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::optional<Browser> Browser::find() {
  if (is_set("BROWSER")) return Browser(std::getenv("BROWSER"));
  if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) return Browser("xdg-open");
  return std::nullopt;
}

std::vector<std::string> Browser::words(const std::string& command, const std::string& url) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  bool is_named = false;
  for (std::string word; stream >> word; words.push_back(word)) {
    const std::size_t at = word.find("%s");
    if (at == std::string::npos) continue;
    word.replace(at, 2, url);
    is_named = true;
  }
  if (!words.empty() && !is_named) words.push_back(url);
  return words;
}

std::optional<pid_t> Browser::show(const std::string& url) const {
  SpawnRules rules;
  rules.apart();
  std::istringstream commands(list_);
  for (std::string command; std::getline(commands, command, ':');) {
    const std::vector<std::string> line = words(command, url);
    if (line.empty()) continue;
    if (const auto pid = rules.start(line)) return pid;
  }
  return std::nullopt;
}

}  // namespace interlock::cli
