// The locks that are compared, each as one client sees it: acquire, release, on a connection of its
// own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interlock/vocabulary.hpp"

namespace interlock::load {

class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  // False: it gave up at that instant of the local clock. An error ends the process with a message.
  virtual bool acquire(TimePoint give_up) = 0;
  virtual void release() = 0;
};

class Target {
 public:
  std::string host;
  int port = 0;
  std::string url;
  std::string lock;  // the name of the one lock
};

class ContenderKind {
 public:
  std::string name;   // `stamp-lock`
  std::string waits;  // `no pause`, `10 ms`, `messages`
  std::string who;    // `interlock`, `source`, `repaired`, `hiredis`: colours of the plot
  std::function<std::unique_ptr<Contender>(const Target&)> make;
};

// The source locks with and without a pause between tries, plain hiredis loops, and the lock of
// this library. `repaired`: the source locks' repaired twins, too.
std::vector<ContenderKind> kinds(bool repaired);

}  // namespace interlock::load
