// A client of a Redis server that shares no code with the ones that are tested.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace interlock::test {

class RedisServer;

class PlainRedis {
 public:
  explicit PlainRedis(const std::string& unix_socket);
  // Logs in with the server's password.
  explicit PlainRedis(const RedisServer& server);
  PlainRedis(const PlainRedis&) = delete;
  PlainRedis& operator=(const PlainRedis&) = delete;
  ~PlainRedis();

  // The answer as text: "OK", "17", "(nil)", "(error) ERR ...", "[a, 1]"; "(closed)" when the
  // connection is gone or never was.
  std::string command(const std::vector<std::string>& parts);
  // The next answer, or the next message of a connection that has subscribed.
  std::string next() { return read_answer(); }

 private:
  void connect(const std::string& unix_socket);
  std::string read_answer();
  bool read_line(std::string& line);
  bool fill();

  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace interlock::test
