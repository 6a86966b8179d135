// Local states of one program, some of which are taken as one. A class goes by one of its members.
#pragma once

#include <cstdint>

#include "process/automaton.hpp"

namespace interlock::sim {

class LocalClasses {
 public:
  LocalClasses() = default;
  LocalClasses(const LocalClasses&) = delete;
  LocalClasses& operator=(const LocalClasses&) = delete;
  virtual ~LocalClasses() = default;

  // As those of Automaton. Once the classes are refuted, the answers mean nothing.
  virtual const Automaton::LocalSteps& step(Automaton::Local first,
                                            std::uint8_t slot,
                                            std::uint32_t reply,
                                            ClockReading now) = 0;
  // A local state to which no answer leads: the beginning of another life.
  virtual void begin(Automaton::Local first) = 0;
  virtual Automaton::Local rename(Automaton::Local first, const Permutation& permutation) = 0;

  virtual std::uint32_t count() const = 0;
  // Whether local states were taken as one that may do different things.
  virtual bool is_refuted() const = 0;
};

}  // namespace interlock::sim
