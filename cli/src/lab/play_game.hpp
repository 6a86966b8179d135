// The first half of `interlock play`: breaking the lock, or proving that no run breaks it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interactive/console.hpp"
#include "interlock/sim/game.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {

enum class Played {
  broken,  // the player broke the lock
  proved,  // no run breaks it, and the player claimed that
  left,    // quit, or the end of the input
};

class GameTable {
 public:
  using Advise = std::function<sim::Advice()>;

  GameTable(const Chosen& chosen, sim::Game& game, Console& console, Advise advise);

  // From where the game stands. `announce`: goal, par and help first.
  Played play(bool announce);
  bool input_ended() const noexcept { return input_ended_; }

 private:
  enum class Next { go_on, stop };
  class GameCommand;

  void announce();
  void show();
  void show_store();
  void show_moves();
  std::string prompt() const;
  std::vector<std::string> possible_words(std::string_view before) const;

  // Obeys a word that was typed. `stop`: the rest of the line is dropped.
  Next obey(const std::string& word);
  std::optional<Next> command(const std::string& word);
  void move(const std::string& word);
  void moves_in_one(const std::string& word);

  void undo();
  void hint();
  void shortest();
  void prove();
  void faults();
  void why();
  std::string why_still(const std::string& client) const;
  void show_answers(const std::vector<sim::MoveAnswer>& answers);
  void link();
  void won();
  std::string par() const;
  sim::Remarks remarks(const sim::Run& run) const;

  const Chosen& chosen_;
  sim::Game& game_;
  Console& console_;
  Advise advise_;
  std::optional<Played> result_;
  bool changed_ = false;  // since the world was shown
  bool refused_ = false;  // the last word; the rest of its line is dropped
  bool input_ended_ = false;
  std::vector<std::string> rest_;  // of the line, behind the word that is obeyed
  std::size_t hints_ = 0;          // asked for where the game stands
};

}  // namespace interlock::cli
