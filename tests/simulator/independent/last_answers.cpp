#include "last_answers.hpp"

#include <algorithm>
#include <utility>

#include "dice.hpp"

namespace interlock::sim::independent {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : dice_(seed) { trial_.seed = seed; }

  Trial make() {
    trial_.instants = dice_.one_of({1, 1, 2});
    if (dice_.in(40)) trial_.keys.emplace_back();
    if (dice_.in(75)) {
      trial_.codes = {listener(), asker()};
    } else {
      trial_.codes = {believer(), newcomer()};
    }
    trial_.clients = {0, 1};
    if (dice_.in(30)) third();
    if (dice_.in(30)) {
      trial_.at_most = 1;
      const auto fault = dice_.one_of({Fault::crash, Fault::unreachable, Fault::lost_reply,
                                       Fault::lost_request, Fault::restart});
      trial_.faults[static_cast<std::size_t>(fault)] = 1;
    }
    return std::move(trial_);
  }

 private:
  static Instruction make(Op op, int name = 0, int amount = 0) {
    Instruction in;
    in.op = op;
    in.name = name;
    in.amount = amount;
    return in;
  }
  static Instruction jump_to(int target, When when) {
    Instruction in;
    in.op = Op::jump;
    in.target = target;
    in.when = when;
    return in;
  }
  Instruction something() {
    return make(
        dice_.one_of({Op::set, Op::set, Op::erase, Op::increment, Op::exchange, Op::publish}));
  }
  void require(Rule::Kind kind) {
    Rule rule;
    rule.kind = kind;
    trial_.rules.push_back(rule);
  }

  // Listens until it ends, and is done with its last request, or with a wait.
  Code listener() {
    Code code{make(Op::subscribe)};
    if (dice_.in(40)) code.push_back(make(Op::subscribe, dice_.below(2)));
    if (dice_.in(30)) code.push_back(something());
    if (dice_.in(20)) code.push_back(make(Op::unsubscribe));
    if (dice_.in(20)) code.push_back(make(Op::await, 0, dice_.one_of({500, 1000, for_ever})));
    if (dice_.in(80)) code.push_back(something());
    return code;
  }

  // Looks for what the listener has done, and for the listener.
  Code asker() {
    Code code{make(Op::get)};
    const int end = 100;
    code.push_back(jump_to(end, dice_.in(50) ? When::yes : When::no));
    code.push_back(make(Op::publish, dice_.below(2)));
    if (dice_.in(30)) {
      code.push_back(jump_to(end, When::yes));
      code.push_back(make(Op::publish));
    }
    code.push_back(jump_to(end, dice_.in(80) ? When::no : When::yes));
    code.push_back(make(Op::reach));
    const int length = static_cast<int>(code.size());
    for (Instruction& in : code) in.target = std::min(in.target, length);
    require(Rule::Kind::never);
    return code;
  }

  // Believes to hold, and learns that this ends earlier, or that it goes on.
  Code believer() {
    Code code;
    code.push_back(dice_.in(50) ? make(Op::enter) : make(Op::enter_until, 0, 2000));
    code.push_back(something());
    code.push_back(make(Op::enter_until, 0, dice_.one_of({0, 0, 500, 2000})));
    if (dice_.in(50)) code.push_back(make(Op::leave));
    return code;
  }
  Code newcomer() {
    require(dice_.in(80) ? Rule::Kind::lease_exclusion : Rule::Kind::mutual_exclusion);
    return {make(Op::get), jump_to(4, dice_.in(50) ? When::yes : When::no),
            make(Op::enter_until, 0, 1000), make(Op::leave)};
  }

  void third() {
    if (dice_.in(50)) {
      trial_.clients = {0, 0, 1};
    } else {
      trial_.codes.push_back({something(), make(Op::get)});
      trial_.clients = {0, 1, 2};
    }
  }

  Dice dice_;
  Trial trial_;
};

}  // namespace

Trial trial_of_last_answers(std::uint64_t seed) {
  return Maker(seed).make();
}

}  // namespace interlock::sim::independent
