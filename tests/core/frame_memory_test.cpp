// The memory that each thread keeps for its coroutines: all of it is freed when the thread ends. A
// program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "interlock/task.hpp"

namespace {
// Blocks that are not freed yet.
std::atomic<int> blocks = 0;
// Blocks that were ever asked for.
std::atomic<int> asked_for = 0;
}  // namespace

// Not inlined: GCC would take free() in place of a delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  ++blocks;
  ++asked_for;
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

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_frames = false;
#else
constexpr bool keeps_frames = true;
#endif

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

std::vector<Task<int>> tasks(int how_many) {
  std::vector<Task<int>> made;
  made.reserve(static_cast<std::size_t>(how_many));
  for (int n = 0; n < how_many; ++n) made.push_back(number());
  return made;
}

// As with thousands of locks in flight: some frames end, and as many begin.
TEST(FrameMemory, OfManyFramesThatEndServesThoseThatBeginNext) {
  constexpr int many = 20'000;
  const std::vector<Task<int>> in_flight = tasks(many);
  tasks(many);
  const int before = asked_for;
  const std::vector<Task<int>> next = tasks(many);
  EXPECT_EQ(asked_for - before, keeps_frames ? 1 : many + 1) << "the vector, and the frames";
}

TEST(FrameMemory, OfManyFramesIsFreedWhenTheyHaveEndedButForAReserve) {
  const int before = blocks;
  tasks(20'000);
  EXPECT_LE(blocks - before, 8192) << "1 MiB of the smallest frames";
}

}  // namespace
}  // namespace interlock
