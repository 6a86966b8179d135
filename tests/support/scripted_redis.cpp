#include "support/scripted_redis.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

namespace interlock::test {
namespace {

void require(bool works, const char* what) {
  if (works) return;
  std::perror(what);
  std::abort();
}

// The first word of the command at the front, which is taken off; none: it is not whole yet.
std::optional<std::vector<std::string>> take_command(std::string& bytes) {
  std::size_t at = 0;
  // The number on the line that begins there, behind its mark; the line is passed.
  const auto number = [&](char mark) -> std::optional<std::size_t> {
    const auto end = bytes.find("\r\n", at);
    if (end == std::string::npos) return std::nullopt;
    require(bytes[at] == mark, "scripted redis: a client that speaks another protocol");
    const std::size_t value = std::stoul(bytes.substr(at + 1, end - at - 1));
    at = end + 2;
    return value;
  };
  const auto parts = number('*');
  if (!parts) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t part = 0; part < *parts; ++part) {
    const auto size = number('$');
    if (!size || bytes.size() < at + *size + 2) return std::nullopt;
    words.push_back(bytes.substr(at, *size));
    at += *size + 2;
  }
  bytes.erase(0, at);
  return words;
}

}  // namespace

ScriptedRedis::ScriptedRedis(std::vector<std::string> answers, std::string greeted)
    : answers_(std::move(answers)), greeted_(std::move(greeted)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  require(listener_ >= 0 && ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
              ::listen(listener_, 16) == 0 &&
              ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0,
          "scripted redis: listen");
  port_ = ntohs(address.sin_port);
  constexpr std::string_view own_port = "{port}";
  for (std::string& each : answers_) {
    const auto found = each.find(own_port);
    if (found != std::string::npos) each.replace(found, own_port.size(), std::to_string(port_));
  }
  wake_ = posix::Eventfd::open();
  require(static_cast<bool>(wake_), "scripted redis: eventfd");
  thread_ = std::thread([this] { work(); });
}

ScriptedRedis::~ScriptedRedis() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify();
  thread_.join();
  for (const Connection& each : connections_) ::close(each.descriptor);
  ::close(listener_);
}

std::string ScriptedRedis::url() const {
  return "redis://127.0.0.1:" + std::to_string(port_);
}

void ScriptedRedis::say(const std::string& bytes) {
  const std::lock_guard lock(mutex_);
  // On the loopback what has been taken is in the other socket. Not by send(), in whose place a
  // test may put its own.
  for (const Connection& each : connections_) {
    static_cast<void>(
        ::sendto(each.descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL, nullptr, 0));
  }
}

int ScriptedRedis::connections() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

std::vector<std::string> ScriptedRedis::commands() const {
  const std::lock_guard lock(mutex_);
  return commands_;
}

void ScriptedRedis::work() {
  for (;;) {
    std::vector<pollfd> files{{wake_.descriptor(), POLLIN, 0}, {listener_, POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      for (const Connection& each : connections_) files.push_back({each.descriptor, POLLIN, 0});
    }
    ::poll(files.data(), files.size(), -1);
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    std::size_t file = 2;
    for (Connection& each : connections_) {
      if (files[file++].revents != 0) receive(each);
    }
    connections_.remove_if([](const Connection& each) { return each.descriptor < 0; });
    if (files[1].revents != 0) accept_one();
  }
}

void ScriptedRedis::accept_one() {
  const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor < 0) return;
  const int yes = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ++accepted_;
  connections_.emplace_back(descriptor);
}

void ScriptedRedis::receive(Connection& connection) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::recv(connection.descriptor, bytes.data(), bytes.size(), 0);
  if (size <= 0) {
    ::close(std::exchange(connection.descriptor, -1));
    return;
  }
  connection.received.append(bytes.data(), static_cast<std::size_t>(size));
  // As a server does, which writes once for all that it has read: the last of several answers is
  // there when the first one is.
  std::string said;
  while (const auto command = take_command(connection.received)) said += answer_to(*command);
  static_cast<void>(::send(connection.descriptor, said.data(), said.size(), MSG_NOSIGNAL));
}

std::string ScriptedRedis::answer_to(const std::vector<std::string>& words) {
  const std::string& command = words.front();
  const bool greets = command == "CLIENT" || command == "AUTH" || command == "SELECT";
  if (greets) return greeted_;
  if (command == "PING" && words.size() == 2) return bulk(words[1]);
  commands_.push_back(command);
  return answers_[std::min(commands_.size(), answers_.size()) - 1];
}

}  // namespace interlock::test
