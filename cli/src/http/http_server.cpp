#include "http/http_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace interlock::cli {
namespace {

constexpr milliseconds pause_without_descriptors{200};

bool is_out_of_descriptors(int why) {
  return why == EMFILE || why == ENFILE || why == ENOBUFS || why == ENOMEM;
}

}  // namespace

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
        http_refusal("431 Request Header Fields Too Large", {}, "the request is too long\n"));
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

HttpServer::HttpServer(Reactor& loop, posix::Descriptor listener, HttpSite site)
    : loop_(loop), listener_(std::move(listener)), site_(std::move(site)) {
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

std::string HttpServer::response_to(const std::string& text) const {
  const auto request = HttpRequest::parse(text);
  if (!request) {
    return http_refusal("400 Bad Request", {}, "this is no request of HTTP/1.1\n");
  }
  return site_(*request);
}

}  // namespace interlock::cli
