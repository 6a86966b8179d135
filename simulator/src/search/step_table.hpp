// What one part can do, learned once for each of its own states and each state of the globals
// (servers, monitor, time, budget), which all share. A search of millions of states meets only some
// thousands of these pairs, so that most of its steps are one look-up and one copy each.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_map.hpp"
#include "model/expand.hpp"
#include "search/state_set.hpp"

namespace interlock::sim {

template <class S>
class StepTable {
 public:
  class KnownStep {
   public:
    S after;  // the components of the mover and of the globals; the others are zero
    IndependentTransition detail;
  };
  // The table holds it by value: a look-up touches memory once.
  class KnownSteps {
   public:
    std::uint32_t first = 0;
    std::uint32_t count : 28 = 0;
    std::uint32_t over : 1 = 0;
    std::uint32_t could_move : 1 = 0;
    std::uint32_t idle : 1 = 0;
    std::uint32_t depend_on_others : 1 = 0;  // then they are not here: the expander must be asked

    Enabledness enabledness() const {
      Enabledness how;
      how.over = over != 0;
      how.could_move = could_move != 0;
      how.idle = idle != 0;
      return how;
    }
  };

  explicit StepTable(Engine& engine) : engine_(engine) {
    for (std::size_t component = engine.clients(); component < engine.components(); ++component) {
      globals_mask_.set(component, ~std::uint32_t{0});
    }
    for (std::size_t who = 0; who <= Permutation::count; ++who) {
      if (who < engine.clients()) masks_[who].set(who, ~std::uint32_t{0});
      masks_[who] = masks_[who] | globals_mask_;
      for (std::size_t component = 0; component < engine.clients(); ++component) {
        if (component != who) others_[who].set(component, ~std::uint32_t{0});
      }
    }
  }

  // The functions of a table that is not const learn what they do not know. Those of a const table
  // return `unknown`, or null.
  static constexpr std::uint32_t unknown = StateSet<S>::absent;

  S only_globals(const S& state) const { return state & globals_mask_; }
  std::uint32_t number_of(const S& globals) const { return globals_.find(globals); }
  std::uint32_t number_of(const S& globals) {
    const std::uint32_t known = globals_.find(globals);
    return known != unknown ? known : learn_globals(globals);
  }

  const KnownSteps* steps(const S& state, std::uint32_t globals, Part part) const {
    return known_.find(key(state, globals, part));
  }
  const KnownSteps* steps(const S& state, std::uint32_t globals, Part part) {
    const KnownSteps* const known = std::as_const(*this).steps(state, globals, part);
    if (known != nullptr) return known;
    learn_steps(state, globals, part);
    return std::as_const(*this).steps(state, globals, part);
  }

  // A client's config after the step of another mover.
  std::uint32_t told(const IndependentTransition& detail,
                     std::size_t client,
                     std::uint32_t config) const {
    const std::uint32_t* const at = told_.find(key_of_told(detail, client, config));
    return at == nullptr ? unknown : *at;
  }
  std::uint32_t told(const IndependentTransition& detail,
                     std::size_t client,
                     std::uint32_t config) {
    const std::uint32_t known = std::as_const(*this).told(detail, client, config);
    return known != unknown ? known : learn_told(detail, client, config);
  }

  // Whether something could not be learned: then all later answers mean nothing.
  bool out_of_memory() const { return out_of_memory_; }
  std::size_t bytes() const {
    return globals_.bytes() + known_.bytes() + told_.bytes() + all_.capacity() * sizeof(KnownStep);
  }

  const KnownStep& step(std::uint32_t index) const { return all_[index]; }
  // The components of all those whose part it is not.
  const S& others(Part part) const { return others_[component_of(part)]; }

 private:
  static std::size_t component_of(Part part) {
    return part.is_of_client() ? part.who : Permutation::count;
  }

  // 3 bits of kind, 4 of who, 25 of globals, 32 of config.
  static std::uint64_t key(const S& state, std::uint32_t globals, Part part) {
    const std::uint32_t config = part.is_of_client() ? state[part.who] : 0;
    return static_cast<std::uint64_t>(part.kind) << 61 | std::uint64_t{part.who} << 57 |
           std::uint64_t{globals} << 32 | config;
  }
  // 2 bits of kind, 3 of client, 3 of server, 26 of messages, 30 of config.
  static std::uint64_t key_of_told(const IndependentTransition& detail,
                                   std::size_t client,
                                   std::uint32_t config) {
    return static_cast<std::uint64_t>(detail.to_others) << 62 | std::uint64_t{client} << 59 |
           std::uint64_t{detail.server} << 56 | std::uint64_t{detail.messages} << 30 | config;
  }

  std::uint32_t learn_globals(const S& globals) {
    std::array<std::uint32_t, StateSet<S>::parts> one;
    one.fill(1);
    out_of_memory_ = out_of_memory_ || !globals_.reserve(one);
    const bool fits = engine_.countable(globals_.size() + 1, engine_.widths().globals,
                                        "states of what all clients share") == globals_.size() + 1;
    if (out_of_memory_ || !fits) return 0;
    globals_.insert(globals, StateSet<S>::hash(globals), Origin());
    return static_cast<std::uint32_t>(globals_.size() - 1);
  }

  void learn_steps(const S& state, std::uint32_t globals, Part part) {
    KnownSteps steps;
    steps.first = static_cast<std::uint32_t>(all_.size());
    const S& mine = masks_[component_of(part)];
    auto emit = [&](const S& next, const IndependentTransition& detail) {
      all_.push_back(KnownStep{next & mine, detail});
    };
    Expander<S, IndependentTransition, decltype(emit)> expander(engine_, emit);
    const Enabledness standing = expander.look(state, part);
    steps.over = standing.over ? 1 : 0;
    steps.could_move = standing.could_move ? 1 : 0;
    steps.idle = standing.idle ? 1 : 0;
    steps.depend_on_others = expander.depended_on_others() ? 1 : 0;
    if (steps.depend_on_others != 0) all_.resize(steps.first);
    steps.count = (static_cast<std::uint32_t>(all_.size()) - steps.first) & 0xfffffffU;
    known_.insert(key(state, globals, part), steps);
  }

  std::uint32_t learn_told(const IndependentTransition& detail,
                           std::size_t client,
                           std::uint32_t config) {
    std::uint32_t after = config;
    if (detail.to_others == ToOthers::hear) {
      after = engine_.after_hearing(client, config, detail.server, detail.messages);
    } else if (detail.to_others == ToOthers::reconnect) {
      after = engine_.after_reconnecting(client, config, detail.server);
    } else {
      after = engine_.process(client).aged(config);
    }
    told_.insert(key_of_told(detail, client, config), after);
    return after;
  }

  Engine& engine_;
  S globals_mask_{};
  std::array<S, Permutation::count + 1>
      masks_{};  // by component_of(): an agent's own components and the globals'
  std::array<S, Permutation::count + 1>
      others_{};  // by component_of(): all other clients' components
  StateSet<S> globals_;
  FlatMap<KnownSteps> known_;
  FlatMap<> told_;
  std::vector<KnownStep> all_;
  bool out_of_memory_ = !globals_.has_memory();
};

}  // namespace interlock::sim
