#include "support/plain_redis.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>

#include "support/redis_server.hpp"

namespace interlock::test {
namespace {

const std::string closed = "(closed)";

std::string encoded(const std::vector<std::string>& parts) {
  std::string text = "*" + std::to_string(parts.size()) + "\r\n";
  for (const std::string& part : parts) {
    text += "$" + std::to_string(part.size()) + "\r\n" + part + "\r\n";
  }
  return text;
}

}  // namespace

PlainRedis::PlainRedis(const std::string& unix_socket) {
  connect(unix_socket);
}

PlainRedis::PlainRedis(const RedisServer& server) {
  connect(server.unix_socket());
  const std::string& password = server.password();
  if (!password.empty()) command({"AUTH", password});
}

PlainRedis::~PlainRedis() {
  if (descriptor_ >= 0) close(descriptor_);
}

void PlainRedis::connect(const std::string& unix_socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  unix_socket.copy(address.sun_path, sizeof address.sun_path - 1);
  descriptor_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(descriptor_);
    descriptor_ = -1;
  }
}

std::string PlainRedis::command(const std::vector<std::string>& parts) {
  if (descriptor_ < 0) return closed;
  const std::string text = encoded(parts);
  const ssize_t sent = send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(text.size())) return closed;
  return read_answer();
}

bool PlainRedis::fill() {
  std::array<char, 4096> bytes;
  const ssize_t size = recv(descriptor_, bytes.data(), bytes.size(), 0);
  if (size <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(size));
  return true;
}

bool PlainRedis::read_line(std::string& line) {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (!fill()) return false;
  }
  line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return true;
}

std::string PlainRedis::read_answer() {
  std::string line;
  if (!read_line(line)) return closed;
  const std::string rest = line.substr(1);
  if (line[0] == '-') return "(error) " + rest;
  if (line[0] == '+' || line[0] == ':') return rest;
  if (rest == "-1") return "(nil)";
  const std::size_t size = std::stoul(rest);
  if (line[0] == '$') {
    while (buffer_.size() < size + 2) {
      if (!fill()) return closed;
    }
    const std::string text = buffer_.substr(0, size);
    buffer_.erase(0, size + 2);
    return text;
  }
  std::string list = "[";
  for (std::size_t index = 0; index < size; ++index) {
    list += (index == 0 ? "" : ", ") + read_answer();
  }
  return list + "]";
}

}  // namespace interlock::test
