// The successors of a state, ready to be taken in. With const access this only uses what was
// learned, so any number of threads may do that at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/expand.hpp"
#include "model/symmetry.hpp"
#include "search/lessons.hpp"
#include "search/state_set.hpp"
#include "search/step_table.hpp"

namespace interlock::sim {

// A state that was reached, perhaps not for the first time.
template <class S>
class Found {
 public:
  S state;
  std::uint32_t hash = 0;
  std::uint16_t violation = 0;  // of the step
  bool is_new = false;
  Origin origin;
};

// The successors of some consecutive states, in their order.
template <class S>
class Share {
 public:
  std::vector<Found<S>> found;
  std::optional<Found<S>> last;  // breaks a property, and the search ends with it
  bool has_violations = false;
  std::vector<std::uint32_t> deadlocks;  // numbers of states
  // The globals of the state before: neighbours mostly have the same one.
  S globals_before{};
  std::uint32_t globals = StepTable<S>::unknown;

  std::size_t bytes() const { return found.capacity() * sizeof(Found<S>); }
  void clear() {
    found.clear();
    last.reset();
    has_violations = false;
    deadlocks.clear();
  }
};

// `notes`: each state for which something must be learned is added to Lessons.
template <class S, bool notes = false>
class Successors {
 public:
  // `stops`: at the first step that breaks a property.
  Successors(Engine& engine, bool stops)
      : engine_(engine), stops_(stops), symmetry_(engine), table_(engine) {}

  void add(const S& state, std::uint32_t number, Steps which, Share<S>& share) {
    if constexpr (notes) {
      if (std::as_const(*this).add(state, number, which, share)) return;
      if (!lessons_.add(number, which)) no_memory_for_lessons_ = true;
    }
    expand(*this, state, number, which, share);
  }
  // False if something must be learned for it; the share is as it was.
  bool add(const S& state, std::uint32_t number, Steps which, Share<S>& share) const {
    const std::size_t before = share.found.size();
    if (expand(*this, state, number, which, share)) return true;
    share.found.resize(before);
    share.last.reset();
    return false;
  }
  const Lessons& lessons() const { return lessons_; }
  bool out_of_memory() const { return table_.out_of_memory() || no_memory_for_lessons_; }
  std::size_t bytes() const { return table_.bytes() + symmetry_.bytes() + lessons_.bytes(); }
  void add_first(const S& state, Share<S>& share) { found(*this, state, 0, Transition(), share); }

 private:
  template <class Self>
  static bool expand(
      Self& self, const S& state, std::uint32_t number, Steps which, Share<S>& share) {
    const std::uint32_t globals = globals_of(self, state, share);
    if (globals == StepTable<S>::unknown) return false;
    bool known = true;
    const auto look = [&](Part part) {
      // Learns every part, whatever the others gave, because a part may show that a program cannot
      // be trusted.
      if (!known) return Enabledness();
      const auto standing = expand_part(self, state, globals, part, number, share);
      known = standing.has_value();
      return standing.value_or(Enabledness());
    };
    if (which == Steps::ordinary) {
      const Enabledness all = ordinary_parts(self.engine_, state, look);
      if (known && all.is_deadlock()) share.deadlocks.push_back(number);
    } else {
      faulty_parts(self.engine_, state[self.engine_.time_component()], look);
    }
    return known;
  }

  template <class Self>
  static std::uint32_t globals_of(Self& self, const S& state, Share<S>& share) {
    const S globals = self.table_.only_globals(state);
    if (share.globals == StepTable<S>::unknown || !(share.globals_before == globals)) {
      share.globals_before = globals;
      share.globals = self.table_.number_of(globals);
    }
    return share.globals;
  }

  template <class Self>
  static std::optional<Enabledness> expand_part(Self& self,
                                                const S& state,
                                                std::uint32_t globals,
                                                Part part,
                                                std::uint32_t number,
                                                Share<S>& share) {
    const auto* const known = self.table_.steps(state, globals, part);
    if (known == nullptr) return std::nullopt;
    const auto steps = *known;  // what is learned below may move them
    if (steps.depend_on_others != 0) {
      if (!self.expand_as_they_are(state, part, number, share)) return std::nullopt;
      return steps.enabledness();
    }
    const S others = state & self.table_.others(part);
    const std::uint32_t end = steps.first + steps.count;
    for (std::uint32_t at = steps.first; at < end; ++at) {
      const auto& step = self.table_.step(at);
      S next = others | step.after;
      const bool tells = step.detail.to_others != ToOthers::nothing;
      if (tells && !tell_others(self, next, part, step.detail)) return std::nullopt;
      if (!found(self, next, number, step.detail, share)) return std::nullopt;
    }
    return steps.enabledness();
  }

  // A part whose steps depend on more than its own state. This is rare, and not for several
  // threads.
  bool expand_as_they_are(const S& state, Part part, std::uint32_t number, Share<S>& share) {
    auto emit = [&](const S& next, const Transition& detail) {
      found(*this, next, number, detail, share);
    };
    Expander<S, Transition, decltype(emit)>(engine_, emit).look(state, part);
    return true;
  }
  bool expand_as_they_are(const S&, Part, std::uint32_t, Share<S>&) const { return false; }

  template <class Self>
  static bool tell_others(Self& self, S& state, Part part, const IndependentTransition& detail) {
    for (std::size_t client = 0; client < self.engine_.clients(); ++client) {
      if (part.is_of_client() && client == part.who) continue;
      const std::uint32_t after = self.table_.told(detail, client, state[client]);
      if (after == StepTable<S>::unknown) return false;
      state.set(client, after);
    }
    return true;
  }

  template <class Self>
  static bool found(
      Self& self, const S& next, std::uint32_t from, const Transition& detail, Share<S>& share) {
    if (share.last) return true;
    Found<S>& found = share.found.emplace_back();
    found.state = next;
    if (!self.symmetry_.canonicalize(found.state)) return false;
    found.hash = StateSet<S>::hash(found.state);
    found.origin = Origin{from, detail.action.code()};
    if (detail.violation == 0) return true;
    found.violation = detail.violation;
    share.has_violations = true;
    if (!self.stops_) return true;
    share.last = found;
    share.found.pop_back();
    return true;
  }

  Engine& engine_;
  const bool stops_;
  Symmetry symmetry_;
  StepTable<S> table_;
  Lessons lessons_;
  bool no_memory_for_lessons_ = false;
};

}  // namespace interlock::sim
