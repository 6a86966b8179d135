// What may be written as a store's URL, and what is said about what may not.
#include <gmock/gmock.h>

#include "interlock/redis/redis_backend.hpp"

namespace interlock::redis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RedisUrl, HostAloneGetsTheDefaults) {
  const auto options = parse_url("redis://example.org");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->host, "example.org");
  EXPECT_EQ(options->port, 6379);
  EXPECT_EQ(options->database, 0);
  EXPECT_EQ(options->user, "");
  EXPECT_EQ(options->password, "");
}

TEST(RedisUrl, EveryPartIsUnderstoodAndPercentDecoded) {
  const auto options = parse_url("redis://al%40ice:p%3a%2F%25@example.org:7000/12");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->user, "al@ice");
  EXPECT_EQ(options->password, "p:/%");
  EXPECT_EQ(options->host, "example.org");
  EXPECT_EQ(options->port, 7000);
  EXPECT_EQ(options->database, 12);
}

TEST(RedisUrl, PasswordAloneMayContainAnAtSignAndAColon) {
  const auto options = parse_url("redis://:p@s:s@localhost/");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->user, "");
  EXPECT_EQ(options->password, "p@s:s");
  EXPECT_EQ(options->host, "localhost");
}

TEST(RedisUrl, Ipv6StandsInBrackets) {
  const auto options = parse_url("redis://[::1]:7001");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->host, "::1");
  EXPECT_EQ(options->port, 7001);
  EXPECT_EQ(describe(*options), "redis://[::1]:7001/0");
}

TEST(RedisUrl, UnixSocketTakesDatabaseAndPassword) {
  const auto options = parse_url("redis+unix://:secret@/run/my%20redis.sock?db=3");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->unix_socket, "/run/my redis.sock");
  EXPECT_EQ(options->password, "secret");
  EXPECT_EQ(options->database, 3);
  EXPECT_EQ(describe(*options), "redis+unix:///run/my redis.sock?db=3");
}

TEST(RedisUrl, DescriptionHasNoControlCharacters) {
  Options options;
  options.host = "a\r\nb\x7f";
  EXPECT_EQ(describe(options), "redis://a%0D%0Ab%7F:6379/0");
  options.unix_socket = "/run/a\x1b[2J";
  EXPECT_EQ(describe(options), "redis+unix:///run/a%1B[2J");
}

TEST(RedisUrl, DescriptionNamesTheServerAndHidesTheLogin) {
  const auto options = parse_url("redis://alice:secret@example.org/2");
  ASSERT_TRUE(options);
  EXPECT_EQ(describe(*options), "redis://example.org:6379/2");
  const auto made = backend("redis://alice:secret@example.org/2");
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->description(), "redis://example.org:6379/2");
}

TEST(RedisUrl, TlsTakesFilesAndANameAsParameters) {
  const auto plain = parse_url("rediss://alice:secret@example.org:6380/2");
  ASSERT_TRUE(plain) << plain.error().detail();
  ASSERT_TRUE(plain->tls);
  EXPECT_EQ(
      plain->tls->authorities + plain->tls->certificate + plain->tls->key + plain->tls->server_name,
      "");
  EXPECT_EQ(describe(*plain), "rediss://example.org:6380/2");
  const auto full = parse_url(
      "rediss://[::1]?ca=/etc/a%20b.pem&cert=/etc/c.pem&key=/etc/k.pem&server-name=redis.local");
  ASSERT_TRUE(full) << full.error().detail();
  EXPECT_EQ(full->host, "::1");
  EXPECT_EQ(full->tls->authorities, "/etc/a b.pem");
  EXPECT_EQ(full->tls->certificate, "/etc/c.pem");
  EXPECT_EQ(full->tls->key, "/etc/k.pem");
  EXPECT_EQ(full->tls->server_name, "redis.local");
  EXPECT_EQ(describe(*full), "rediss://[::1]:6379/0");
  EXPECT_FALSE(parse_url("redis://example.org")->tls);
}

TEST(RedisUrl, SentinelsAreAListWithTheNameOfThePrimary) {
  const auto plain =
      parse_url("redis+sentinel://u:pw@h1,[::1]:26380/mine/2?sentinel-password=s%26t");
  ASSERT_TRUE(plain) << plain.error().detail();
  ASSERT_TRUE(plain->sentinel);
  const SentinelGroup& group = *plain->sentinel;
  ASSERT_EQ(group.addresses.size(), 2U);
  EXPECT_EQ(group.addresses[0].host, "h1");
  EXPECT_EQ(group.addresses[0].port, 26379);
  EXPECT_EQ(group.addresses[1].host, "::1");
  EXPECT_EQ(group.addresses[1].port, 26380);
  EXPECT_EQ(group.primary, "mine");
  EXPECT_EQ(group.password, "s&t");
  EXPECT_EQ(plain->user, "u");
  EXPECT_EQ(plain->password, "pw");
  EXPECT_EQ(plain->database, 2);
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(describe(*plain), "redis+sentinel://h1:26379,[::1]:26380/mine/2");

  const auto encrypted = parse_url("rediss+sentinel://h/mine?ca=/ca.pem");
  ASSERT_TRUE(encrypted) << encrypted.error().detail();
  EXPECT_EQ(encrypted->tls->authorities, "/ca.pem");
  EXPECT_EQ(encrypted->sentinel->tls->authorities, "/ca.pem");
  EXPECT_EQ(describe(*encrypted), "rediss+sentinel://h:26379/mine/0");
}

TEST(RedisUrl, ABadListOfSentinelsIsRefused) {
  for (const char* url :
       {"redis+sentinel://h", "redis+sentinel://h/", "redis+sentinel:///mine",
        "redis+sentinel://h,,g/mine", "redis+sentinel://h:0/mine", "redis+sentinel://h/mine/x",
        "redis+sentinel://h/mine?ca=/f", "redis+sentinel://h/mine?sentinel-user=u",
        "redis+sentinel://u@h/mine", "rediss+sentinel://h/mine?insecure=1",
        "rediss+sentinel://h/mine?ca=/f&ca=/g"}) {
    EXPECT_TRUE(failed_with(parse_url(url), Errc::invalid_argument)) << url;
  }
}

TEST(RedisUrl, AClusterIsAListOfServers) {
  const auto plain = parse_url("redis+cluster://u:pw@h1,[::1]:7001/0");
  ASSERT_TRUE(plain) << plain.error().detail();
  const std::vector<HostAndPort> servers{{"h1", 6379}, {"::1", 7001}};
  EXPECT_EQ(plain->cluster, servers);
  EXPECT_EQ(plain->user, "u");
  EXPECT_EQ(plain->password, "pw");
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(describe(*plain), "redis+cluster://h1:6379,[::1]:7001");

  const auto encrypted = parse_url("rediss+cluster://h:1?ca=/ca.pem");
  ASSERT_TRUE(encrypted) << encrypted.error().detail();
  EXPECT_EQ(encrypted->tls->authorities, "/ca.pem");
  EXPECT_EQ(describe(*encrypted), "rediss+cluster://h:1");
}

TEST(RedisUrl, ABadListOfServersIsRefused) {
  for (const char* url :
       {"redis+cluster://", "redis+cluster:///0", "redis+cluster://h,,g", "redis+cluster://h:0",
        "redis+cluster://h/1", "redis+cluster://h/x", "redis+cluster://h?ca=/f",
        "redis+cluster://u@h", "rediss+cluster://h?insecure=1",
        "redis+cluster://h?after-failover=wait&longest-ttl=9s",
        "rediss+cluster://h?ca=/f&after-failover=wait&longest-ttl=9s"}) {
    EXPECT_TRUE(failed_with(parse_url(url), Errc::invalid_argument)) << url;
  }
}

TEST(RedisUrl, NoParameterOfTlsLeavesTheChecksOut) {
  for (const char* url :
       {"rediss://h?verify=no", "rediss://h/0?insecure", "rediss://h?ca=", "rediss://h?key=/k.pem",
        "rediss://h?ca=a&ca", "rediss://h/0#x", "rediss://h?ca=%0", "rediss://h?ca=/a&ca=/b",
        "rediss://h?server-name=.org", "rediss://h?server-name=*.org", "redis://h?ca=/a.pem"}) {
    EXPECT_TRUE(failed_with(parse_url(url), Errc::invalid_argument)) << url;
  }
}

TEST(RedisUrl, AQuarantineStandsInEachKindOfUrl) {
  for (const char* url :
       {"redis://h?after-failover=wait&longest-ttl=60s&max-lag=10s",
        "redis://:pw@h/3?max-lag=10000ms&after-failover=wait&longest-ttl=1m",
        "rediss://h?ca=/ca.pem&after-failover=wait&longest-ttl=60s&max-lag=10s",
        "redis+unix:///s?db=3&after-failover=wait&longest-ttl=60s&max-lag=10s",
        "redis+sentinel://h/mine?after-failover=wait&longest-ttl=60s&max-lag=10s",
        "rediss+sentinel://h/mine?ca=/f&after-failover=wait&longest-ttl=60s&max-lag=10s"}) {
    const auto options = parse_url(url);
    ASSERT_TRUE(options) << options.error().detail();
    ASSERT_TRUE(options->quarantine) << url;
    EXPECT_EQ(options->quarantine->longest_ttl, Ttl(std::chrono::seconds{60}));
    // The server counts whole seconds, and looks once a second.
    EXPECT_EQ(options->quarantine->old_primary, std::chrono::seconds{12});
  }
  EXPECT_EQ(parse_url("redis://h?after-failover=wait&longest-ttl=60s")->quarantine->lasts(),
            std::chrono::seconds{60});
  EXPECT_FALSE(parse_url("redis://h?after-failover=grant")->quarantine);
  EXPECT_FALSE(parse_url("redis://h")->quarantine);
}

TEST(RedisUrl, ARetentionStandsInEachKindOfUrl) {
  for (const std::string begin :
       {"redis://h", "rediss://h", "redis+unix:///s", "redis+sentinel://h/mine",
        "rediss+sentinel://h/mine", "redis+cluster://h", "rediss+cluster://h"}) {
    EXPECT_EQ(parse_url(begin)->retention.duration(), std::chrono::hours{1}) << begin;
    const auto with = parse_url(begin + "?retention=10m");
    ASSERT_TRUE(with) << with.error().detail();
    EXPECT_EQ(with->retention.duration(), std::chrono::minutes{10}) << begin;
  }
  for (const std::string wrong : {"59s", "366d", "", "1.5h", "10", "-1m", "1m&retention=1m"}) {
    const auto refused = parse_url("redis://h?retention=" + wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().detail(), testing::HasSubstr("retention")) << wrong;
  }
}

TEST(RedisUrl, AQuarantineThatIsNotWholeIsRefused) {
  for (const char* url : {"redis://h?after-failover=wait", "redis://h?after-failover=maybe",
                          "redis://h?longest-ttl=60s", "redis://h?max-lag=1s",
                          "redis://h?after-failover=grant&longest-ttl=60s",
                          "redis://h?after-failover=wait&longest-ttl=60",
                          "redis://h?after-failover=wait&longest-ttl=0s",
                          "redis://h?after-failover=wait&longest-ttl=-1s",
                          "redis://h?after-failover=wait&longest-ttl=366d",
                          "redis://h?after-failover=wait&longest-ttl=60s&max-lag=365d",
                          "redis://h?after-failover=wait&longest-ttl=60s&longest-ttl=70s",
                          "redis+unix:///s?after-failover=wait"}) {
    EXPECT_TRUE(failed_with(parse_url(url), Errc::invalid_argument)) << url;
  }
}

TEST(RedisUrl, ASlashOfAPasswordIsToldToBePercentEncoded) {
  for (const char* url : {"redis://:s3cret/x@127.0.0.1:6379/0", "redis://a:b@c/s3cret@h/0",
                          "redis+unix://:s3cret/x@/run/redis.sock"}) {
    const auto options = parse_url(url);
    ASSERT_TRUE(failed_with(options, Errc::invalid_argument)) << url;
    EXPECT_THAT(options.error().detail(), HasSubstr("is written as %2F"));
    EXPECT_THAT(options.error().detail(), Not(HasSubstr("s3cret")));
  }
  EXPECT_TRUE(parse_url("redis+unix:///run/a@b/redis.sock"));
}

TEST(RedisUrl, TheFormsAreToldOfAWrongFormAlone) {
  for (const char* url : {"localhost", "redis:localhost", "redis://", "redis://u@h", "redis://[::1",
                          "redis+unix://u:p@host/x", "redis+unix://", "redis+sentinel://h"}) {
    EXPECT_THAT(parse_url(url).error().detail(), HasSubstr("write redis://host[:port]")) << url;
  }
  const std::vector<std::pair<const char*, const char*>> parts{
      {"redis://h?after-failover=no", "bad store URL: after-failover is wait or grant"},
      {"redis://h?after-failover=wait&longest-ttl=9s&max-lag=365d",
       "bad store URL: max-lag is too long: with the 2 s that are added it must be a year at most"},
      {"redis://h?retention=1s",
       "bad store URL: retention is a number with ms, s, m, h or d, from 1m to 365d"},
      {"redis://h?x=1",
       "bad store URL: this kind of URL takes the parameters after-failover, longest-ttl, max-lag, "
       "retention (a ? in a password is %3F)"},
      {"redis://h?retention=%2",
       "bad store URL: the parameter retention is not percent-encoded correctly (% is %25)"},
      {"redis://ho st/0", "bad store URL: the host has a space or a control character"},
      {"redis://ho%0Ast/0", "bad store URL: the host has a space or a control character"},
      {"redis://ho\x1b[31mst/0", "bad store URL: the host has a space or a control character"},
      {"redis://h/x", "bad store URL: the database is not a number from 0 to 1000000000"},
      {"redis://h:0", "bad store URL: the port is not a number from 1 to 65535"},
      {"redis+cluster://h/1", "bad store URL: a cluster has database 0 alone"}};
  for (const auto& [url, told] : parts) EXPECT_EQ(parse_url(url).error().detail(), told);
}

class BadRedisUrl : public ::testing::TestWithParam<const char*> {};

TEST_P(BadRedisUrl, IsRefusedInOneLineThatNeverShowsThePassword) {
  const auto options = parse_url(GetParam());
  ASSERT_TRUE(failed_with(options, Errc::invalid_argument)) << GetParam();
  const std::string& text = options.error().detail();
  EXPECT_THAT(text, HasSubstr("bad store URL: "));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  EXPECT_TRUE(failed_with(backend(GetParam()), Errc::invalid_argument));
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         BadRedisUrl,
                         ::testing::Values("",
                                           "localhost",
                                           "http://localhost",
                                           "redis:localhost",
                                           "redis://",
                                           "redis://:secret@",
                                           "redis://secret@localhost",
                                           "redis://:@localhost",
                                           "redis://:sec%zzret@localhost",
                                           "redis://:secret%2@localhost",
                                           "redis://:secret%00@localhost",
                                           "redis://:secret@localhost:",
                                           "redis://:secret@localhost:0",
                                           "redis://:secret@localhost:65536",
                                           "redis://:secret@localhost:12x",
                                           "redis://:secret@localhost:-1",
                                           "redis://[::1",
                                           "redis://[::1]7000",
                                           "redis://:secret@localhost/x",
                                           "redis://:secret@localhost/-1",
                                           "redis://:secret@localhost/1/2",
                                           "redis://:secret@localhost/99999999999",
                                           "redis://:secret?@localhost",
                                           "redis://:secret#@localhost",
                                           "redis+unix://",
                                           "redis+unix:///",
                                           "redis+unix://:secret@host/run/redis.sock",
                                           "redis+unix:///run/redis.sock?database=1",
                                           "redis+unix:///run/redis.sock?db=",
                                           "redis+unix:///run/redis.sock?db=secret"));

}  // namespace
}  // namespace interlock::redis
