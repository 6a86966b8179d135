// The command of an `interlock run` in the fault suite. It starts a process with a session of its
// own and an orphan with another; all three ignore signals and write down that they are alive.
// usage: fault_command PIPE NUMBER BEGUN   PIPE: a path. BEGUN: when the program was started. With
// INTERLOCK_TOKEN in the environment.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "interlock/local_clock.hpp"
#include "record.hpp"

namespace interlock::test {
namespace {

class Presence {
 public:
  Presence(int pipe, std::uint16_t number, TimePoint begun)
      : pipe_(pipe), number_(number), begun_(begun) {}

  void enter(std::uint64_t fencing) const {
    Record entered = record(RecordKind::entered);
    entered.fencing = fencing;
    // The claim was sent later than that, because the program was started later.
    entered.sent = begun_.time_since_epoch().count();
    write(entered);
  }
  [[noreturn]] void beat() const {
    for (;;) {
      write(record(RecordKind::beats));
      std::this_thread::sleep_for(milliseconds{2});
    }
  }

 private:
  Record record(RecordKind kind) const {
    Record made;
    made.kind = kind;
    made.worker = number_;
    made.detail = not_lost;
    made.at = local_now().time_since_epoch().count();
    // As long as this is written, no other section may begin.
    made.certain_until = made.at;
    return made;
  }
  void write(const Record& record) const {
    if (::write(pipe_, &record, sizeof record) != sizeof record) std::_Exit(1);
  }

  int pipe_;
  std::uint16_t number_;
  TimePoint begun_;
};

int be_there(const std::string& pipe, std::uint16_t number, TimePoint begun) {
  const char* const token = std::getenv("INTERLOCK_TOKEN");
  const int file = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
  if (token == nullptr || file < 0) return 64;
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) std::signal(each, SIG_IGN);
  const Presence presence(file, number, begun);
  presence.enter(std::stoull(token));
  if (::fork() == 0) {
    ::setsid();
    presence.beat();
  }
  if (const pid_t parent = ::fork(); parent == 0) {
    if (::fork() != 0) std::_Exit(0);
    ::setsid();
    presence.beat();
  } else {
    ::waitpid(parent, nullptr, 0);
  }
  presence.beat();
}

}  // namespace
}  // namespace interlock::test

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: fault_command PIPE NUMBER BEGUN\n");
    return 64;
  }
  using namespace interlock;
  return test::be_there(words[1], static_cast<std::uint16_t>(std::stoul(words[2])),
                        TimePoint(Duration(std::stoll(words[3]))));
}
