// A connection to a real Redis server, byte by byte.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

#include "server/database.hpp"
#include "server/resp.hpp"

namespace interlock::harness {

// A connection that sends words and gives the bytes of the reply.
class Raw {
 public:
  explicit Raw(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      ADD_FAILURE() << "no connection";
    }
  }
  ~Raw() { ::close(socket_); }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  void send(const Words& words) {
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words) request += encode_text(word);
    [[maybe_unused]] const auto sent = ::write(socket_, request.data(), request.size());
  }

  // What has come so far.
  std::string received() {
    std::string all;
    std::array<char, 4096> bytes{};
    for (;;) {
      const auto size = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size <= 0) return all;
      all.append(bytes.data(), static_cast<std::size_t>(size));
    }
  }

  std::string ask(const Words& words) {
    send(words);
    // A reply to this ends what we wait for.
    send({"ECHO", "end"});
    const std::string end = "$3\r\nend\r\n";
    std::string reply;
    std::array<char, 4096> bytes{};
    while (!reply.ends_with(end)) {
      const auto size = ::read(socket_, bytes.data(), bytes.size());
      if (size <= 0) return reply;
      reply.append(bytes.data(), static_cast<std::size_t>(size));
    }
    return reply.substr(0, reply.size() - end.size());
  }

 private:
  int socket_;
};

}  // namespace interlock::harness
