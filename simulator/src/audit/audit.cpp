#include "audit/audit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>

#include "audit/tour.hpp"

namespace interlock::sim {
namespace {

// Budgets count steps of clients; each is about as much work as a step while a program is learned.
constexpr std::uint64_t budget_least = 20'000;
constexpr std::size_t repeated_at_most = 300;

constexpr int nearby = 64;         // places in which a way looks for a step that is not yet done
constexpr int all_around = 1'024;  // places in which it looks for where the run was before
constexpr std::uint32_t a_few_steps = 24;
constexpr std::uint32_t many_steps = 512;
constexpr int ways_beyond = 8;

constexpr std::size_t few_twins = 4;  // up to so many, all exchanges of names are tried

constexpr int next_times = 1'000;  // one instant apart

constexpr std::uint64_t walks = 200;
constexpr std::uint64_t walk_length = 60;

bool is_same(const ProgramStep& step, const Automaton::Waypoint& first, const Vocabulary& words) {
  const auto differs = [](TimePoint shown, TimePoint read) {
    return read != TimePoint() && read != shown;
  };
  const ClockReading clock = step.clock.value_or(ClockReading());
  return step.from == first.from && step.slot == first.input.slot &&
         step.reply == first.input.reply &&
         !differs(clock.monotonic, first.input.clock.monotonic) &&
         !differs(clock.wall, first.input.clock.wall) &&
         words.branches(step.result.choices) == first.input.branches;
}

}  // namespace

Audit::Audit(const Automaton& automaton,
             std::vector<std::size_t> twins,
             std::vector<std::vector<std::size_t>> others,
             std::uint64_t repeated_steps)
    : automaton_(automaton),
      twins_(std::move(twins)),
      others_(std::move(others)),
      repeated_steps_(repeated_steps),
      graph_(automaton) {
  itself_.client = automaton.client();
  for (Id id = 0; id < graph_.size(); ++id) {
    const ProgramStep& step = graph_[id];
    if (step.passes_time || step.result.local == Automaton::done) continue;
    const Automaton::Waypoint first = automaton_.step_to(step.result.local);
    if (!is_same(step, first, automaton_.vocabulary())) merges_.push_back(id);
  }
}

bool Audit::run(const std::function<bool()>& proceed) {
  proceed_ = proceed;
  repeat_all();
  if (!is_over() && automaton_.takes_pasts_as_one()) compare_pasts();
  if (!is_over() && twins_.size() > 1) run_as_twins();
  if (!is_over() && !others_.empty()) run_beside_renamed();
  if (!is_over() && automaton_.ageing()) run_at_other_times();
  return !is_ended_;
}

void Audit::finish(const Companion& run) {
  ++runs_;
  steps_ += run.steps();
  is_ended_ = is_ended_ || (proceed_ && !proceed_());
}

// --- once more -----------------------------------------------------------------------------------

void Audit::repeat_all() {
  budget_ = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t times = 0; times < repeated_at_most && !is_over(); ++times) {
    if (times > 0 && steps_ >= repeated_steps_) break;
    // In another order, to see whether one run leaves something behind for the next.
    tour(itself_, times);
  }
}

bool Audit::tour(const Companion::As& as, std::size_t mixed) {
  Tour tour(automaton_, graph_, as, mixed);
  while (tour.has_more()) {
    if (!has_budget()) return false;
    tour.go_on();
    while (!tour.is_between()) tour.go_on();
    finish(*tour.run());
    if (tour.differs()) judge(*tour.run(), as, tour.last());
    if (is_over()) return false;
  }
  return true;
}

// --- different pasts that were merged ------------------------------------------------------------

void Audit::compare_pasts() {
  constexpr std::array<Depth, 9> levels{
      Depth{1, a_few_steps},  Depth{1, many_steps},   Depth{2, a_few_steps},
      Depth{4, a_few_steps},  Depth{8, a_few_steps},  Depth{16, a_few_steps},
      Depth{32, a_few_steps}, Depth{64, a_few_steps}, Depth{rounds_max, a_few_steps}};
  const std::uint64_t share = (budget_least + std::size_t{2} * graph_.size()) / (levels.size() + 1);
  bool all = true;
  budget_ = steps_;
  for (std::size_t level = 0; level < levels.size() && !merges_.empty(); ++level) {
    budget_ += share;
    Strides order = far_apart(merges_.size(), level * merges_.size() / levels.size());
    for (std::size_t done = 0; done < merges_.size(); ++done) {
      all = all && has_budget();
      if (!has_budget() || !compare_past(merges_[order.next()], levels[level], Time::stands)) break;
    }
    if (is_over()) return;
    if (all) rounds_compared_ = levels[level].rounds;
  }
  budget_ += share;
  for (const Id merge : merges_) {
    if (!has_budget() || !compare_past(merge, Depth{rounds_max / 4, a_few_steps}, Time::passes))
      break;
  }
  go_round();
  for (std::uint64_t seed = 0; seed < walks && !is_over(); ++seed) walk(seed);
}

// Comes to a state another way than the first run that did, and back to it some times: what follows
// must be what the automaton says.
bool Audit::compare_past(Id merge, Depth depth, Time time) {
  std::set<Id> seen;
  for (int way = 0; way < ways_beyond && has_budget(); ++way) {
    Companion run(automaton_, graph_, itself_);
    Id last = merge;
    bool same = run.lead_to(graph_[merge].from) && run.take(merge);
    std::uint32_t round = 1;
    for (Cycle cycle; same && round < depth.rounds; ++round) {
      if (time == Time::passes && !let_time_pass(run)) break;
      if (!come_back(run, merge, cycle)) break;
      same = go(run, cycle.way, last);
    }
    const std::size_t before = seen.size();
    const bool came_back = round > 1 || depth.rounds == 1;
    if (same && came_back) same = look_beyond(run, depth.beyond, seen, last);
    finish(run);
    if (!same) judge(run, itself_, last);
    if (!same || seen.size() == before) break;
  }
  return !is_over();
}

bool Audit::go(Companion& run, const std::vector<Id>& way, Id& last) {
  for (const Id step : way) {
    last = step;
    if (!run.take(step)) return false;
  }
  return true;
}

// Whether the run has come back by the path of the round before, and no time has passed: then it
// takes that path again.
bool Audit::come_back(const Companion& run, Id merge, Cycle& cycle) const {
  const GraphPlace& place = run.place();
  const bool again = !cycle.way.empty() && cycle.from.local == place.local &&
                     cycle.from.now == place.now && cycle.from.elapsed == place.elapsed;
  if (again) return true;
  cycle.from = place;
  cycle.way = graph_.way(
      place, [merge](Id step) { return step == merge; }, all_around);
  return !cycle.way.empty();
}

bool Audit::let_time_pass(Companion& run) const {
  const Automaton::Local local = run.place().local;
  for (Id step = graph_.begin(local); step < graph_.end(local); ++step) {
    if (graph_[step].passes_time) return run.take(step);
  }
  const auto next = graph_.next_reading(run.place());
  if (!next || automaton_.ageing()) return false;
  run.wait_until(*next);
  return true;
}

bool Audit::look_beyond(Companion& run, std::uint32_t steps, std::set<Id>& seen, Id& last) {
  const std::uint32_t end = run.steps() + steps;
  const auto is_new = [&](Id step) { return seen.count(step) == 0; };
  while (run.steps() < end) {
    const std::vector<Id> way = graph_.way(run.place(), is_new, nearby);
    if (way.empty()) return true;
    seen.insert(way.begin(), way.end());
    if (!go(run, way, last)) return false;
  }
  return true;
}

// If several ways lead back to a state, takes all of them, one after the other, again and again.
void Audit::go_round() {
  for (std::size_t at = 0; at < merges_.size() && has_budget() && !is_over();) {
    const Automaton::Local local = graph_[merges_[at]].result.local;
    std::vector<Id> here;
    for (const Id merge : merges_) {
      if (graph_[merge].result.local == local) here.push_back(merge);
    }
    const bool is_first = here.front() == merges_[at];
    ++at;
    if (here.size() < 2 || !is_first) continue;
    Companion run(automaton_, graph_, itself_);
    Id last = here.front();
    bool same = run.lead_to(local);
    for (std::uint32_t round = 0; same && round < rounds_max / 4; ++round) {
      Cycle cycle;
      if (!come_back(run, here[round % here.size()], cycle)) continue;
      same = go(run, cycle.way, last);
    }
    finish(run);
    if (!same) judge(run, itself_, last);
  }
}

// One random run among those that the automaton says are possible; time never goes back in it.
void Audit::walk(std::uint64_t seed) {
  Companion run(automaton_, graph_, itself_);
  Id last = 0;
  bool same = true;
  for (std::uint64_t step = 0; same && step < walk_length; ++step) {
    const std::uint64_t chance = mix(seed * walk_length + step + 1);
    const Automaton::Local local = run.place().local;
    std::vector<Id> open;
    std::optional<Id> instant;
    for (Id id = graph_.begin(local); id < graph_.end(local); ++id) {
      if (graph_[id].passes_time) {
        instant = id;
      } else if (ProgramGraph::is_possible(graph_[id], run.place())) {
        open.push_back(id);
      }
    }
    if (open.empty() && !instant) break;
    const bool passes = instant && (open.empty() || chance % 4 == 0);
    last = passes ? *instant : open[chance / 4 % open.size()];
    same = run.take(last);
  }
  finish(run);
  if (!same) judge(run, itself_, last);
}

// --- under other names, or at another time -------------------------------------------------------

namespace {

// All exchanges of the clients' names, those of two clients first; if there are many clients, only
// those of two. Exchanges that are the same for all clients in `named` count once.
std::vector<Permutation> exchanges(const std::vector<std::size_t>& clients, std::uint32_t named) {
  std::vector<Permutation> all;
  for (std::size_t one = 0; one < clients.size(); ++one) {
    for (std::size_t other = one + 1; other < clients.size(); ++other) {
      all.push_back(Permutation::swap(clients[one], clients[other]));
    }
  }
  std::vector<std::size_t> order = clients;
  while (clients.size() <= few_twins && std::next_permutation(order.begin(), order.end())) {
    Permutation permutation;
    for (std::size_t at = 0; at < clients.size(); ++at) permutation.set(clients[at], order[at]);
    all.push_back(permutation);
  }
  std::set<std::vector<std::size_t>> known;
  const auto seen_by_named = [&](const Permutation& permutation) {
    std::vector<std::size_t> images;
    for (std::size_t client = 0; client < Permutation::count; ++client) {
      images.push_back((named >> client & 1) != 0 ? permutation[client] : Permutation::count);
    }
    return images;
  };
  known.insert(seen_by_named(Permutation()));
  std::erase_if(all, [&](const Permutation& permutation) {
    return !known.insert(seen_by_named(permutation)).second;
  });
  return all;
}

// How much later (or earlier) other runs are: at the clocks' beginning, one instant and three
// instants later, and many years later.
std::vector<Duration> other_times(const Automaton& automaton) {
  if (!automaton.ageing()) return {};
  const Ageing& ageing = *automaton.ageing();
  constexpr Duration::rep many = 2'000'000'000;
  const Duration::rep most = Duration::max().count() / 4 / ageing.apart.count();
  return {ageing.first - ageing.present, ageing.apart, ageing.apart * 3,
          ageing.apart * std::min(many, most)};
}

}  // namespace

// A section, a resource or a goal belongs to the scenario, and the tables give it the same name for
// all clients: that name must hold no token `of` a client that is taken as another.
bool Audit::names_hold_tokens(std::uint32_t of) {
  std::string name;
  const auto look = [&](const std::string& text) {
    if (name.empty() && (mentions(text) & of) != 0) name = text;
  };
  for (Id step = 0; step < graph_.size(); ++step) {
    const std::uint32_t marks = graph_[step].result.marks;
    for (const Mark& mark : automaton_.vocabulary().mark_lists[marks]) {
      look(mark.subject);
      look(mark.operation);
    }
  }
  for (Automaton::Local local = 0; local < automaton_.size(); ++local) {
    for (const std::uint32_t wait : automaton_.waits(local)) look(automaton_.wait(wait).subject);
  }
  if (name.empty()) return false;
  const std::string others = twins_.size() > 1 ? " is not identical to the others: '"
                                               : " tells identical clients apart: '";
  failure_ =
      "client " + client_name(automaton_.client()) + others + name +
      "' is the name of a section, a resource, a goal, a ghost variable or an operation, and holds "
      "an owner token: use names that are the same for all, or add each client by itself with "
      "Scenario::client";
  return true;
}

void Audit::run_as_twins() {
  if (names_hold_tokens(~std::uint32_t{0})) return;
  std::uint32_t named = 1U << automaton_.client();
  for (Automaton::Local local = 0; local < automaton_.size(); ++local) {
    named |= automaton_.mentions(local);
  }
  budget_ = steps_ + budget_least + std::size_t{2} * graph_.size();
  for (const Permutation& permutation : exchanges(twins_, named)) {
    Companion::As as;
    as.client = permutation[automaton_.client()];
    as.permutation = permutation;
    twins_are_alike_ = tour(as) && twins_are_alike_;
    if (is_over()) return;
  }
  // With many clients not all exchanges were tried, which matters if they know each other's names.
  if (twins_.size() > few_twins && std::popcount(named) > 1) twins_are_alike_ = false;
}

// If a program names one of them without having been told of it, or draws conclusions from a name,
// it acts differently when they have changed places.
void Audit::run_beside_renamed() {
  std::uint32_t named = 0;
  for (Automaton::Local local = 0; local < automaton_.size(); ++local) {
    named |= automaton_.mentions(local);
    for (const std::uint32_t wait : automaton_.waits(local)) {
      named |= mentions(automaton_.wait(wait).operation);
    }
  }
  budget_ = steps_ + budget_least + std::size_t{2} * graph_.size();
  for (const std::vector<std::size_t>& group : others_) {
    std::uint32_t of_group = 0;
    for (const std::size_t client : group) of_group |= 1U << client;
    if (names_hold_tokens(of_group)) return;
    for (const Permutation& permutation : exchanges(group, named)) {
      Companion::As as = itself_;
      as.permutation = permutation;
      twins_are_alike_ = tour(as) && twins_are_alike_;
      if (is_over()) return;
    }
  }
}

void Audit::run_at_other_times() {
  budget_ = steps_ + 2 * budget_least + std::size_t{4} * graph_.size();
  for (const Duration later : other_times(automaton_)) {
    Companion::As as = itself_;
    as.later = later;
    tour(as);
    if (is_over()) return;
  }
  run_after_long_waits();
  run_at_next_times();
}

// A program may look which second of a minute it is: that comes round.
void Audit::run_at_next_times() {
  budget_ = steps_ + budget_least + std::size_t{2} * graph_.size();
  for (int instants = 1; instants <= next_times && !is_over() && has_budget(); ++instants) {
    Companion::As as = itself_;
    as.later = automaton_.ageing()->apart * instants;
    tour(as);
  }
}

// If a local state does not change when time passes, it must make no difference how long ago an
// event was.
void Audit::run_after_long_waits() {
  const Duration apart = automaton_.ageing()->apart;
  for (Automaton::Local local = 0; local < automaton_.size(); ++local) {
    const auto stays = [&](Id step) {
      return graph_[step].passes_time && graph_[step].result.local == local;
    };
    bool same = false;
    for (Id step = graph_.begin(local); step < graph_.end(local); ++step)
      same = same || stays(step);
    if (!same) continue;
    for (Id step = graph_.begin(local); step < graph_.end(local); ++step) {
      for (const int instants : {3, 17, 1'000, 1'000'000}) {
        if (stays(step) || is_over() || !has_budget()) break;
        Companion run(automaton_, graph_, itself_);
        Companion::As later = itself_;
        later.later = apart * instants;
        same = run.lead_to(local);
        run.let_pass(later.later);
        same = same && run.take(step);
        finish(run);
        if (!same) judge(run, later, step);
      }
    }
  }
}

// --- what was wrong ------------------------------------------------------------------------------

// Takes the step that differed once more, after the run in which it was learned.
std::string Audit::difference_from_learned(Id step, const Companion::As& as) {
  Companion run(automaton_, graph_, as);
  if (run.lead_to(graph_[step].from)) run.take(step);
  finish(run);
  return run.difference();
}

// Whether the client does the same each time, and what it did when the step was learned. That
// cannot be said if the step merges pasts, because what follows was learned in another run, or if
// time has no end, because it was learned for another time.
bool Audit::is_deterministic(Id step) {
  constexpr int times = 8;
  const std::string first = difference_from_learned(step, itself_);
  for (int time = 1; time < times; ++time) {
    if (difference_from_learned(step, itself_) != first) return false;
  }
  return first.empty() || automaton_.ageing() ||
         std::binary_search(merges_.begin(), merges_.end(), step);
}

bool Audit::depends_on_time(Id step) {
  if (!difference_from_learned(step, itself_).empty()) {
    const bool is_merge = std::binary_search(merges_.begin(), merges_.end(), step);
    return automaton_.ageing() && !(is_merge && automaton_.takes_pasts_as_one());
  }
  const std::vector<Duration> times = other_times(automaton_);
  return std::any_of(times.begin(), times.end(), [&](Duration later) {
    Companion::As as = itself_;
    as.later = later;
    return !difference_from_learned(step, as).empty();
  });
}

void Audit::judge(const Companion& run, const Companion::As& as, Id step) {
  const std::string me = client_name(automaton_.client());
  const std::string found =
      "after " + std::to_string(run.steps()) + " steps of a repeated run: " + run.difference();
  if (!is_deterministic(step)) {
    failure_ = "client " + me + " is not deterministic: " + found +
               ": take time, chance and all state that lasts from sim::Client only";
  } else if (as.later != Duration::zero() || depends_on_time(step) ||
             (automaton_.ageing() && !automaton_.takes_pasts_as_one() &&
              as.permutation.identity())) {
    broken_promise_ =
        "time has no end, and client " + me +
        " needs more of its clock than how much time has passed: at another time it does something "
        "else, " +
        found +
        ": give a number of instants, for example 5, or in a scenario of your own give "
        "Scenario::time_without_end() the longest time that it compares";
  } else if (!as.permutation.identity()) {
    const std::string what = as.client == automaton_.client()
                                 ? " tells identical clients apart: "
                                 : " is not identical to client " + me + ": ";
    failure_ = "client " + client_name(as.client) + what + found +
               ": compare owner tokens for equality only and use no part of them alone, or add "
               "each client by itself with Scenario::client";
  } else if (automaton_.takes_pasts_as_one()) {
    std::string promises;
    for (const std::string& promise : automaton_.promises()) {
      promises += (promises.empty() ? "" : " or ") + promise;
    }
    failure_ = "client " + me + ": state not captured at " + promises + ": " + found +
               ": add the variable that differs to its list";
  } else {
    failure_ = "client " + me + " is not deterministic: " + found +
               ": take time, chance and all state that lasts from sim::Client only";
  }
}

}  // namespace interlock::sim
