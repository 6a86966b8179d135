// A small HTTP server: --metrics and interlock lab.
//
// By hand, because the libraries at hand ask for more than they give here: libmicrohttpd brings
// GnuTLS into the program, and cpp-httplib has a thread for each connection. A reader of a few
// lines of a request fits on a screen.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "http/http_message.hpp"
#include "interlock/posix/descriptor.hpp"
#include "interlock/store/reactor.hpp"

namespace interlock::cli {

// Gives the whole response to a request. Must not throw.
using HttpSite = std::function<std::string(const HttpRequest& request)>;

// Clients may be slow, silent or many: each connection has a few seconds and a few KiB for one
// request, and if there are too many of them, a new one takes the place of the oldest. Made, used
// and destroyed on the loop's thread.
class HttpServer {
 public:
  static constexpr std::size_t connections_max = 32;
  static constexpr std::size_t request_bytes_max = 8192;
  static constexpr Duration time_limit = std::chrono::seconds{5};

  // Throws std::system_error if the loop has no room for another watch.
  HttpServer(Reactor& loop, posix::Descriptor listener, HttpSite site);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The whole response to a request, given as its lines up to the empty one.
  std::string response_to(const std::string& text) const;

 private:
  class HttpConnection;
  void accept_some();
  void add(posix::Descriptor socket);
  void remove(const HttpConnection& ended);

  Reactor& loop_;
  posix::Descriptor listener_;
  const HttpSite site_;
  std::unique_ptr<Reactor::Watch> watch_;
  std::unique_ptr<Reactor::Timer> retry_;  // of accept, when descriptors have run out
  std::list<std::unique_ptr<HttpConnection>> connections_;  // the oldest first
};

}  // namespace interlock::cli
