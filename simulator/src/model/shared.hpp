// What the tables of one search share: words, so that numbers mean the same in all tables, and what
// any table may find out about the search as a whole.
#pragma once

#include <string>

#include "base/flat_map.hpp"
#include "base/longest.hpp"
#include "base/widths.hpp"
#include "interlock/sim/scenario.hpp"
#include "model/happenings.hpp"
#include "model/specifications.hpp"
#include "process/automaton.hpp"

namespace interlock::sim {

// A message that a server has published: on a channel, and its text as a reply of the vocabulary.
class Message {
 public:
  std::uint32_t channel = 0;
  std::uint32_t text = 0;
};

class Messages {
 public:
  std::uint32_t add(std::uint32_t channel, std::uint32_t text) {
    return all_.add(Message{channel, text}, Encoder().number(channel).number(text).take()).first;
  }
  const Message& operator[](std::uint32_t message) const { return all_[message]; }

 private:
  Interner<Message> all_;
};

class EngineShared {
 public:
  EngineShared(const Scenario& of, const Widths& widths, Vocabulary& words)
      : scenario(of),
        vocabulary(words),
        capacity(widths),
        happenings(of),
        longest(of.longest().value_or(of.apart())) {}

  const Scenario& scenario;
  Vocabulary& vocabulary;
  Interner<std::string> channels;
  Messages messages;
  Capacity capacity;
  Happenings happenings;
  Longest longest;
  Specifications specifications;
};

}  // namespace interlock::sim
