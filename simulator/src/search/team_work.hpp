// One block of states, on which several threads work. Whatever their number and speed, the result
// is that of one thread: states get their numbers in the order of discovery, and the calling thread
// learns what has to be learned, in that order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "search/state_set.hpp"
#include "search/successors.hpp"

namespace interlock::sim {

template <class S, bool notes>
class TeamWork {
 public:
  TeamWork(Team& team, Successors<S, notes>& successors, StateSet<S>& states)
      : team_(team),
        successors_(successors),
        states_(states),
        owners_(std::min(team.size(), StateSet<S>::parts)),
        shares_(team.size() * 4) {}

  // Expands the states with these numbers, and takes new ones into the set. Then the shares, in
  // their order, say what was found. False: there is not enough memory.
  [[nodiscard]] bool work(std::size_t begin, std::size_t end, Steps which) {
    begin_ = begin;
    end_ = end;
    which_ = which;
    team_.run(shares_.size(), [this](std::size_t at) { expand(at); });
    learn();
    team_.run(shares_.size(), [this](std::size_t at) { sort(shares_[at]); });
    if (!make_room()) return false;
    team_.run(owners_, [this](std::size_t owner) { claim(owner); });
    number();
    team_.run(shares_.size(), [this](std::size_t at) { settle(shares_[at]); });
    return true;
  }

  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const Work& work : shares_) bytes += work.share.bytes() + work.learned.bytes();
    return bytes;
  }
  std::size_t shares() const { return shares_.size(); }
  Share<S>& share(std::size_t at) { return shares_[at].share; }

 private:
  // A state whose successors could not be found without learning.
  class Gap {
   public:
    std::uint32_t state;
    std::size_t place;  // how many were found before
    std::size_t end;    // of its own ones in `learned`; they begin where the gap before ended
  };
  class Work {
   public:
    Share<S> share;
    std::vector<Gap> gaps;
    Share<S> learned;
    std::vector<std::vector<std::uint32_t>> of_owner;
    std::array<std::uint32_t, StateSet<S>::parts> in_parts{};
    std::vector<std::vector<std::size_t>> slots;  // by owner: of its new states, in their order
    std::size_t first_number = 0;
  };

  void expand(std::size_t at) {
    Work& work = shares_[at];
    work.share.clear();
    work.gaps.clear();
    work.learned.clear();
    const Successors<S, notes>& known = successors_;
    const std::size_t count = end_ - begin_;
    const std::size_t end = begin_ + count * (at + 1) / shares_.size();
    for (std::size_t state = begin_ + count * at / shares_.size(); state < end; ++state) {
      const auto number = static_cast<std::uint32_t>(state);
      if (!known.add(states_[state], number, which_, work.share)) {
        work.gaps.push_back(Gap{number, work.share.found.size(), 0});
      }
      if (work.share.last) break;
    }
  }

  // Only what one thread would have learned: nothing after the step with which the search ends.
  void learn() {
    bool over = false;
    for (Work& work : shares_) {
      if (over) {
        work.share.clear();
        work.gaps.clear();
        continue;
      }
      for (std::size_t at = 0; at < work.gaps.size(); ++at) {
        Gap& gap = work.gaps[at];
        successors_.add(states_[gap.state], gap.state, which_, work.learned);
        gap.end = work.learned.found.size();
        if (!work.learned.last) continue;
        work.share.found.resize(gap.place);
        work.share.last = work.learned.last;
        work.gaps.resize(at + 1);
      }
      over = work.share.last.has_value();
    }
  }

  // Puts what was learned in its place, and gives each owner of a part its states.
  void sort(Work& work) {
    if (!work.gaps.empty()) fill_gaps(work);
    work.in_parts.fill(0);
    work.of_owner.resize(owners_);
    work.slots.resize(owners_);
    for (auto& list : work.of_owner) list.clear();
    for (std::size_t at = 0; at < work.share.found.size(); ++at) {
      const std::size_t part = StateSet<S>::part_of(work.share.found[at].hash);
      ++work.in_parts[part];
      work.of_owner[part % owners_].push_back(static_cast<std::uint32_t>(at));
    }
  }

  static void fill_gaps(Work& work) {
    const std::vector<Found<S>>& before = work.share.found;
    const std::vector<Found<S>>& learned = work.learned.found;
    std::vector<Found<S>> all;
    all.reserve(before.size() + learned.size());
    std::size_t place = 0;
    std::size_t taken = 0;
    const auto take = [&all](const std::vector<Found<S>>& from, std::size_t& at, std::size_t end) {
      for (; at < end; ++at) all.push_back(from[at]);
    };
    for (const Gap& gap : work.gaps) {
      take(before, place, gap.place);
      take(learned, taken, gap.end);
    }
    take(before, place, before.size());
    work.share.found.swap(all);
    work.share.has_violations = work.share.has_violations || work.learned.has_violations;
    std::vector<std::uint32_t>& deadlocks = work.share.deadlocks;
    const std::vector<std::uint32_t>& more = work.learned.deadlocks;
    deadlocks.insert(deadlocks.end(), more.begin(), more.end());
    std::sort(deadlocks.begin(), deadlocks.end());
  }

  bool make_room() {
    std::array<std::uint32_t, StateSet<S>::parts> in_parts{};
    for (const Work& work : shares_) {
      for (std::size_t part = 0; part < in_parts.size(); ++part) {
        in_parts[part] += work.in_parts[part];
      }
    }
    return states_.reserve(in_parts);
  }

  void claim(std::size_t owner) {
    constexpr std::size_t far = 24;
    constexpr std::size_t near = 12;
    typename StateSet<S>::Newcomers newcomers;
    for (Work& work : shares_) {
      std::vector<Found<S>>& found = work.share.found;
      const std::vector<std::uint32_t>& mine = work.of_owner[owner];
      work.slots[owner].clear();
      for (std::size_t at = 0; at < mine.size(); ++at) {
        if (at + far < mine.size()) states_.prefetch_slot(found[mine[at + far]].hash);
        if (at + near < mine.size()) states_.prefetch_state(found[mine[at + near]].hash);
        Found<S>& one = found[mine[at]];
        const std::size_t slot = states_.claim(one.state, one.hash, newcomers);
        if (slot == StateSet<S>::known) continue;
        one.is_new = true;
        work.slots[owner].push_back(slot);
      }
    }
  }

  void number() {
    std::size_t next = states_.size();
    for (Work& work : shares_) {
      work.first_number = next;
      for (const auto& slots : work.slots) next += slots.size();
    }
    states_.add_unsettled(next - states_.size());
  }

  void settle(Work& work) {
    std::vector<std::size_t> at(owners_, 0);
    std::size_t number = work.first_number;
    for (std::size_t index = 0; index < work.share.found.size(); ++index) {
      const Found<S>& found = work.share.found[index];
      if (!found.is_new) continue;
      const std::size_t owner = StateSet<S>::part_of(found.hash) % owners_;
      const std::size_t slot = work.slots[owner][at[owner]++];
      states_.settle(slot, number++, found.state, found.origin);
    }
  }

  Team& team_;
  Successors<S, notes>& successors_;
  StateSet<S>& states_;
  std::size_t owners_;
  std::vector<Work> shares_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Steps which_ = Steps::ordinary;
};

}  // namespace interlock::sim
