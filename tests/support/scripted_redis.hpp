// A server on this machine that answers as told, for what a real one never says.
#pragma once

#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "interlock/posix/eventfd.hpp"

namespace interlock::test {

// A text as servers answer it.
inline std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

// On a thread of its own, which ends with it. Any thread may call.
class ScriptedRedis {
 public:
  // What it says to the commands that are no greeting, in order and raw: ":1\r\n"; afterwards it
  // says the last one again and again. "{port}" in them becomes its own port. To a greeting it says
  // `greeted`, and to a PING with a text that text, as every server does.
  explicit ScriptedRedis(std::vector<std::string> answers, std::string greeted = "+OK\r\n");
  ~ScriptedRedis();
  ScriptedRedis(const ScriptedRedis&) = delete;
  ScriptedRedis& operator=(const ScriptedRedis&) = delete;

  std::string url() const;
  int port() const noexcept { return port_; }

  // Says it on every connection, though nobody asked. When it returns the bytes have arrived.
  void say(const std::string& bytes);
  // How many connections were made since the beginning.
  int connections() const;
  // The first word of each command but these.
  std::vector<std::string> commands() const;

 private:
  class Connection {
   public:
    explicit Connection(int of) : descriptor(of) {}
    int descriptor;
    std::string received;
  };
  void work();
  void accept_one();
  void receive(Connection& connection);
  std::string answer_to(const std::vector<std::string>& words);

  std::vector<std::string> answers_;  // never changes after the beginning
  const std::string greeted_;
  int port_ = 0;
  int listener_ = -1;
  posix::Eventfd wake_;
  mutable std::mutex mutex_;
  // Below: under the mutex.
  bool ending_ = false;
  int accepted_ = 0;
  std::vector<std::string> commands_;
  std::list<Connection> connections_;
  std::thread thread_;
};

}  // namespace interlock::test
