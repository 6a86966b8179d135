// The memory that all processes share: on it clients write down their sections.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "clock.hpp"

namespace interlock::contention {

struct SectionTimes {
  int client;
  Nanoseconds asked;
  Nanoseconds entered;
  Nanoseconds left;
};

struct SharedSections {
  std::atomic<int> ready;
  std::atomic<bool> go;
  std::atomic<int> begun;     // sections, in the order in which they were entered
  std::atomic<int> inside;    // clients that are in one now
  std::atomic<int> overlaps;  // sections that began while another went on
  std::atomic<int> failures;
};

class SectionBoard {
 public:
  explicit SectionBoard(int sections) {
    const std::size_t bytes =
        sizeof(SharedSections) + sizeof(SectionTimes) * static_cast<std::size_t>(sections);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    shared_ = new (memory) SharedSections();
    sections_ = reinterpret_cast<SectionTimes*>(shared_ + 1);
  }
  SharedSections& shared() { return *shared_; }
  SectionTimes& section(int number) { return sections_[number]; }

 private:
  SharedSections* shared_;
  SectionTimes* sections_;
};

}  // namespace interlock::contention
