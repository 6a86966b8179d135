#include "metrics/http_server.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "interlock/detail/number.hpp"
#include "interlock/metrics.hpp"
#include "interlock/posix/failure.hpp"

namespace interlock::cli {
namespace {

constexpr int most_waiting = 64;  // connections that the system keeps until they are accepted
constexpr milliseconds pause_without_descriptors{200};

std::string response(std::string_view status,
                     std::string_view headers,
                     std::string_view body,
                     bool with_body = true) {
  return fmt::format("HTTP/1.1 {}\r\n{}Content-Length: {}\r\nConnection: close\r\n\r\n{}", status,
                     headers, body.size(), with_body ? body : std::string_view());
}

std::string refusal(std::string_view status, std::string_view headers, std::string_view why) {
  return response(status, fmt::format("Content-Type: text/plain; charset=utf-8\r\n{}", headers),
                  why);
}

bool is_out_of_descriptors(int why) {
  return why == EMFILE || why == ENFILE || why == ENOBUFS || why == ENOMEM;
}

class FreesAddresses {
 public:
  void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreesAddresses>;

posix::Descriptor listen_at(const addrinfo& address) {
  posix::Descriptor socket(::socket(
      address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
  const int on = 1;
  const bool listens = socket &&
                       ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       ::bind(socket.get(), address.ai_addr, address.ai_addrlen) == 0 &&
                       ::listen(socket.get(), most_waiting) == 0;
  if (listens) return socket;
  const int why = errno;
  socket.reset();
  errno = why;
  return socket;
}

}  // namespace

// --- the address ---------------------------------------------------------------------------------

std::optional<ListenAddress> ListenAddress::parse(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || text.find('/') != std::string::npos) return std::nullopt;
  constexpr int most = 65'535;
  ListenAddress address;
  address.port = text.substr(colon + 1);
  if (!detail::parse_number(address.port, 0, most)) return std::nullopt;
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  } else if (address.host.find(':') != std::string::npos) {
    return std::nullopt;
  }
  if (address.host.empty()) address.host = "127.0.0.1";
  return address;
}

Fallible<posix::Descriptor> ListenAddress::listen(const std::string& said) const {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int why = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); why != 0) {
    return Failure(usage, fmt::format("{}: host '{}' not found: {}; write an address of this "
                                      "machine, or :PORT for 127.0.0.1",
                                      said, host, ::gai_strerror(why)));
  }
  const Addresses addresses(found);
  int why = EADDRNOTAVAIL;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    posix::Descriptor socket = listen_at(*address);
    if (socket) return socket;
    why = errno;
  }
  return Failure(operating_system,
                 fmt::format("{} cannot be listened on: {}; choose another port, or end what uses "
                             "this one",
                             said, posix::system_text(why)));
}

std::string metrics_url(const posix::Descriptor& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the system's own interface
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::getsockname(listener.get(), generic, &size) != 0 ||
      ::getnameinfo(generic, size, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  const bool is_ipv6 = address.ss_family == AF_INET6;
  return fmt::format("http://{}{}{}:{}/metrics", is_ipv6 ? "[" : "", host.data(),
                     is_ipv6 ? "]" : "", port.data());
}

// --- one connection ------------------------------------------------------------------------------

class HttpServer::HttpConnection {
 public:
  HttpConnection(HttpServer& server, posix::Descriptor socket)
      : server_(server), socket_(std::move(socket)) {
    limit_ = server_.loop_.timer([this] { server_.remove(*this); });
    limit_->arm(time_limit);
    auto watch = server_.loop_.watch(socket_.get(), [this](bool, bool) {
      if (!goes_on()) server_.remove(*this);
    });
    if (!watch) return;
    watch_ = std::move(*watch);
    watch_->interest(true, false);
  }

  bool is_watched() const { return watch_ != nullptr; }

 private:
  // False: it has ended.
  bool goes_on() { return to_send_.empty() ? receive() : send(); }

  bool receive() {
    std::array<char, 4096> part{};
    const ssize_t count = ::recv(socket_.get(), part.data(), part.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    received_.append(part.data(), static_cast<std::size_t>(count));
    const auto end = received_.find("\r\n\r\n");
    if (end != std::string::npos)
      return begin_response(server_.response_to(received_.substr(0, end)));
    if (received_.size() < request_bytes_max) return true;
    return begin_response(
        refusal("431 Request Header Fields Too Large", {}, "the request is too long\n"));
  }

  bool begin_response(std::string response) {
    to_send_ = std::move(response);
    watch_->interest(false, true);
    return send();
  }

  bool send() {
    const ssize_t count = ::send(socket_.get(), to_send_.data() + sent_, to_send_.size() - sent_,
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<std::size_t>(count);
    if (sent_ < to_send_.size()) return true;
    ::shutdown(socket_.get(), SHUT_WR);
    return false;
  }

  HttpServer& server_;
  posix::Descriptor socket_;
  std::unique_ptr<Reactor::Timer> limit_;
  std::unique_ptr<Reactor::Watch> watch_;
  std::string received_;
  std::string to_send_;
  std::size_t sent_ = 0;
};

// --- all of them ---------------------------------------------------------------------------------

HttpServer::HttpServer(Reactor& loop, posix::Descriptor listener, std::function<std::string()> page)
    : loop_(loop), listener_(std::move(listener)), page_(std::move(page)) {
  auto watch = loop_.watch(listener_.get(), [this](bool, bool) { accept_some(); });
  if (!watch) {
    throw std::system_error(ENOSPC, std::generic_category(), watch.error().detail());
  }
  watch_ = std::move(*watch);
  watch_->interest(true, false);
  retry_ = loop_.timer([this] { watch_->interest(true, false); });
}

HttpServer::~HttpServer() = default;

void HttpServer::accept_some() {
  // Those that are served already have their turn between two rounds.
  constexpr int most_in_a_round = 16;
  for (int count = 0; count < most_in_a_round; ++count) {
    posix::Descriptor socket(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      add(std::move(socket));
      continue;
    }
    if (is_out_of_descriptors(errno)) {
      // The listener stays readable, and would keep the loop busy.
      watch_->interest(false, false);
      retry_->arm(pause_without_descriptors);
    }
    return;
  }
}

void HttpServer::add(posix::Descriptor socket) {
  if (connections_.size() >= connections_max) connections_.pop_front();
  connections_.push_back(std::make_unique<HttpConnection>(*this, std::move(socket)));
  if (!connections_.back()->is_watched()) connections_.pop_back();
}

void HttpServer::remove(const HttpConnection& ended) {
  const auto at = std::find_if(connections_.begin(), connections_.end(),
                               [&](const auto& each) { return each.get() == &ended; });
  connections_.erase(at);
}

std::string HttpServer::response_to(const std::string& request) const {
  const std::string_view line = std::string_view(request).substr(0, request.find("\r\n"));
  const auto method_ends = line.find(' ');
  const auto target_ends = line.rfind(' ');
  const bool is_http = target_ends != std::string_view::npos && method_ends < target_ends &&
                       line.substr(target_ends + 1).starts_with("HTTP/1.");
  if (!is_http) return refusal("400 Bad Request", {}, "this is no request of HTTP/1.1\n");
  const std::string_view method = line.substr(0, method_ends);
  std::string_view path = line.substr(method_ends + 1, target_ends - method_ends - 1);
  path = path.substr(0, path.find('?'));
  if (path != "/metrics") return refusal("404 Not Found", {}, "the metrics are at /metrics\n");
  const bool is_head = method == "HEAD";
  if (!is_head && method != "GET") {
    return refusal("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "use GET\n");
  }
  return response("200 OK", fmt::format("Content-Type: {}\r\n", Metrics::content_type), page_(),
                  !is_head);
}

}  // namespace interlock::cli
