// interlock play: the player is the scheduler, then chooses a repair, then sees it proved.
#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/talk.hpp"
#include "interactive/console.hpp"
#include "interlock/sim/game.hpp"
#include "lab/client_command.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/play_game.hpp"
#include "lab/play_repair.hpp"
#include "lab/search_chosen.hpp"
#include "lab/search_flags.hpp"
#include "lab/search_watch.hpp"
#include "lab/simulated.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(You choose step by step who moves next, until the lock is broken. Then you
choose a change that repairs it, and the search proves the changed lock or shows
a run that breaks it. If a step that you expect is not in the list, why says for
what reason: why A of a client, why t of time, why crash of a fault. SCENARIO is
a name from interlock scenarios; at a terminal play asks for it if it is left out.

At a terminal, Tab completes moves, commands and names, the arrows edit the line
and bring lines back, Ctrl-R looks for one, Ctrl-D leaves; ~/.editrc may change
the keys (editrc(5)). Without a terminal your answers are read as plain lines, as
in the second example.
)";
  all.exits = {{"0", "all done"}, {"1", "broken and not yet repaired"}, {"2", "neither"}};
  all.exits = and_usual(std::move(all.exits), {usage, operating_system});
  all.environment = drawing_variables();
  all.examples = {{"Break the best-known race of Redis locks", "interlock play del-setnx-lock"},
                  {"The same without a keyboard",
                   "printf '%s\\n' 1122 undo hint shortest quit |\n"
                   "  interlock play del-setnx-lock"}};
  all.see_also = "interlock-scenarios(1), interlock-explore(1)";
  return all;
}

enum Done : int { all = 0, not_repaired = 1, not_broken = 2 };

class Lesson {
 public:
  Lesson(Chosen& chosen, const sim::Limits& limits, std::chrono::seconds most, Console& console)
      : chosen_(chosen), most_(most), limits_(limits), console_(console), game_(new_game(chosen)) {}

  int run() {
    if (game_.best().outcome == sim::Outcome::invalid) {
      return fail(Failure(usage, fmt::format("'{}' cannot be played: {}", chosen_.entry.name,
                                             game_.best().reason)));
    }
    GameTable table(chosen_, game_, console_, [this] { return advise(); });
    for (bool first = true;; first = false) {
      const Played played = table.play(first);
      if (played == Played::left) {
        return leave(table.input_ended(), not_broken,
                     fmt::format("the input ended at step {}: the lock is not broken",
                                 game_.run().steps.size() + 1));
      }
      if (played == Played::proved || chosen_.entry.repairs.empty()) return end(all);
      RepairTable repair(chosen_.entry, game_.best(), console_,
                         [this](const sim::Scenario& scenario) { return explore(scenario); });
      switch (repair.choose()) {
        case Repaired::proved:
          return end(all);
        case Repaired::left:
          return leave(repair.input_ended(), not_repaired,
                       "the input ended: the lock is broken and not repaired");
        case Repaired::back:
          game_.undo();
      }
    }
  }

 private:
  // The watch takes over Ctrl-C, so it lives only as long as its search.
  template <class Search>
  auto watched(const Search& search) {
    SearchWatch watch(
        most_, fmt::format("searching all runs first, until {} known: "
                           "--max-states and --seconds end this sooner",
                           limits_.states == 1 ? "1 state is"
                                               : fmt::format("{} states are", limits_.states)));
    sim::Limits limits = limits_;
    limits.proceed = [&watch](const sim::Progress& progress) { return watch.proceed(progress); };
    auto found = search(limits);
    if (found.outcome == sim::Outcome::incomplete && !watch.reason().empty()) {
      found.reason = watch.reason();
    }
    return found;
  }
  sim::Verdict explore(const sim::Scenario& scenario) {
    return watched([&](const sim::Limits& limits) { return sim::explore(scenario, limits); });
  }
  sim::Advice advise() {
    return watched([this](const sim::Limits& limits) { return game_.advice(limits); });
  }

  sim::Game new_game(Chosen& chosen) {
    auto searched =
        search_chosen(chosen, [this](const sim::Scenario& scenario) { return explore(scenario); });
    if (!searched) {
      sim::Verdict none;
      none.outcome = sim::Outcome::invalid;
      none.reason = searched.error().message;
      return sim::Game(chosen.scenario, std::move(none));
    }
    return sim::Game(chosen.scenario, std::move(searched->verdict));
  }

  int end(int code) const { return console_.failure() != 0 ? console_.failure() : code; }
  int leave(bool input_ended, int code, const std::string& why) const {
    if (input_ended) say(why);
    return end(code);
  }

  const Chosen& chosen_;
  std::chrono::seconds most_;
  sim::Limits limits_;
  Console& console_;
  sim::Game game_;
};

sim::TextStyle style(bool ascii) {
  sim::TextStyle style = standard_style();
  style.ascii = style.ascii || ascii;
  return style;
}

std::vector<std::string> names_in_catalogue(std::string_view) {
  std::vector<std::string> names;
  for (const auto& entry : sim::catalogue::entries()) names.emplace_back(entry.name);
  return names;
}

// Asks until there is a scenario of that name. None: the input has ended, or the player leaves.
std::optional<std::string> ask_for_scenario(Console& console) {
  console.say_words("Which lock? Tab completes names; interlock scenarios says what they are.");
  for (;;) {
    const auto line = console.ask("scenario> ", names_in_catalogue);
    if (!line) return std::nullopt;
    const std::vector<std::string> words = words_of(*line);
    if (words.empty()) continue;
    if (words.front() == "quit" || words.front() == "q") return std::nullopt;
    const auto chosen = choose_scenario(words.front(), {});
    if (chosen) return words.front();
    console.say_words("  " + chosen.error().message, 2);
  }
}

bool is_at_terminal() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

int play(const Invocation& given) {
  SearchFlags search;
  bool ascii = false;
  const SplitLine line(given.words);
  ClientFlags clients(line.command);
  Flags flags("play [flags] [SCENARIO|-- COMMAND...]",
              "Lets you break SCENARIO by choosing who moves next.");
  search.add_to(flags);
  clients.add_to(flags);
  flags.toggle(0, "ascii", &ascii, "draw with plain characters");
  flags.operand("SCENARIO", scenario_names());
  flags.command(Flags::CommandPlace::after_dashes);
  flags.explain(explanation());
  const auto arguments = flags.parse(line.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  auto limits = search.limits();
  if (!limits) return fail(limits.error());
  if (clients.has_command()) limits->repeated_steps = repeated_steps_of_clients;
  const auto seconds = search.seconds();
  if (!seconds) return fail(seconds.error());
  Console console(style(ascii));
  std::string name(command_scenario);
  if (!clients.has_command()) {
    const bool is_named = !arguments->operands.empty();
    if (!is_named && !is_at_terminal()) {
      return fail(Failure(usage, "no scenario given: see interlock scenarios"));
    }
    auto chosen_name = is_named ? arguments->operands.front() : ask_for_scenario(console);
    if (!chosen_name) return console.failure() != 0 ? console.failure() : not_broken;
    name = *std::move(chosen_name);
  }
  if (const auto failed = clients.begin(search.options({}))) return fail(*failed);
  learn_all_names(search.options({}));
  auto chosen = choose_scenario(name, search.options({}));
  if (!chosen) return fail(chosen.error());
  ignore_broken_pipes();
  return Lesson(*chosen, *limits, *seconds, console).run();
}

}  // namespace

extern const Command play_command;
const Command play_command{"play [flags] [SCENARIO|-- COMMAND...]",
                           "break a lock yourself, then repair it", play};

}  // namespace interlock::cli
