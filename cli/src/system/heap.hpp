// How much memory the threads of this process keep.
#pragma once

namespace interlock::cli {

// From now on all threads share one heap. The C library gives each thread a heap of its own, which
// makes it faster where threads allocate all the time: those of a program that waits do not. Call
// it before the first thread starts.
void share_one_heap() noexcept;

}  // namespace interlock::cli
