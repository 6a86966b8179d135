#include "process/equal_futures.hpp"

#include <algorithm>
#include <utility>

namespace interlock::sim {
namespace {

using Local = Automaton::Local;
using LocalStep = Automaton::LocalStep;

// Forms the coarsest classes that it can: starts from what the local states wait for, and splits a
// class as long as two of its members have answered one question differently. A question that only
// one of them was asked distinguishes nothing.
class Guess {
 public:
  // `may_go_on` is called before each round; after false the classes are too coarse.
  Guess(const Automaton& program, const std::function<bool()>& may_go_on)
      : answers_(program.size()), class_of_(program.size()) {
    for (const ProgramStep& step : program.learned()) {
      Answers& of_local = answers_[step.from];
      const std::int64_t kind = step.clock ? 1 : 0;
      const Asking question{step.slot, step.reply, kind,
                            step.clock ? step.clock->monotonic : TimePoint(),
                            step.clock ? step.clock->wall : TimePoint()};
      of_local[question].push_back(step.result);
      of_local[Asking{step.slot, step.reply, reads_clock, {}, {}}] = {
          LocalStep{Automaton::done, static_cast<std::uint32_t>(kind), 0}};
    }
    begin(program);
    bool splits = true;
    while (splits) {
      is_whole_ = may_go_on();
      splits = is_whole_ && split();
    }
  }

  bool is_whole() const { return is_whole_; }
  const std::vector<std::uint32_t>& class_of() const { return class_of_; }

 private:
  static constexpr std::int64_t reads_clock = 2;
  // Slot, reply, whether the clock was read, and what it showed.
  using Asking = std::tuple<std::uint8_t, std::uint32_t, std::int64_t, TimePoint, TimePoint>;
  using Answers = std::map<Asking, std::vector<LocalStep>>;

  void begin(const Automaton& program) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> classes;
    for (Local local = 0; local < program.size(); ++local) {
      const bool alone = local == Automaton::done || program.is_beginning(local);
      std::vector<std::uint32_t> seen{alone ? local + 1 : 0, program.life(local),
                                      program.mentions(local)};
      const std::vector<std::uint32_t>& waits = program.waits(local);
      seen.insert(seen.end(), waits.begin(), waits.end());
      const auto next = static_cast<std::uint32_t>(classes.size());
      class_of_[local] = classes.emplace(std::move(seen), next).first->second;
    }
    count_ = static_cast<std::uint32_t>(classes.size());
  }

  bool split() {
    std::vector<std::vector<Local>> members(count_);
    for (Local local = 0; local < class_of_.size(); ++local)
      members[class_of_[local]].push_back(local);
    std::vector<std::uint32_t> next(class_of_.size());
    std::uint32_t count = 0;
    for (const std::vector<Local>& together : members) {
      std::vector<Answers> parts;
      for (const Local local : together) {
        const auto part = std::find_if(parts.begin(), parts.end(), [&](const Answers& some) {
          return fits(answers_[local], some);
        });
        next[local] = count + static_cast<std::uint32_t>(part - parts.begin());
        if (part == parts.end()) {
          parts.push_back(answers_[local]);
        } else {
          part->insert(answers_[local].begin(), answers_[local].end());
        }
      }
      count += static_cast<std::uint32_t>(parts.size());
    }
    class_of_ = std::move(next);
    const bool more = count > count_;
    count_ = count;
    return more;
  }

  bool fits(const Answers& local, const Answers& part) const {
    return std::all_of(local.begin(), local.end(), [&](const auto& answered) {
      const auto at = part.find(answered.first);
      return at == part.end() || is_same(answered.second, at->second);
    });
  }

  bool is_same(const std::vector<LocalStep>& one, const std::vector<LocalStep>& other) const {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [&](const LocalStep& some, const LocalStep& same) {
                        return class_of_[some.local] == class_of_[same.local] &&
                               some.marks == same.marks && some.choices == same.choices;
                      });
  }

  std::vector<Answers> answers_;  // by local state
  std::vector<std::uint32_t> class_of_;
  std::uint32_t count_ = 0;
  bool is_whole_ = false;
};

std::int64_t ticks(TimePoint time) {
  return time.time_since_epoch().count();
}

}  // namespace

EqualFutures::EqualFutures(Automaton& program,
                           std::size_t members_max,
                           std::function<bool()> may_ask)
    : program_(program),
      members_max_(members_max),
      may_ask_(std::move(may_ask)),
      locals_(program.size()) {
  const Guess guess(program, may_ask_);
  refuted_ = !guess.is_whole();
  std::map<std::uint32_t, Local> firsts;
  for (Local local = 0; local < locals_; ++local) {
    const Local first = firsts.emplace(guess.class_of()[local], local).first->second;
    first_of_.push_back(first);
    members_[first].push_back(local);
  }
  members_count_ = locals_;
}

const EqualFutures::LocalSteps& EqualFutures::step(Local first,
                                                   std::uint8_t slot,
                                                   std::uint32_t reply,
                                                   ClockReading now) {
  const Asked asked(first, slot, reply);
  const auto known = known_.find(asked);
  if (known != known_.end()) {
    const LocalSteps& answer = answers_[known->second].answer;
    if (!answer.reads_clock) return answer;
  }
  const AskedAt asked_at(first, slot, reply, ticks(now.monotonic), ticks(now.wall));
  const auto known_at = known_at_.find(asked_at);
  if (known_at != known_at_.end()) return answers_[known_at->second].answer;
  LocalQuestion question;
  question.slot = slot;
  question.reply = reply;
  question.clock = now;
  const LocalSteps& answer = ask(first, question);
  known_.emplace(asked, answers_.size() - 1);
  if (answer.reads_clock) known_at_.emplace(asked_at, answers_.size() - 1);
  return answer;
}

// Another name for a client that none of them has seen leaves all as they are.
Local EqualFutures::rename(Local first, const Permutation& permutation) {
  if (first <= Automaton::done || program_.mentions(first) == 0) return first;
  const auto key = std::pair(first, permutation.key());
  const auto known = renamed_.find(key);
  if (known != renamed_.end()) return known->second;
  LocalQuestion question;
  question.renames = true;
  question.permutation = permutation;
  const LocalSteps& answer = ask(first, question);
  return renamed_[key] = answer.results.empty() ? first : answer.results.front().local;
}

const EqualFutures::LocalSteps& EqualFutures::ask(Local first, const LocalQuestion& question) {
  // The search goes on to the end of its block.
  if (refuted_) {
    answers_.push_back(Answered{question, answer_of(first, question)});
    return answers_.back().answer;
  }
  const std::vector<Local> members = members_[first];
  std::vector<LocalSteps> answers;
  for (const Local member : members) {
    // The first one is asked in any case: the search needs some answer.
    refuted_ = refuted_ || !may_ask_();
    if (refuted_ && !answers.empty()) break;
    answers.push_back(answer_of(member, question));
    refuted_ = refuted_ || !are_alike(answers.front(), answers.back());
  }
  Answered answered{question, answers.front()};
  if (refuted_) {
    answers_.push_back(std::move(answered));
    return answers_.back().answer;
  }
  for (std::size_t at = 0; at < answered.answer.results.size(); ++at)
    answered.answer.results[at].local = class_among(answers, at);
  answered_by_[first].push_back(answers_.size());
  answers_.push_back(std::move(answered));
  for (const LocalSteps& answer : answers) take_in(answers_.back().answer, answer);
  ask_joined();
  return answers_.back().answer;
}

EqualFutures::LocalSteps EqualFutures::answer_of(Local member, const LocalQuestion& question) {
  LocalSteps answer;
  if (question.renames) {
    answer.results.push_back(LocalStep{program_.rename(member, question.permutation), 0, 0});
  } else {
    answer = program_.step(member, question.slot, question.reply, question.clock);
  }
  refuted_ = refuted_ || !program_.failure().empty();
  return answer;
}

// All but the local states that follow.
bool EqualFutures::are_alike(const LocalSteps& expected, const LocalSteps& got) {
  return expected.reads_clock == got.reads_clock &&
         std::equal(expected.results.begin(), expected.results.end(), got.results.begin(),
                    got.results.end(), [](const LocalStep& one, const LocalStep& other) {
                      return one.marks == other.marks && one.choices == other.choices;
                    });
}

// The class in which some member's result already is; else a new one.
Local EqualFutures::class_among(const std::vector<LocalSteps>& answers, std::size_t at) {
  for (const LocalSteps& answer : answers) {
    const Local first = first_of(answer.results[at].local);
    if (first != none) return first;
  }
  return found(answers.front().results[at].local);
}

Local EqualFutures::found(Local member) {
  if (first_of_.size() <= member) first_of_.resize(member + 1, none);
  first_of_[member] = member;
  members_[member].push_back(member);
  ++members_count_;
  return member;
}

void EqualFutures::take_in(const LocalSteps& expected, const LocalSteps& got) {
  for (std::size_t at = 0; at < expected.results.size(); ++at)
    join(got.results[at].local, expected.results[at].local);
}

void EqualFutures::join(Local member, Local first) {
  if (first_of(member) == first || refuted_) return;
  const bool alike = first_of(member) == none && first > Automaton::done &&
                     program_.life(member) == program_.life(first) &&
                     program_.waits(member) == program_.waits(first) &&
                     program_.mentions(member) == program_.mentions(first);
  refuted_ = !alike || ++members_count_ > members_max_;
  if (refuted_) return;
  if (first_of_.size() <= member) first_of_.resize(member + 1, none);
  first_of_[member] = first;
  members_[first].push_back(member);
  joined_lately_.emplace_back(member, first);
}

// A member that joins later is asked what its class was asked before.
void EqualFutures::ask_joined() {
  while (!joined_lately_.empty() && !refuted_) {
    const auto [member, first] = joined_lately_.back();
    joined_lately_.pop_back();
    for (const std::size_t at : answered_by_[first]) {
      refuted_ = !may_ask_();
      if (refuted_) return;
      const LocalSteps answer = answer_of(member, answers_[at].question);
      refuted_ = refuted_ || !are_alike(answers_[at].answer, answer);
      if (refuted_) return;
      take_in(answers_[at].answer, answer);
    }
  }
}

}  // namespace interlock::sim
