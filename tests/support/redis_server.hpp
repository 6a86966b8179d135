// A redis-server of one's own: on a free port of the loopback and on a unix socket, in a temporary
// directory, forgotten at the end. Also when the test crashes: the server dies with the thread that
// started it, so start it on the main thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/scratch_folder.hpp"

namespace interlock::test {

class RedisSettings {
 public:
  RedisSettings() = default;

  std::string password;                // requirepass
  int replica_of = 0;                  // the port of a primary on this machine
  std::string replica_of_password;     // masterauth
  std::string maxmemory;               // `2mb`
  std::string maxmemory_policy;        // `noeviction` if empty
  bool append_only = false;            // otherwise nothing is written to disk
  std::vector<std::string> arguments;  // more options, as on the command line: "--hz", "100"
};

// A server that does not start, or does not do as told, ends the test program with a message.
class RedisServer {
 public:
  RedisServer() : RedisServer(RedisSettings()) {}
  explicit RedisServer(RedisSettings settings);
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer();

  int port() const noexcept { return port_; }
  std::string unix_socket() const { return folder_ / "redis.sock"; }
  // With the password, if there is one.
  std::string url() const;
  std::string unix_url() const;
  const std::string& password() const noexcept { return settings_.password; }
  pid_t pid() const noexcept { return pid_; }  // 0: not running

  // Ends the server as an administrator does, saving what it is configured to save.
  void stop();
  // kill -9.
  void kill();
  // SIGSTOP: connections stay, nothing answers. resume() undoes it.
  void pause();
  void resume();
  // On the same port, waiting until it answers. After stop() or kill().
  void start();
  void start_without_data();
  // A replica becomes a primary: what had not reached it is lost.
  void promote();
  // A primary becomes a replica of that port's server, and lives: connections stay, and its data
  // are replaced.
  void demote(int primary_port);

 private:
  std::vector<std::string> command_line() const;
  bool try_start();
  bool wait_until_ready();
  bool has_exited();
  void end(int signal);

  RedisSettings settings_;
  ScratchFolder folder_;
  int port_ = 0;
  pid_t pid_ = 0;
};

// Settings of a replica of this server.
RedisSettings replica_of(const RedisServer& primary);

// Starts redis-server with these arguments, its output going to `log`. It dies with the thread that
// started it. 0: the system refuses a process.
pid_t start_redis_server(std::vector<std::string> arguments, const std::string& log);

// A port of the loopback on which nobody listens at the moment.
int free_port();

}  // namespace interlock::test
