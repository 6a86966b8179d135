// The threads of one client. One of them runs at a time: each other waits for the answer to a
// question, and the search decides which of them goes on.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "interlock/time_source.hpp"

namespace interlock::harness {

class Threads {
 public:
  void begin() {
    ++alive_;
    were_several_ = true;
  }
  void end() { --alive_; }
  std::size_t alive() const { return alive_; }
  // Whether the client has had more than one at any time.
  bool were_several() const { return were_several_; }

  // A thread that need not wait is preempted once at most in a run of its client. Few preemptions
  // show most mistakes, and the number of runs grows exponentially with them (Musuvathi, Qadeer:
  // Iterative Context Bounding for Systematic Testing of Multithreaded Programs, PLDI 2007).
  bool may_preempt() const { return preemptions_ < preemptions_max; }
  void note_preemption() { ++preemptions_; }

  int running = 1;  // the thread that was answered last

  // Until when the wait of this name lasts. It is set when the wait begins, and kept while the
  // thread wakes up and finds the lock taken again.
  TimePoint end_of(const std::string& wait, TimePoint if_new) {
    return ends_.try_emplace(wait, if_new).first->second;
  }

 private:
  static constexpr int preemptions_max = 1;

  std::size_t alive_ = 1;
  int preemptions_ = 0;
  bool were_several_ = false;
  std::map<std::string, TimePoint> ends_;
};

// The sleeps of a client that have not ended. If another thread wakes the sleeper, its sleep is
// cancelled.
class Sleeps {
 public:
  void add(std::uint64_t number, PendingSleep& sleep) { all_[number] = &sleep; }
  // False: it was cancelled.
  bool remove(std::uint64_t number) { return all_.erase(number) > 0; }
  void cancel(std::uint64_t number, TimeSource& time) {
    const auto at = all_.find(number);
    if (at == all_.end()) return;
    time.wake(*at->second);
    all_.erase(at);
  }
  void cancel_all(TimeSource& time) {
    for (const auto& [number, sleep] : all_) time.wake(*sleep);
    all_.clear();
  }
  bool empty() const { return all_.empty(); }

 private:
  std::map<std::uint64_t, PendingSleep*> all_;
};

}  // namespace interlock::harness
