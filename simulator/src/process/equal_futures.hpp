// Pasts of one program whose futures seem equal, taken as one local state without a promise of the
// program: a class. What the search asks a class is asked of each of its members, and the answers
// must agree. docs/adr/0016-equal-futures.md says why that suffices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "process/automaton.hpp"
#include "process/local_classes.hpp"

namespace interlock::sim {

class EqualFutures final : public LocalClasses {
 public:
  using Local = Automaton::Local;
  using LocalStep = Automaton::LocalStep;
  using LocalSteps = Automaton::LocalSteps;

  // Puts local states into one class if nothing that the automaton has learned tells them apart.
  // That is a guess until its members are asked. `members_max`: of all classes together. `may_ask`
  // is called before each member is asked, and several times before; false refutes the guess.
  EqualFutures(Automaton& program, std::size_t members_max, std::function<bool()> may_ask);

  // How many local states were known when it guessed.
  std::size_t locals() const { return locals_; }

  const LocalSteps& step(Local first,
                         std::uint8_t slot,
                         std::uint32_t reply,
                         ClockReading now) override;
  void begin(Local first) override {
    if (first_of(first) == none) found(first);
  }
  Local rename(Local first, const Permutation& permutation) override;
  std::uint32_t count() const override { return static_cast<std::uint32_t>(members_.size()); }

  // The guess cannot be kept: two members differ, a member fails, there are too many members, or
  // the rest must not be asked.
  bool is_refuted() const override { return refuted_; }

 private:
  class LocalQuestion {
   public:
    std::uint8_t slot = 0;
    std::uint32_t reply = 0;
    ClockReading clock;
    bool renames = false;  // then the permutation is what is asked
    Permutation permutation;
  };
  class Answered {
   public:
    LocalQuestion question;
    LocalSteps answer;  // results by their classes
  };
  using Asked = std::tuple<Local, std::uint8_t, std::uint32_t>;
  using AskedAt = std::tuple<Local, std::uint8_t, std::uint32_t, std::int64_t, std::int64_t>;

  const LocalSteps& ask(Local first, const LocalQuestion& question);
  LocalSteps answer_of(Local member, const LocalQuestion& question);
  bool are_alike(const LocalSteps& expected, const LocalSteps& got);
  Local class_among(const std::vector<LocalSteps>& answers, std::size_t at);
  Local found(Local member);
  void ask_joined();
  void take_in(const LocalSteps& expected, const LocalSteps& got);
  void join(Local member, Local first);

  static constexpr Local none = ~Local{0};
  Local first_of(Local member) const {
    return member < first_of_.size() ? first_of_[member] : none;
  }

  Automaton& program_;
  const std::size_t members_max_;
  const std::function<bool()> may_ask_;
  std::size_t locals_ = 0;
  std::size_t members_count_ = 0;
  std::vector<Local> first_of_;  // by member
  std::map<Local, std::vector<Local>> members_;
  std::map<Local, std::vector<std::size_t>> answered_by_;  // numbers of answers_, by class
  std::deque<Answered> answers_;
  std::map<Asked, std::size_t> known_;
  std::map<AskedAt, std::size_t> known_at_;
  std::map<std::pair<Local, std::uint32_t>, Local> renamed_;
  std::vector<std::pair<Local, Local>> joined_lately_;  // member and class: not asked yet
  bool refuted_ = false;
};

}  // namespace interlock::sim
