// TLS with real servers: whom both kinds of store trust, what they say when they do not, and when a
// command counts as sent.
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "async_fixture.hpp"
#include "interlock/posix/clock.hpp"
#include "support/certificates.hpp"
#include "support/fault_proxy.hpp"
#include "support/tls_server.hpp"

namespace interlock::redis {
namespace {

using test::Certificates;
using test::FaultProxy;
using ::testing::Not;

const Certificates& certificates() {
  static const Certificates made;
  return made;
}

class TlsServer : public test::TlsServer {
 public:
  explicit TlsServer(const std::vector<std::string>& more = {}, const std::string& certificate = {})
      : test::TlsServer(certificates(), more, certificate) {}
};

Options tls_options(int port) {
  Options options;
  options.port = static_cast<std::uint16_t>(port);
  options.tls.emplace();
  options.tls->authorities = certificates().authority();
  return options;
}

// What both kinds of store say to a GET, which must be the same.
class RedisTls : public ::testing::Test {
 protected:
  std::string answer(const Options& options) {
    std::string blocking = shown(test::ask(*backend(options)->open(), get()));
    EXPECT_EQ(on_loop(options), blocking);
    return blocking;
  }
  std::string on_loop(const Options& options) {
    TestReactor reactor;
    const auto store = backend(options)->open_on(reactor);
    Asked asked(*store, get());
    EXPECT_TRUE(reactor.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }
  static std::string received_connections(PlainRedis& plain) {
    const std::string stats = plain.command({"INFO", "stats"});
    const std::string field = "total_connections_received:";
    return stats.substr(stats.find(field) + field.size());
  }
  static std::string refused(int port) {
    return "rejected: cannot connect to rediss://127.0.0.1:" + std::to_string(port) + "/0: ";
  }
};

TEST_F(RedisTls, TrustsTheServerWhoseCertificateTheAuthorityHasSigned) {
  const TlsServer server;
  EXPECT_EQ(answer(tls_options(server.port())), "nil");
  Options by_name = tls_options(server.port());
  by_name.host = "localhost";
  EXPECT_EQ(answer(by_name), "nil");
  Options by_folder = tls_options(server.port());
  by_folder.tls->authorities = certificates().hashed();
  EXPECT_EQ(answer(by_folder), "nil");
}

TEST_F(RedisTls, DoesNotTrustAnAuthorityThatIsNotNamed) {
  const TlsServer server;
  Options options = tls_options(server.port());
  for (const std::string& authorities : {certificates().stranger(), std::string()}) {
    options.tls->authorities = authorities;
    EXPECT_THAT(answer(options), AllOf(StartsWith(refused(server.port()) +
                                                  "the server's certificate is not trusted ("),
                                       HasSubstr("?ca=FILE")));
  }
}

TEST_F(RedisTls, DoesNotTrustACertificateOfAnotherName) {
  const TlsServer server;
  Options options = tls_options(server.port());
  for (const char* name : {"example.org", "127.0.0.2", "localhost.example.org"}) {
    options.tls->server_name = name;
    EXPECT_EQ(answer(options), refused(server.port()) + "the server's certificate is not for '" +
                                   name +
                                   "' but for localhost, 127.0.0.1: write a name that it has as "
                                   "the host, or as ?server-name=NAME");
  }
  options.tls->server_name = "localhost";
  EXPECT_EQ(answer(options), "nil");
}

TEST_F(RedisTls, DoesNotTrustAnExpiredCertificate) {
  const TlsServer server({}, certificates().expired());
  EXPECT_THAT(answer(tls_options(server.port())),
              StartsWith(refused(server.port()) +
                         "the server's certificate has expired: renew the server's certificate"));
}

TEST_F(RedisTls, GivesTheClientCertificateThatTheServerAsksFor) {
  for (const char* versions : {"TLSv1.2", "TLSv1.3"}) {
    const TlsServer server({"--tls-auth-clients", "yes", "--tls-protocols", versions});
    Options options = tls_options(server.port());
    EXPECT_THAT(answer(options),
                AllOf(StartsWith(refused(server.port()) + "the server refuses TLS ("),
                      HasSubstr("give the client certificate that it asks for")));
    options.tls->certificate = certificates().stranger();
    options.tls->key = certificates().stranger_key();
    EXPECT_THAT(answer(options),
                StartsWith(refused(server.port()) + "the server refuses the client certificate ("));
    options.tls->certificate = certificates().client();
    options.tls->key = certificates().client_key();
    EXPECT_EQ(answer(options), "nil");
    options.tls->certificate = certificates().client_with_key();
    options.tls->key.clear();
    EXPECT_EQ(answer(options), "nil");
  }
}

TEST_F(RedisTls, AFileThatCannotBeUsedIsNamed) {
  const TlsServer server;
  Options options = tls_options(server.port());
  options.tls->authorities = "/nonexistent";
  EXPECT_THAT(answer(options), HasSubstr("the file of authorities /nonexistent cannot be used: "
                                         "No such file or directory: "));
  options.tls->authorities = certificates().client_key();
  EXPECT_THAT(answer(options), StartsWith(refused(server.port()) + "the file of authorities "));
  options = tls_options(server.port());
  options.tls->certificate = certificates().client();
  for (const std::string& key : {certificates().locked_key(), certificates().server_key()}) {
    options.tls->key = key;
    EXPECT_THAT(answer(options), AllOf(StartsWith(refused(server.port()) + "the key " + key),
                                       HasSubstr("without a password")));
  }
}

// Opening a pipe would wait for its writer, and a loop with all its locks would wait with it.
TEST_F(RedisTls, AFileThatWouldWaitForItsWriterIsNotOpened) {
  const TlsServer server;
  const test::ScratchFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Options options = tls_options(server.port());
  options.tls->authorities = pipe;
  EXPECT_THAT(answer(options), HasSubstr(pipe + " is no regular file"));
  options = tls_options(server.port());
  options.tls->certificate = pipe;
  EXPECT_THAT(answer(options), HasSubstr(pipe + " is no regular file"));
  options.tls->certificate = certificates().client();
  options.tls->key = pipe;
  EXPECT_THAT(answer(options), HasSubstr(pipe + " is no regular file"));
}

TEST_F(RedisTls, AFolderThatWasNotPreparedIsToldSo) {
  const TlsServer server;
  const test::ScratchFolder folder;
  Options options = tls_options(server.port());
  options.tls->authorities = folder.path().string();
  EXPECT_THAT(answer(options), HasSubstr("run openssl rehash " + folder.path().string()));
}

// OpenSSL would take the first for all names under it.
TEST_F(RedisTls, APatternIsNoName) {
  const TlsServer server;
  Options options = tls_options(server.port());
  for (const char* name : {".localhost", ".org", "*.org"}) {
    options.tls->server_name = name;
    EXPECT_THAT(answer(options), StartsWith(refused(server.port()) +
                                            "no certificate can have the name '" + name + "'"));
  }
}

TEST_F(RedisTls, TlsOnOneSideAloneIsRejectedAndSaysSo) {
  const TlsServer server;
  Options options = tls_options(server.plain().port());
  EXPECT_EQ(answer(options), refused(server.plain().port()) +
                                 "the server does not speak TLS at this port: write redis://, or "
                                 "the server's port for TLS");
  options = tls_options(server.port());
  options.tls.reset();
  EXPECT_EQ(answer(options),
            "rejected: cannot connect to redis://127.0.0.1:" + std::to_string(server.port()) +
                "/0: the server speaks TLS at this port: write rediss://");
}

// A server that stands still is not taken for one of the other kind.
TEST_F(RedisTls, ASilentServerIsUnavailableWithOrWithoutTls) {
  TlsServer server;
  server.plain().pause();
  for (const bool tls : {true, false}) {
    Options options = tls_options(tls ? server.port() : server.plain().port());
    if (!tls) options.tls.reset();
    options.connect_timeout = milliseconds{100};
    for (const std::string& said :
         {shown(test::ask(*backend(options)->open(), get())), on_loop(options)}) {
      EXPECT_THAT(said, AllOf(StartsWith("unavailable: cannot connect to redis"),
                              HasSubstr("within 100 ms")));
    }
  }
  server.plain().resume();
}

TEST_F(RedisTls, ANewConnectionReadsTheFilesAnew) {
  const TlsServer server;
  const test::ScratchFolder folder;
  Options options = tls_options(server.port());
  options.tls->authorities = folder / "ca.pem";
  std::filesystem::copy_file(certificates().stranger(), options.tls->authorities);
  const auto trusting = backend(options);
  EXPECT_THAT(shown(test::ask(*trusting->open(), get())), StartsWith("rejected"));
  std::filesystem::copy_file(certificates().authority(), options.tls->authorities,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(shown(test::ask(*trusting->open(), get())), "nil");
}

// Answers of several records, and requests that do not fit into one.
TEST_F(RedisTls, CarriesWhatIsLongerThanARecord) {
  const TlsServer server;
  const std::string text(300'000, 'x');
  const auto blocking = backend(tls_options(server.port()))->open();
  EXPECT_TRUE(test::ask(*blocking, set(text)));
  EXPECT_EQ(*test::ask(*blocking, get())->text(), text);
  TestReactor reactor;
  const auto loop = backend(tls_options(server.port()))->open_on(reactor);
  for (const Operation& op : {set(text + "y"), get()}) {
    Asked asked(*loop, op);
    ASSERT_TRUE(reactor.run_until([&] { return asked.done(); }));
    const Reply reply = asked.take();
    ASSERT_TRUE(reply);
    EXPECT_EQ(*reply->text(), op.kind == OperationKind::get ? text + "y" : "OK");
  }
}

TEST_F(RedisTls, AServerThatWasStartedAnewIsReachedByTheNextCommand) {
  TlsServer server;
  const auto store = backend(tls_options(server.port()))->open();
  EXPECT_EQ(shown(test::ask(*store, get())), "nil");
  server.plain().stop();
  server.plain().start();
  EXPECT_EQ(shown(test::ask(*store, get())), "nil");
}

// Servers of TLS 1.3 send tickets that nobody has asked for, which are no reason to connect again.
TEST_F(RedisTls, OneConnectionServesManyCommands) {
  const TlsServer server;
  PlainRedis plain(server.plain());
  const auto blocking = backend(tls_options(server.port()))->open();
  TestReactor reactor;
  const auto loop = backend(tls_options(server.port()))->open_on(reactor);
  const std::string before = received_connections(plain);
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(shown(test::ask(*blocking, get())), "nil");
    Asked asked(*loop, get());
    ASSERT_TRUE(reactor.run_until([&] { return asked.done(); }));
    EXPECT_EQ(shown(asked.take()), "nil");
  }
  EXPECT_EQ(std::stoi(received_connections(plain)), std::stoi(before) + 2);
}

// Two records that arrive together: poll(2) reports the first and, once that is read, nothing.
TEST_F(RedisTls, MessagesThatArriveTogetherAreAllHeard) {
  const TlsServer server;
  PlainRedis plain(server.plain());
  FaultProxy network(server.port());
  const auto store = backend(tls_options(network.port()))->open();
  const auto subscribe = [&](const char* channel) {
    return *test::ask(*store, operation(OperationKind::subscribe, channel))->number();
  };
  const auto await = [&](SubscriptionId subscription) {
    Operation wait(OperationKind::await_message);
    wait.subscription = subscription;
    wait.until = posix::local_now() + std::chrono::seconds{2};
    return shown(test::ask(*store, wait));
  };
  const SubscriptionId one = subscribe("one");
  const SubscriptionId two = subscribe("two");
  network.set(FaultProxy::Mode::swallow);
  ASSERT_EQ(plain.command({"PUBLISH", "one", "1"}), "1");
  ASSERT_EQ(plain.command({"PUBLISH", "two", "1"}), "1");
  network.set(FaultProxy::Mode::forward);
  // Until both are here. If they are not, the test passes, and shows less.
  std::this_thread::sleep_for(milliseconds{200});
  EXPECT_EQ(await(one), "1");
  EXPECT_EQ(await(two), "1");
}

// OpenSSL would go on reading until it has a whole record.
TEST_F(RedisTls, AnAnswerThatDripsInIsNotWaitedForBeyondTheLimit) {
  const TlsServer server;
  FaultProxy network(server.port());
  Options options = tls_options(network.port());
  options.command_timeout = milliseconds{1000};
  options.connect_timeout = std::chrono::seconds{10};
  const auto store = backend(options)->open();
  ASSERT_EQ(shown(test::ask(*store, get())), "nil");
  PlainRedis(server.plain()).command({"SET", "k", std::string(1000, 'x')});
  network.set(FaultProxy::Mode::drip_replies);
  EXPECT_THAT(shown(test::ask(*store, get())), StartsWith("indeterminate: "));
}

// A record that the kernel has not taken whole cannot be read by the server, so what it carries was
// certainly not executed. From its last byte on, it may have been.
TEST_F(RedisTls, ACommandCountsAsSentWithTheLastByteOfItsRecord) {
  TlsServer server;
  PlainRedis plain(server.plain());
  std::size_t record = 0;
  int unavailable = 0;
  for (std::size_t bytes = 1; record == 0 || bytes <= record; ++bytes) {
    FaultProxy network(server.port());
    TestReactor reactor;
    const auto store = backend(tls_options(network.port()))->open_on(reactor);
    Asked first(*store, get());
    ASSERT_TRUE(reactor.run_until([&] { return first.done(); }));
    if (record == 0) {
      Asked whole(*store, operation(OperationKind::increment, "count"));
      ASSERT_TRUE(reactor.run_until([&] { return whole.done(); }));
      record = last_send;
      ASSERT_EQ(plain.command({"SET", "count", "0"}), "OK");
      continue;
    }
    send_limit = bytes;
    socket_is_full = false;
    Asked asked(*store, operation(OperationKind::increment, "count"));
    reactor.run_for(milliseconds{1});
    const std::size_t sent = std::min(bytes, record);
    // What was held back is never sent.
    network.cut();
    send_limit = 0;
    ASSERT_TRUE(reactor.run_until([&] { return asked.done(); }));
    const std::string said = shown(asked.take());
    const std::string count = plain.command({"GET", "count"});
    if (sent < record) {
      EXPECT_THAT(said, StartsWith("unavailable: ")) << bytes;
      EXPECT_EQ(count, "0") << bytes;
      ++unavailable;
    } else {
      EXPECT_THAT(said, Not(StartsWith("unavailable: "))) << bytes;
    }
  }
  EXPECT_GT(unavailable, 10);
}

}  // namespace
}  // namespace interlock::redis
