#include "lab/play_repair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/talk.hpp"
#include "interlock/sim/draw.hpp"

namespace interlock::cli {

using sim::catalogue::Repair;

RepairTable::RepairTable(const sim::catalogue::CatalogueEntry& entry,
                         const sim::Verdict& best,
                         Console& console,
                         Explore explore)
    : entry_(entry), best_(best), console_(console), explore_(std::move(explore)) {
  for (const Repair& repair : entry.repairs) choices_.push_back(&repair);
  std::sort(choices_.begin(), choices_.end(),
            [](const Repair* one, const Repair* other) { return one->what < other->what; });
}

void RepairTable::list() {
  console_.print("\nWhich change repairs it?\n");
  for (std::size_t at = 0; at < choices_.size(); ++at) {
    console_.say_words(fmt::format("  {})  {}", at + 1, choices_[at]->what), 6);
  }
}

// The catalogue's explanation is about the steps of the shortest run.
void RepairTable::explain() {
  console_.print(sim::draw_text(best_.run, nullptr, {}, console_.style()));
  console_.say_words(entry_.explanation);
}

std::vector<std::string> RepairTable::possible_words() const {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < choices_.size(); ++at) words.push_back(std::to_string(at + 1));
  words.insert(words.end(), {"help", "quit", "show", "undo", "why"});
  return words;
}

Repaired RepairTable::choose() {
  list();
  for (;;) {
    const auto line =
        console_.ask("repair> ", [this](std::string_view) { return possible_words(); });
    if (!line) {
      input_ended_ = console_.failure() == 0;
      return Repaired::left;
    }
    const std::vector<std::string> words = words_of(*line);
    const std::string word = words.empty() ? "" : words.front();
    if (word == "quit" || word == "q") return Repaired::left;
    if (word == "undo" || word == "u" || word == "back") return Repaired::back;
    if (word.empty() || word == "show") {
      list();
      continue;
    }
    if (word == "why") {
      explain();
      continue;
    }
    std::size_t number = 0;
    while (number < choices_.size() && word != std::to_string(number + 1)) ++number;
    if (number < choices_.size()) {
      if (try_out(*choices_[number])) return Repaired::proved;
      continue;
    }
    const bool asked = word == "help" || word == "?";
    console_.say_words(
        fmt::format(
            "  {}type a number from 1 to {} for the change that you would make; undo goes "
            "back to the race, quit (q) leaves",
            asked ? "" : "'" + printable(word, 40) + "' is none of them: ", choices_.size()),
        2);
  }
}

bool RepairTable::try_out(const Repair& repair) {
  const auto scenario = sim::catalogue::build(repair.scenario, {});
  if (!scenario) {
    console_.say_words("  " + scenario.error().detail(), 2);
    return false;
  }
  const sim::Verdict verdict = explore_(*scenario);
  sim::Remarks remarks;
  if (verdict.outcome == sim::Outcome::violated) {
    remarks.replay = "interlock replay " + sim::print_short(verdict.run);
  }
  console_.print("\n");
  console_.print(sim::draw_text(verdict.run, &verdict, remarks, console_.style()));
  const std::string why(repair.answer);
  switch (verdict.outcome) {
    case sim::Outcome::proved:
      console_.say_words("Repaired, and proved within these bounds. " + why);
      return true;
    case sim::Outcome::violated:
      console_.say_words("Not enough: this run breaks it. " + why);
      console_.print("Choose again.\n");
      return false;
    case sim::Outcome::incomplete:
    case sim::Outcome::invalid:
      break;
  }
  console_.say_words("The search could not tell: " + verdict.reason);
  return false;
}

}  // namespace interlock::cli
