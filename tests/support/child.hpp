// A child of fork(), for tests of what one may do.
#pragma once

#include <functional>

namespace interlock::test {

// Runs `body` in a child of this process and gives what it returned: 0 to 127. 128 + n: it was
// ended by signal n; SIGKILL also when it has not ended after twenty seconds. The child leaves by
// _exit(), so that nothing of the test runs on in it.
int in_child(const std::function<int()>& body);
// The same by _Fork() and by the system's clone(): no pthread_atfork(3) handler runs, and `body`
// finds this process's locks and descriptors as they are.
int in_untold_child(const std::function<int()>& body);
int in_cloned_child(const std::function<int()>& body);

// From here on this process gets no thread and no child; root becomes nobody for that. In a child
// of in_child() only: nothing undoes it.
void forbid_threads();
// From here on descriptors have numbers below `count`.
void limit_descriptors(unsigned count);

}  // namespace interlock::test

// For tests that fork while other threads work. The address sanitizer's allocator may be locked by
// one of them at that moment, and stays locked in the child then (mended in LLVM in December 2023,
// pull request 75290).
#if defined(__SANITIZE_ADDRESS__)
#define INTERLOCK_SKIP_IF_A_FORK_MAY_HANG() \
  GTEST_SKIP() << "the address sanitizer does not follow a process with threads through a fork"
#else
#define INTERLOCK_SKIP_IF_A_FORK_MAY_HANG() static_cast<void>(0)
#endif
