// The memory that each thread keeps for its coroutines: all of it is freed when the thread ends. A
// program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "interlock/task.hpp"

namespace {
// Blocks that are not freed yet.
std::atomic<int> blocks = 0;
}  // namespace

// Not inlined: GCC would take free() in place of a delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  ++blocks;
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  --blocks;
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace interlock {
namespace {

Task<int> number() {
  co_return 1;
}

void run_a_task() {
  Task<int> task = number();
  task.start();
  EXPECT_EQ(task.take(), 1);
}

// A guard that is a thread_local object releases its lock by a task when the thread ends.
class RunsATaskAtItsEnd {
 public:
  RunsATaskAtItsEnd() = default;
  RunsATaskAtItsEnd(const RunsATaskAtItsEnd&) = delete;
  RunsATaskAtItsEnd& operator=(const RunsATaskAtItsEnd&) = delete;
  ~RunsATaskAtItsEnd() { run_a_task(); }
  void made() {}
};

void work() {
  static thread_local RunsATaskAtItsEnd at_end;
  at_end.made();
  run_a_task();
}

TEST(FrameMemory, IsFreedIfATaskRunsWhileItsThreadEnds) {
  std::thread(work).join();  // what the first thread allocates for all
  const int before = blocks;
  for (int n = 0; n < 5; ++n) std::thread(work).join();
  EXPECT_EQ(blocks, before);
}

}  // namespace
}  // namespace interlock
