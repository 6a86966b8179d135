// How many different things of each kind a search can distinguish. The tables put several numbers
// into one word, so each number has a fixed number of bits. A number that needs more would be taken
// for another one, and a search that goes on with it proves nothing. So each number is checked
// where it is made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::sim {

// The numbers for which the words have room. Tests lower them (Limits::widths), never raise them.
class Widths {
 public:
  std::uint32_t configs = 1U << 23;  // of one program: its local states with what is on its way
  std::uint32_t late_requests = 16;  // that one client has left behind
  std::uint32_t evicted_keys = 512;  // on one server, while keys may be evicted
  std::uint32_t operations = 1U << 28;
  std::uint32_t causes = 1U << 28;    // of what a step reports to the properties
  std::uint32_t messages = 1U << 26;  // what operations publish
  std::uint32_t globals = 1U << 25;   // what all clients share: servers, monitor, time, faults
  std::uint64_t states = std::uint64_t{5} << 28;  // in the table of states

  // What a program may ask for: a program that asks for more is wrong, and the verdict `invalid`.
  static constexpr std::uint32_t tasks = 14;       // of one client, that wait at a time
  static constexpr std::uint32_t branches = 1024;  // of one step: the ways to take all its choices
};

// Which number did not fit. From then on the tables give wrong answers, which is harmless if the
// search ends without a verdict.
class Capacity {
 public:
  explicit Capacity(const Widths& widths) : widths_(widths) {}

  const Widths& widths() const { return widths_; }
  // Whether there may be `count` things of a kind of which `most` have room. `what`: the kind in
  // the plural, for the reader of exceeded().
  bool fits(std::uint64_t count, std::uint64_t most, std::string_view what) {
    if (count <= most) return true;
    if (exceeded_.empty()) {
      exceeded_ = "the scenario has more than " + std::to_string(most) + " " + std::string(what) +
                  ", and the search cannot tell more of them apart: take fewer clients, attempts, "
                  "instants or faults";
    }
    return false;
  }
  // Empty, or why the search is `incomplete`.
  const std::string& exceeded() const { return exceeded_; }

 private:
  Widths widths_;
  std::string exceeded_;
};

}  // namespace interlock::sim
