// The laboratory for a page in a browser: a game, its searches and its pictures, each answer a
// text.
//
// The page calls these functions as WebAssembly (exports.cpp), a test calls them in both builds and
// compares. One thread; one scenario is open at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "interlock/sim/catalogue/left_out.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::lab {

// All answers are JSON but those of draw(). A call that fails answers {"error": why}, and changes
// nothing. If a run is refused, `wrong` says what about it: `form`, `scenario`, `options` or
// `steps`.
class Lab {
 public:
  // `proceed` is told how far a search has come; it ends the search by `false`.
  explicit Lab(std::function<bool(const sim::Progress&)> proceed);
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  // All scenarios of the catalogue, in the order of teaching, with texts and repairs.
  static std::string scenarios();

  // Opens the scenario of a run in the one-line form, and plays the run. `stamp-lock:` is a game
  // that begins, `stamp-lock,clients=3,faults=crash+lost-reply:` the same with other bounds.
  // Answers as state() does.
  std::string open(std::string_view run);
  // {"short": RUN, "explore": COMMAND}: as many steps of a run as its scenario can take, from the
  // beginning on, and the line of a terminal that searches within its bounds. For runs that open()
  // refuses, and to repeat the order of one scenario in another. Opens nothing.
  static std::string fitting(std::string_view run);
  // Two runs side by side: `one` and `other`, each with name, bounds, options, short form and run,
  // and the rows of sim::align(), whose steps are counted from 1 here. Opens neither.
  static std::string compare(std::string_view one, std::string_view other);
  // Where the game stands: its moves, its run, what the store holds.
  std::string state() const;
  // Where the clients waited before the first step of the game's run and after each: for each
  // client a list of {"task", "file", "line"}, with files as the project's folder has them.
  std::string lines() const;
  std::string play(std::string_view key);
  std::string undo();
  std::string restart();

  // Searches from the game's state on, or the scenario from its beginning. At most so many states;
  // 0: as many as the memory holds. explore() leaves out properties that are vacuous within the
  // bounds, as `interlock explore` does, and its answer names in `properties` those that it has
  // looked for.
  std::string advice(std::uint64_t states);
  std::string explore(std::uint64_t states);
  // Random runs of the scenario, the same ones for the same seed.
  std::string random(std::uint64_t runs, std::uint64_t seed);

  // A picture of the game's run, or of the run that was found last. `format`: svg, text, mermaid,
  // html, json or schedule.
  enum class Of : bool { game, found };
  std::string draw(Of which, std::string_view format) const;

 private:
  class Opened;

  sim::Limits limits(std::uint64_t states) const;
  // `scenario`: what was searched, with the properties that were looked for.
  std::string found(sim::catalogue::Searched searched, const sim::Scenario& scenario);

  std::function<bool(const sim::Progress&)> proceed_;
  std::unique_ptr<Opened> opened_;
  sim::Verdict found_;
};

}  // namespace interlock::lab
