#include "model/specifications.hpp"

#include <algorithm>
#include <utility>

#include "interlock/detail/nearest_word.hpp"
#include "process/thrown.hpp"

namespace interlock::sim {

const std::vector<AllowedResult>& Specifications::ask(const Property& property,
                                                      const ObjectState& state,
                                                      const std::string& operation,
                                                      std::optional<std::int64_t> argument) {
  Question question(&property, state, operation, argument);
  const auto at = known_.find(question);
  if (at != known_.end()) return at->second;
  Answer answer = knows(question) ? ask_user(question) : Answer();
  compare(question, answer);
  if (failure_.empty()) fail(unfit(question, answer));
  if (!failure_.empty()) answer.clear();
  return known_.emplace(std::move(question), std::move(answer)).first->second;
}

Specifications::Answer Specifications::ask_user(const Question& question) {
  const auto& [property, state, operation, argument] = question;
  std::string thrown;
  Answer answer = sim::ask(property->specification.apply, state, operation, argument, thrown);
  if (!thrown.empty()) {
    fail("the specification of '" + property->name + "' ended with an exception: " + thrown +
         ": let it answer with no result where an operation must not come");
  }
  std::sort(answer.begin(), answer.end());
  answer.erase(std::unique(answer.begin(), answer.end()), answer.end());
  return answer;
}

bool Specifications::knows(const Question& question) {
  const auto& [property, state, operation, argument] = question;
  const std::vector<std::string>& all = property->specification.operations;
  if (all.empty() || std::find(all.begin(), all.end(), operation) != all.end()) return true;
  std::string meant = detail::nearest_word(operation, all);
  if (meant.empty()) {
    for (const std::string& one : all) meant += (meant.empty() ? "" : ", ") + one;
    meant = "name one of " + meant;
  } else {
    meant = "did you mean '" + meant + "'?";
  }
  fail("the specification of '" + property->name + "' knows no operation '" + operation +
       "': " + meant);
  return false;
}

// An answer that would make the search endless, or fill the memory.
std::string Specifications::unfit(const Question& question, const Answer& answer) const {
  constexpr std::size_t most = 1024;
  const auto too = [&question](const std::string& what) {
    return "the specification of '" + std::get<0>(question)->name + "' answers " +
           std::get<2>(question) + " with more than " + std::to_string(most) + " " + what +
           ": let it tell fewer apart";
  };
  if (answer.size() > most) return too("results");
  for (const AllowedResult& one : answer) {
    if (one.state.size() > most) return too("numbers in a state");
  }
  return {};
}

void Specifications::compare(const Question& question, const Answer& answer) {
  if (!failure_.empty() || ask_user(question) == answer || !failure_.empty()) return;
  fail("the specification of '" + std::get<0>(question)->name +
       "' answers differently when it is asked the same again: let it answer by its arguments "
       "alone, and remember nothing");
}

void Specifications::ask_again() {
  for (auto asked = known_.rbegin(); asked != known_.rend(); ++asked) {
    compare(asked->first, asked->second);
  }
}

void Specifications::fail(std::string what) {
  if (failure_.empty()) failure_ = std::move(what);
}

}  // namespace interlock::sim
