// The processes of clients: how they start, and how all of them end.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace interlock::harness {

// A descriptor that is closed with its object.
class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File() { reset(); }
  void reset();
  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

// The socket of a server, counted from 0, in the folder of a client.
std::string socket_path(const std::string& folder, std::size_t server);

class StartOptions {
 public:
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> variables;
  int output = -1;  // standard output and error
  int descriptor3 = -1;
};

// In a process group of its own, with an empty standard input; killed with this process. 0: errno
// says why not. If the command itself cannot be executed, the process ends with 127.
pid_t start_process(const StartOptions& options);

// Kills the process and its group, waits for it if it is a child, and then kills what has become a
// child of this process since then and is not among `kept`.
void end_process(pid_t process, const std::vector<pid_t>& kept);

// A process that removes a folder as soon as this process has ended, however it ends, or has closed
// `until`. Starts it while there is one thread; 0: it could not be started.
pid_t start_remover(const std::string& folder, File& until);

}  // namespace interlock::harness
