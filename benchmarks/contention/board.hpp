// The memory that all processes share: on it clients write down their sections.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "clock.hpp"

namespace interlock::contention {

struct Section {
  int client;
  Nanoseconds asked;
  Nanoseconds entered;
  Nanoseconds left;
};

struct Shared {
  std::atomic<int> ready;
  std::atomic<bool> go;
  std::atomic<int> begun;     // sections, in the order in which they were entered
  std::atomic<int> inside;    // clients that are in one now
  std::atomic<int> overlaps;  // sections that began while another went on
  std::atomic<int> failures;
};

class Board {
 public:
  explicit Board(int sections) {
    const std::size_t bytes = sizeof(Shared) + sizeof(Section) * static_cast<std::size_t>(sections);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    shared_ = new (memory) Shared();
    sections_ = reinterpret_cast<Section*>(shared_ + 1);
  }
  Shared& shared() { return *shared_; }
  Section& section(int number) { return sections_[number]; }

 private:
  Shared* shared_;
  Section* sections_;
};

}  // namespace interlock::contention
