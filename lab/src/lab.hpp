// The laboratory for a page in a browser: a game, its searches and its pictures, each answer a
// text.
//
// The page calls these functions as WebAssembly (exports.cpp), a test calls them in both builds and
// compares. One thread; one scenario is open at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/game.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::lab {

// All answers are JSON but those of draw(). A call that fails answers {"error": why}, and changes
// nothing.
class Lab {
 public:
  // `proceed` is told how far a search has come; it ends the search by `false`.
  explicit Lab(std::function<bool(const sim::Progress&)> proceed) : proceed_(std::move(proceed)) {}

  // All scenarios of the catalogue, in the order of teaching, with texts and repairs.
  static std::string scenarios();

  // Opens the scenario of a run in the one-line form, and plays the run. `stamp-lock:` is a game
  // that begins, `stamp-lock,clients=3,faults=crash+lost-reply:` the same with other bounds.
  // Answers as state() does.
  std::string open(std::string_view run);
  // Where the game stands: its moves, its run, what the store holds.
  std::string state() const;
  // Where the clients waited before the first step of the game's run and after each: for each
  // client a list of {"task", "file", "line"}, with files as the project's folder has them.
  std::string lines() const;
  std::string play(std::string_view key);
  std::string undo();
  std::string restart();

  // Searches from the game's state on, or the scenario from its beginning. At most so many states;
  // 0: as many as the memory holds.
  std::string advice(std::uint64_t states);
  std::string explore(std::uint64_t states);
  // Random runs of the scenario, the same ones for the same seed.
  std::string random(std::uint64_t runs, std::uint64_t seed);

  // A picture of the game's run, or of the run that was found last. `format`: svg, text, mermaid,
  // html, json or schedule.
  enum class Of : bool { game, found };
  std::string draw(Of which, std::string_view format) const;

 private:
  sim::Limits limits(std::uint64_t states) const;
  std::string found(sim::Verdict verdict);

  std::function<bool(const sim::Progress&)> proceed_;
  std::string name_;
  sim::ScheduleOptions options_;
  std::optional<sim::Game> game_;
  std::vector<std::vector<std::vector<sim::TaskLine>>> lines_;
  sim::Verdict found_;
};

}  // namespace interlock::lab
