// The small HTTP server, with real sockets and clients that behave and misbehave.
#include "http/http_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "http/listen_address.hpp"
#include "interlock/event_loop.hpp"
#include "support/eventually.hpp"

namespace interlock::cli {
namespace {

using test::eventually;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* good_request = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() {
    auto listener = ListenAddress::parse(":0")->listen("--metrics :0");
    EXPECT_TRUE(listener);
    const std::string url = listening_url(*listener);
    EXPECT_THAT(url, StartsWith("http://127.0.0.1:"));
    port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    on_loop([&] {
      server_.emplace(loop_, std::move(*listener), [this](const HttpRequest& request) {
        if (request.path != "/metrics") return http_refusal("404 Not Found", {}, "elsewhere\n");
        return http_page(request, "Content-Type: text/plain\r\n", [this] {
          ++pages_;
          return std::string("interlock_held 1\n");
        });
      });
    });
  }
  ~HttpServerTest() override {
    on_loop([&] { server_.reset(); });
  }
  void on_loop(const std::function<void()>& job) {
    std::packaged_task<void()> task(job);
    loop_.post([&] { task(); });
    task.get_future().get();
  }

  class Caller {
   public:
    explicit Caller(std::uint16_t port)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
      // Ends only what would hang.
      const timeval limit{20, 0};
      ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the system's own interface
      const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
      EXPECT_EQ(::connect(socket_.get(), generic, sizeof address), 0);
    }
    void send(const std::string& text) const {
      static_cast<void>(::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL));
    }
    // All until the server closes the connection.
    std::string rest() const {
      std::string all;
      std::array<char, 4096> part{};
      for (;;) {
        const ssize_t count = ::recv(socket_.get(), part.data(), part.size(), 0);
        if (count <= 0) return all;
        all.append(part.data(), static_cast<std::size_t>(count));
      }
    }
    bool is_closed() const {
      char byte = 0;
      const ssize_t count = ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
      return count == 0 || (count < 0 && errno != EAGAIN);
    }

   private:
    posix::Descriptor socket_;
  };
  std::string response_to(const std::string& request) const {
    const Caller caller(port_);
    caller.send(request);
    return caller.rest();
  }

  EventLoop loop_;
  std::optional<HttpServer> server_;
  std::atomic<int> pages_ = 0;
  std::uint16_t port_ = 0;
};

TEST_F(HttpServerTest, GivesThePage) {
  EXPECT_EQ(response_to(good_request),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
            "Content-Length: 17\r\nConnection: close\r\n\r\ninterlock_held 1\n");
  EXPECT_THAT(response_to("GET /metrics?x=1 HTTP/1.0\r\n\r\n"), EndsWith("interlock_held 1\n"));
}

TEST_F(HttpServerTest, GivesTheHeadersOfThePageAlone) {
  EXPECT_THAT(response_to("HEAD /metrics HTTP/1.1\r\n\r\n"),
              testing::AllOf(HasSubstr("Content-Length: 17\r\n"), EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, RefusesWhatItDoesNotHave) {
  EXPECT_THAT(response_to("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(response_to("GET /metricsx HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(response_to("DELETE /metrics HTTP/1.1\r\n\r\n"),
              testing::AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD\r\n")));
  for (const char* nonsense : {"\r\n\r\n", "GET\r\n\r\n", "GET /metrics\r\n\r\n", " \r\n\r\n",
                               "GET /metrics SMTP\r\n\r\n", "\x16\x03\x01\r\n\r\n"}) {
    EXPECT_THAT(response_to(nonsense), StartsWith("HTTP/1.1 400 ")) << nonsense;
  }
  EXPECT_EQ(pages_, 0);
}

TEST_F(HttpServerTest, ReadsARequestThatComesInPieces) {
  const Caller caller(port_);
  for (const char byte : std::string(good_request)) caller.send(std::string(1, byte));
  EXPECT_THAT(caller.rest(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, ReadsNoMoreOfARequestThanItsLimit) {
  const Caller caller(port_);
  caller.send("GET /metrics HTTP/1.1\r\nX: " + std::string(HttpServer::request_bytes_max, 'x'));
  EXPECT_THAT(caller.rest(), StartsWith("HTTP/1.1 431 "));
  EXPECT_EQ(pages_, 0);
}

TEST_F(HttpServerTest, ServesBesideManyThatSayNothing) {
  std::vector<std::unique_ptr<Caller>> silent;
  for (int count = 0; count < 200; ++count) {
    silent.push_back(std::make_unique<Caller>(port_));
    if (count % 2 == 0) silent.back()->send("GET /metr");
  }
  EXPECT_THAT(response_to(good_request), StartsWith("HTTP/1.1 200 "));
  // The first of them had to go.
  EXPECT_TRUE(eventually([&] { return silent.front()->is_closed(); }));
  EXPECT_FALSE(silent.back()->is_closed());
}

TEST_F(HttpServerTest, EndsAConnectionThatSaysNothing) {
  const Caller silent(port_);
  EXPECT_EQ(silent.rest(), "");
  EXPECT_TRUE(silent.is_closed());
}

TEST_F(HttpServerTest, EndsWhileOthersAreConnected) {
  const Caller silent(port_);
  on_loop([&] { server_.reset(); });
  EXPECT_EQ(silent.rest(), "");
  EXPECT_TRUE(silent.is_closed());
}

TEST(HttpRequest, HasHeadersByNameInAnyCase) {
  const auto request = HttpRequest::parse("GET / HTTP/1.1\r\nhOST:  a:1 \r\nHostile: b\r\nEmpty:");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->header("Host"), "a:1");
  EXPECT_EQ(request->header("Empty"), "");
  EXPECT_EQ(request->header("Other"), std::nullopt);
}

TEST(HttpRequest, HasNoHeaderThatIsThereTwice) {
  const auto request = HttpRequest::parse("GET / HTTP/1.1\r\nHost: a\r\nhost: b");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->header("Host"), std::nullopt);
  EXPECT_EQ(HttpRequest::parse("GET / HTTP/1.1")->header("Host"), std::nullopt);
}

TEST(ListenAddress, IsAHostAndAPort) {
  const auto parsed = [](const char* text) {
    const auto address = ListenAddress::parse(text);
    return address ? address->host + " " + address->port : "none";
  };
  EXPECT_EQ(parsed(":9112"), "127.0.0.1 9112");
  EXPECT_EQ(parsed("0.0.0.0:80"), "0.0.0.0 80");
  EXPECT_EQ(parsed("[::1]:80"), "::1 80");
  EXPECT_EQ(parsed("db.example:65535"), "db.example 65535");
  EXPECT_EQ(parsed("metrics.prom"), "none");
  EXPECT_EQ(parsed("./a:80"), "none");
  EXPECT_EQ(parsed("a:65536"), "none");
  EXPECT_EQ(parsed("a:"), "none");
  EXPECT_EQ(parsed("a:x"), "none");
  EXPECT_EQ(parsed("::1:80"), "none");
}

TEST(ListenAddress, RefusesAPortInUseAndAHostThatIsNotHere) {
  const auto first = ListenAddress::parse("127.0.0.1:0")->listen("--metrics :0");
  ASSERT_TRUE(first);
  const std::string url = listening_url(*first);
  const std::string port = url.substr(url.rfind(':') + 1);
  const auto second = ListenAddress::parse(":" + port)->listen("--metrics :" + port);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, operating_system);
  EXPECT_THAT(second.error().message, HasSubstr("cannot be listened on: Address already in use"));
  const auto nowhere = ListenAddress::parse("host.invalid:80")->listen("--metrics host.invalid:80");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, usage);
}

}  // namespace
}  // namespace interlock::cli
