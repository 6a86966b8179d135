#include "support/redis_server.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "support/plain_redis.hpp"

namespace interlock::test {
namespace {

using std::chrono::steady_clock;

[[noreturn]] void give_up(const std::string& message) {
  std::fprintf(stderr, "redis_server: %s\n", message.c_str());
  std::abort();
}

// In the child: only calls that are safe after fork() in a program with threads.
[[noreturn]] void become_server(const std::vector<char*>& arguments,
                                const char* log,
                                pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  // A test may have blocked signals; a server must hear them.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(descriptor, generic, size) != 0 || getsockname(descriptor, generic, &size) != 0) {
    give_up(std::string("no free port: ") + std::strerror(errno));
  }
  close(descriptor);
  return ntohs(address.sin_port);
}

RedisSettings replica_of(const RedisServer& primary) {
  RedisSettings settings;
  settings.replica_of = primary.port();
  return settings;
}

pid_t start_redis_server(std::vector<std::string> arguments, const std::string& log) {
  arguments.insert(arguments.begin(), "redis-server");
  std::vector<char*> words;
  for (std::string& each : arguments) words.push_back(each.data());
  words.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become_server(words, log.c_str(), parent);
  return std::max<pid_t>(child, 0);
}

RedisServer::RedisServer(RedisSettings settings) : settings_(std::move(settings)) {
  // Somebody may take the port between our finding it and the server's using it.
  for (int attempt = 0; attempt < 10; ++attempt) {
    port_ = free_port();
    if (try_start()) return;
  }
  give_up("redis-server does not start: see " + (folder_ / "log") + ", or install redis-server");
}

RedisServer::~RedisServer() {
  kill();
}

std::string RedisServer::url() const {
  const std::string login = settings_.password.empty() ? "" : ":" + settings_.password + "@";
  return "redis://" + login + "127.0.0.1:" + std::to_string(port_) + "/0";
}

std::string RedisServer::unix_url() const {
  const std::string login = settings_.password.empty() ? "" : ":" + settings_.password + "@";
  return "redis+unix://" + login + unix_socket();
}

std::vector<std::string> RedisServer::command_line() const {
  std::vector<std::string> line{"--port", std::to_string(port_)};
  const auto add = [&line](const std::string& option, const std::string& value) {
    line.push_back("--" + option);
    line.push_back(value);
  };
  add("bind", "127.0.0.1");
  add("unixsocket", unix_socket());
  add("dir", folder_.path().string());
  add("save", "");
  add("appendonly", settings_.append_only ? "yes" : "no");
  add("appendfsync", "always");
  add("repl-diskless-sync-delay", "0");
  if (!settings_.password.empty()) add("requirepass", settings_.password);
  if (settings_.replica_of != 0) {
    add("replicaof", "127.0.0.1 " + std::to_string(settings_.replica_of));
  }
  if (!settings_.replica_of_password.empty()) add("masterauth", settings_.replica_of_password);
  if (!settings_.maxmemory.empty()) add("maxmemory", settings_.maxmemory);
  if (!settings_.maxmemory_policy.empty()) add("maxmemory-policy", settings_.maxmemory_policy);
  line.insert(line.end(), settings_.arguments.begin(), settings_.arguments.end());
  return line;
}

bool RedisServer::try_start() {
  pid_ = start_redis_server(command_line(), folder_ / "log");
  if (pid_ == 0) give_up(std::string("fork: ") + std::strerror(errno));
  if (wait_until_ready()) return true;
  kill();
  return false;
}

bool RedisServer::has_exited() {
  if (waitpid(pid_, nullptr, WNOHANG) != pid_) return false;
  pid_ = 0;
  return true;
}

bool RedisServer::wait_until_ready() {
  const auto deadline = steady_clock::now() + std::chrono::seconds{30};
  while (!has_exited() && steady_clock::now() < deadline) {
    PlainRedis client(unix_socket());
    const std::string answer = client.command({"PING"});
    if (answer == "PONG" || answer.starts_with("(error) NOAUTH") ||
        answer.starts_with("(error) MASTERDOWN")) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return false;
}

void RedisServer::end(int signal) {
  if (pid_ == 0) return;
  ::kill(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void RedisServer::stop() {
  end(SIGTERM);
}

void RedisServer::kill() {
  end(SIGKILL);
}

void RedisServer::pause() {
  ::kill(pid_, SIGSTOP);
  // The signal is delivered when the process next runs; wait until it has been.
  int status = 0;
  if (waitpid(pid_, &status, WUNTRACED) != pid_ || !WIFSTOPPED(status)) {
    give_up("the server did not stop");
  }
}

void RedisServer::resume() {
  ::kill(pid_, SIGCONT);
}

void RedisServer::start() {
  if (pid_ != 0) give_up("start: it is running: stop it first");
  if (!try_start()) give_up("redis-server does not start again: see " + (folder_ / "log"));
}

void RedisServer::start_without_data() {
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().filename() != "log") std::filesystem::remove_all(entry.path());
  }
  start();
}

void RedisServer::promote() {
  if (PlainRedis(*this).command({"REPLICAOF", "NO", "ONE"}) != "OK") give_up("not promoted");
  settings_.replica_of = 0;
}

void RedisServer::demote(int primary_port) {
  const std::string port = std::to_string(primary_port);
  if (PlainRedis(*this).command({"REPLICAOF", "127.0.0.1", port}) != "OK") give_up("not demoted");
  settings_.replica_of = primary_port;
}

}  // namespace interlock::test
