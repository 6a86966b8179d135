// The connections of this process to Redis, and what is on its way there.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

namespace interlock_preload {

// A few descriptors.
class Descriptors {
 public:
  void add(int descriptor) {
    if (!contains(descriptor) && count_ < most) all_[count_++] = descriptor;
  }
  void remove(int descriptor) {
    for (int i = 0; i < count_; ++i) {
      if (all_[i] == descriptor) all_[i--] = all_[--count_];
    }
  }
  bool contains(int descriptor) const {
    for (int i = 0; i < count_; ++i) {
      if (all_[i] == descriptor) return true;
    }
    return false;
  }
  int count() const { return count_; }
  int operator[](int at) const { return all_[at]; }

 private:
  static constexpr int most = 256;
  int all_[most] = {};
  int count_ = 0;
};

// The sockets of this process that have led to Redis; they may be closed by now. What is sent to a
// port arrives a moment later; what is sent to a socket file is there at once.
extern Descriptors links;
extern Descriptors ports;
// The epoll descriptors that such a socket was added to.
extern Descriptors epolls;

bool is_redis(const sockaddr* address);

// Gives our end of a connection by a socket file a name. A port has one by itself.
void name_end(int descriptor);
// Writes this name, as the search knows it, too: `u` and the name, or `p` and the port. Empty: it
// has none.
void write_end(int descriptor, char* into, size_t size);

// A descriptor that was closed may be another file by now.
bool leads_to_redis(int descriptor);

// What the other threads of this process do. They may be about to wake this one: the threads of a
// runtime read files, collect garbage and compile.
struct OtherThreads {
  bool exist = false;
  bool work = false;
  // How often they have begun to wait. If two looks find the same number and no work, none of them
  // has run in between.
  unsigned long waits = 0;
};
OtherThreads look_at_other_threads();

// Waits until nothing is on its way between this process and Redis, or between its threads: for a
// few seconds at most, because a thread may work for ever.
void let_everything_arrive();

// Those by which a command was sent after which a server may send something unasked, or later. What
// is sent decides, not what the search has done meanwhile, so that it is the same in each run.
extern Descriptors listening;
void note_sent(int descriptor, const void* bytes, size_t size);

// Whether the search is told that this process waits for Redis. It then knows that all that the
// process has sent is there.
bool tells_waits();

}  // namespace interlock_preload
