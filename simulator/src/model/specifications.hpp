// Asks the users' sequential specifications (linearizable()), each question once, in ways that find
// one which does not depend on its arguments alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class Specifications {
 public:
  using ObjectState = std::vector<std::int64_t>;

  // The ways in which the operation may end in this state of the property's object, sorted. After a
  // failure there is none. Valid for ever.
  const std::vector<AllowedResult>& ask(const Property& property,
                                        const ObjectState& state,
                                        const std::string& operation,
                                        std::optional<std::int64_t> argument);
  // Called when a search is over: asks everything once more, in another order.
  void ask_again();

  // Says what the author of a specification must correct. Empty: nothing was found.
  const std::string& failure() const { return failure_; }

 private:
  using Question =
      std::tuple<const Property*, ObjectState, std::string, std::optional<std::int64_t>>;
  using Answer = std::vector<AllowedResult>;

  Answer ask_user(const Question& question);
  std::string unfit(const Question& question, const Answer& answer) const;
  bool knows(const Question& question);
  void compare(const Question& question, const Answer& answer);
  void fail(std::string what);

  std::map<Question, Answer> known_;
  std::string failure_;
};

}  // namespace interlock::sim
