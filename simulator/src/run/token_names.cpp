#include "run/token_names.hpp"

#include <algorithm>
#include <cctype>

namespace interlock::sim::draw {
namespace {

constexpr std::size_t long_text = 16;

bool is_token(const std::string& text) {
  if (text.starts_with(OwnerToken::mark)) return true;
  return text.size() >= long_text && text.find(' ') == std::string::npos;
}

bool goes_on(std::string_view text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

bool is_about_owners(OperationKind kind) {
  return kind != OperationKind::publish && kind != OperationKind::run;
}

}  // namespace

TokenNames::TokenNames(const Run& run) {
  for (const RunStep& step : run.steps) {
    if (!step.client || !step.operation || !is_about_owners(step.operation->kind)) continue;
    meet(step.operation->value, run.clients[*step.client]);
  }
  std::stable_sort(names_.begin(), names_.end(), [](const auto& one, const auto& other) {
    return one.first.size() > other.first.size();
  });
}

void TokenNames::meet(const std::string& text, const std::string& client) {
  if (!is_token(text)) return;
  std::size_t number = 1;
  for (const auto& [token, name] : names_) {
    if (token == text) return;
    if (name.substr(0, name.rfind('#')) == client) ++number;
  }
  names_.emplace_back(text, client + "#" + std::to_string(number));
}

std::string TokenNames::in(std::string_view text) const {
  std::string result;
  while (!text.empty()) {
    const auto found = std::find_if(names_.begin(), names_.end(), [text](const auto& entry) {
      return text.starts_with(entry.first) && !goes_on(text, entry.first.size());
    });
    if (found == names_.end()) {
      result += text.front();
      text.remove_prefix(1);
    } else {
      result += found->second;
      text.remove_prefix(found->first.size());
    }
  }
  return result;
}

}  // namespace interlock::sim::draw
