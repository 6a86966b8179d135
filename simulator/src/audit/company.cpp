#include "audit/company.hpp"

#include <algorithm>

#include "base/chance.hpp"

namespace interlock::sim {
namespace {

// Counts steps of clients, for each of the two. Small programs need less.
constexpr std::uint64_t slices = 16;       // of it, so that others stand at many places
constexpr std::size_t turns_at_most = 50;  // how often all go together

}  // namespace

Company::Company(const std::vector<Member>& members, std::uint64_t steps) : least_(steps) {
  for (const Member& member : members) {
    const auto [at, added] = graphs_.try_emplace(member.automaton, *member.automaton);
    // Otherwise the client has not begun in any run.
    if (at->second.size() > 0) members_.push_back(member);
  }
  standing_.resize(members_.size());
  touring_.resize(members_.size());
}

void Company::count_run() {
  ++runs_;
  is_ended_ = is_ended_ || (proceed_ && !proceed_());
}

bool Company::run(const std::function<bool()>& proceed) {
  if (members_.size() < 2) return true;
  proceed_ = proceed;
  std::uint64_t share = least_;
  for (const auto& [automaton, graph] : graphs_) share += graph.size() / 2;
  budget_ = share;
  one_by_one(share / slices);
  budget_ = steps_ + share;
  for (std::size_t turn = 1; turn <= turns_at_most && has_budget(); ++turn) all_together(turn);
  send_all_home();
  return !is_ended_;
}

void Company::one_by_one(std::uint64_t slice) {
  std::vector<Strides> places;
  std::size_t most = 0;
  for (std::size_t member = 0; member < members_.size(); ++member) {
    const std::size_t count = graph(member).size();
    places.push_back(far_apart(count, member));
    most = std::max(most, count);
  }
  for (std::size_t round = 0; round < most; ++round) {
    std::vector<ProgramGraph::Id> stand_at;
    stand_at.reserve(places.size());
    for (Strides& place : places) {
      stand_at.push_back(static_cast<ProgramGraph::Id>(place.next()));
    }
    for (std::size_t goes = 0; goes < members_.size(); ++goes) {
      send_all_home();
      bool all_stand = true;
      for (std::size_t other = 0; other < members_.size() && all_stand; ++other) {
        if (other != goes) all_stand = stand(other, stand_at[other]);
      }
      if (all_stand) tour_beside_others(goes, round, slice);
      if (!has_budget()) return;
    }
  }
}

// After the step.
bool Company::stand(std::size_t member, ProgramGraph::Id place) {
  const Member& who = members_[member];
  const Automaton::Local from = graph(member)[place].from;
  standing_[member] = std::make_unique<Companion>(*who.automaton, graph(member), who.as);
  Companion& run = *standing_[member];
  const bool same = run.lead_to(from) && run.take(place);
  count_run();
  steps_ += run.steps();
  if (!same) judge(member, from, {place}, std::string(run.difference()));
  return same;
}

void Company::begin_tour(std::size_t member, std::size_t mixed) {
  const Member& who = members_[member];
  touring_[member] = std::make_unique<Tour>(*who.automaton, graph(member), who.as, mixed);
}

void Company::tour_beside_others(std::size_t member, std::size_t mixed, std::uint64_t slice) {
  begin_tour(member, mixed);
  const std::uint64_t end = steps_ + slice;
  while (has_budget() && steps_ < end && go_on(member)) continue;
}

void Company::all_together(std::size_t mixed) {
  send_all_home();
  for (std::size_t member = 0; member < members_.size(); ++member) {
    begin_tour(member, mixed * members_.size() + member);
  }
  Chance chance(mixed);
  std::vector<std::size_t> under_way;
  for (std::size_t member = 0; member < members_.size(); ++member) under_way.push_back(member);
  while (has_budget() && !under_way.empty()) {
    const auto at = static_cast<std::ptrdiff_t>(chance.below(under_way.size()));
    if (!go_on(under_way[static_cast<std::size_t>(at)])) under_way.erase(under_way.begin() + at);
  }
}

bool Company::go_on(std::size_t member) {
  Tour& tour = *touring_[member];
  if (!tour.go_on()) return false;
  const bool has_begun = tour.steps().empty();
  if (has_begun) count_run();
  steps_ += has_begun ? tour.run()->steps() : 1;
  if (!tour.differs()) return true;
  const std::vector<ProgramGraph::Id> steps = tour.steps();
  judge(member, graph(member)[steps.front()].from, steps, std::string(tour.run()->difference()));
  return false;
}

void Company::send_all_home() {
  for (auto& one : standing_) one.reset();
  for (auto& one : touring_) one.reset();
}

std::string Company::others_than(std::size_t member) const {
  std::string others;
  for (const Member& other : members_) {
    if (other.as.client == members_[member].as.client) continue;
    others += (others.empty() ? "" : ", ") + client_name(other.as.client);
  }
  return others;
}

// Takes the same steps once more, without other clients.
void Company::judge(std::size_t member,
                    Automaton::Local from,
                    const std::vector<ProgramGraph::Id>& steps,
                    const std::string& difference) {
  send_all_home();
  const Member& who = members_[member];
  Companion alone(*who.automaton, graph(member), who.as);
  bool same = alone.lead_to(from);
  for (const ProgramGraph::Id step : steps) same = same && alone.take(step);
  ++runs_;
  const std::string client = "client " + client_name(who.as.client);
  failure_ =
      same ? client + " does something else beside " + others_than(member) +
                 " than alone: " + difference +
                 ": clients are processes and share no memory: give each its own, and let them "
                 "meet in the stores alone"
           : client + " did something else when it ran once more: " + difference +
                 ": it is not deterministic, or not identical to its like, or loop_head or "
                 "remembers leaves something out";
}

}  // namespace interlock::sim
