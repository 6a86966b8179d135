// A process as a plain state machine: what it asks for next, and what an answer makes of it.
// Written from the public headers; nothing here comes from the simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trial.hpp"

namespace interlock::sim::independent {

// What a task is told.
class Answer {
 public:
  enum class Kind : std::uint8_t { nothing, number, text, granted, busy, error };
  Kind kind = Kind::nothing;
  std::int64_t number = 0;
  std::string text;  // of an error: which
  std::int64_t remaining = 0;
  std::int64_t held_for = 0;

  static Answer of(std::int64_t value);
  static Answer of(const std::string& value);
  static Answer error(const std::string& which);
  bool failed() const { return kind == Kind::error; }
  std::string written() const;
};
inline const char* const in_doubt = "indeterminate";
inline const char* const unreachable = "unavailable";
inline const char* const refused = "rejected";

// What is asked of a server.
class Request {
 public:
  Op op = Op::get;
  int server = 0;
  std::string key;    // or a channel
  std::string value;  // also the owner token
  int ttl = 0;
  int task = 0;  // that asked: runs tell it also of requests that come late
  std::string written() const;
};

class Waiting {
 public:
  enum class For : std::uint8_t { nothing, server, message, sleep, leave, write, tasks };
  For what = For::nothing;
  Request request;         // of server
  std::int64_t until = 0;  // of message and sleep, by the process's clock, ms
  bool wall = false;
  int subscription = -1;
  int name = 0;  // of leave and write
  std::uint64_t fencing = 0;
  bool subscribes() const { return what == For::server && request.op == Op::subscribe; }
  bool unsubscribes() const { return what == For::server && request.op == Op::unsubscribe; }
};

class TaskState {
 public:
  int at = 0;
  bool there = false;
  bool yes = false;
  bool failed = false;
  bool doubt = false;
  std::string text;
  std::optional<std::int64_t> reading;
  int picked = 0;
  int rounds = 0;
  int subscription = -1;
  Waiting waiting;
  std::optional<Answer> held;  // has left the server, and has not arrived
  bool sent = false;           // the request has left the client, and has not arrived
  // The connection broke while a request or its answer was on its way.
  bool cut = false;
  // `held` is not told before the connection breaks; that is still to come.
  bool awaits_break = false;
};

class Subscription {
 public:
  int server = 0;
  std::string channel;
  bool open = true;
  bool pending = false;
  bool broken = false;  // with its connection, and the client was not told yet
};

class Process {
 public:
  enum class Status : std::uint8_t { not_started, running, done, crashed };
  Status status = Status::not_started;
  TaskState tasks[2];
  bool shared = false;
  bool entered[2] = {false, false};  // by lock, and not left since
  int drawn = 0;
  int life = 0;  // how often it has crashed and begun again
  std::vector<Subscription> subscriptions;
  std::vector<Request> late;  // left behind, in no order
  std::string history;        // all that it was told since it began, or since its last loop head

  bool finished() const { return status == Status::done || status == Status::crashed; }
  std::string inside() const;
  // How many tasks wait for something.
  int waiting() const;
  // Two processes with the same text go on in the same way. `by_history`: the text also says which
  // answers they got.
  std::string written(bool by_history) const;
};

class Clocks {
 public:
  std::int64_t monotonic = 0;  // ms
  std::int64_t wall = 0;
};

// What a process does in a step that takes no step of its own.
class Mark {
 public:
  enum class Kind : std::uint8_t { enter, wants, gives_up, reach };
  Kind kind = Kind::enter;
  int name = 0;
  std::optional<std::int64_t> until;  // of enter: by the client's clock
  bool wall = false;
};

class Ran {
 public:
  Process after;
  std::vector<Mark> marks;
  bool read_clock = false;
};

// The programs of a trial.
class Machine {
 public:
  explicit Machine(const Trial& trial) : trial_(trial) {}

  // All possible results, one for each combination of choices.
  std::vector<Ran> start(int client, const Process& before, Clocks now) const;
  std::vector<Ran> tell(
      int client, const Process& before, int task, const Answer& answer, Clocks now) const;

 private:
  const Trial& trial_;
};

std::string token(int client, int drawn, int life);

}  // namespace interlock::sim::independent
