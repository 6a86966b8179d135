// Who gets what: clients that are blocked, and subscribers, beside a real server.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "raw_connection.hpp"
#include "server/command.hpp"
#include "server/waiting.hpp"
#include "support/redis_server.hpp"

namespace interlock::harness {
namespace {

class Keys final : public MemoryKeyspace {
 public:
  std::int64_t publish(const Channel& channel, const std::string&) override {
    woken.push_back(channel.text());
    return 0;
  }
  Words woken;
};

class Waiting : public testing::Test {
 protected:
  Reply ask(const Words& words) {
    TypedKeys database(keys_);
    return execute_and_serve(database, words);
  }
  void tell(const Words& words) { ASSERT_TRUE(ask(words)) << words.front(); }
  bool blocks(const Words& words) {
    const Reply reply = ask(words);
    return reply && reply->is_nil();
  }
  // The links that still wait, and what was sent.
  Words read(const std::string& mailbox) {
    const Reply reply = ask({"(READ)", mailbox});
    Words all;
    for (const Value& one : *reply->list()) all.push_back(*one.text());
    return all;
  }
  Keys keys_;
};

TEST_F(Waiting, TheFirstBlockedClientGetsTheFirstElement) {
  EXPECT_TRUE(blocks({"(BLPOP)", "one", "1", "k", "0"}));
  EXPECT_TRUE(blocks({"(BLPOP)", "two", "1", "k", "0"}));
  tell({"RPUSH", "k", "x", "y", "z"});
  EXPECT_EQ(keys_.woken, Words({"one", "two"}));
  EXPECT_EQ(read("one"), Words({"", "reply 1 list k x"}));
  EXPECT_EQ(read("two"), Words({"", "reply 1 list k y"}));
  EXPECT_EQ(read("two"), Words({""}));
  EXPECT_EQ(ask({"LRANGE", "k", "0", "-1"}), Reply(Value(std::vector<Value>{text("z")})));
}

TEST_F(Waiting, AClientThatIsBlockedNoLongerGetsNothing) {
  EXPECT_TRUE(blocks({"(BLPOP)", "one", "1", "k", "0"}));
  EXPECT_TRUE(blocks({"(BRPOP)", "one", "2", "k", "0"}));
  EXPECT_EQ(ask({"(TIMEOUT)", "one", "1"}), Reply(number(1)));
  EXPECT_EQ(ask({"(TIMEOUT)", "one", "1"}), Reply(number(0)));
  tell({"(CLOSE)", "one", "2"});
  tell({"RPUSH", "k", "x"});
  EXPECT_EQ(ask({"LLEN", "k"}), Reply(number(1)));
  EXPECT_EQ(read("one"), Words({""}));
}

TEST_F(Waiting, ATransactionServesWhenItIsWhole) {
  EXPECT_TRUE(blocks({"(BLPOP)", "one", "1", "k", "0"}));
  tell({"EXEC", "", "0", "3", "RPUSH", "k", "x", "2", "LPOP", "k"});
  EXPECT_EQ(read("one"), Words({"1"}));
}

TEST_F(Waiting, OnlySubscribersOfAChannelGetItsMessages) {
  tell({"(SUBSCRIBE)", "one", "1", "a", "b"});
  tell({"(PSUBSCRIBE)", "two", "1", "a*"});
  EXPECT_EQ(ask({"PUBLISH", "a", "hello you"}), Reply(number(2)));
  EXPECT_EQ(ask({"PUBLISH", "b", ""}), Reply(number(1)));
  tell({"(UNSUBSCRIBE)", "one", "1", "a"});
  EXPECT_EQ(ask({"PUBLISH", "a", "late"}), Reply(number(1)));
  EXPECT_EQ(read("one"), Words({"1", "message 1 a hello\\syou", "message 1 b \\e"}));
  EXPECT_EQ(read("two"), Words({"1", "pmessage 1 a* a hello\\syou", "pmessage 1 a* a late"}));
}

TEST_F(Waiting, ATimeToBeBlockedIsInSecondsAndNotNegative) {
  EXPECT_EQ(time_to_block({"BLPOP", "k", "1.5"}).value(), milliseconds(1500));
  EXPECT_EQ(time_to_block({"BLPOP", "k", "0.0001"}).value(), milliseconds(1));
  EXPECT_EQ(time_to_block({"BLPOP", "k", "0"}).value(), milliseconds(0));
  for (const char* const wrong : {"-1", "", "word", "1 ", " 1", "nan", "1e300"}) {
    EXPECT_FALSE(time_to_block({"BLPOP", "k", wrong})) << wrong;
  }
}

// --- beside a real server ------------------------------------------------------------------------

class Both {
 public:
  Both() : main_(server_.unix_socket()) {}

  std::string real(const Words& words) { return main_.ask(words); }

  // Blocks a client on both, or gets its reply at once.
  void block(std::size_t client, const Words& words) {
    while (connections_.size() <= client) {
      connections_.push_back(std::make_unique<Raw>(server_.unix_socket()));
    }
    const std::string before = blocked_clients();
    connections_[client]->send(words);
    Words session{for_session(words[0]), "mailbox", std::to_string(client)};
    session.insert(session.end(), words.begin() + 1, words.end());
    const Reply reply = modelled(session);
    if (!reply || !reply->is_nil()) {
      while (replies_[client].empty()) replies_[client] += connections_[client]->received();
      EXPECT_EQ(replies_[client], encode(reply, shape_of(words), false));
      replies_[client].clear();
      return;
    }
    blocked_[client] = words;
    while (blocked_clients() == before) continue;
  }
  bool is_blocked(std::size_t client) const { return blocked_.contains(client); }

  // A command that may serve blocked clients: each must get the same on both.
  void ask(const Words& words) {
    const std::string reply = real(words);
    EXPECT_EQ(encode(modelled(words), shape_of(words), false), reply);
    // What the blocked clients got was sent before the answer to this.
    real({"ECHO", ""});
    std::map<std::size_t, std::string> got;
    const Reply read = modelled({"(READ)", "mailbox"});
    for (std::size_t at = 1; at < read->list()->size(); ++at) {
      const Words record = split(*(*read->list())[at].text());
      const std::size_t client = std::stoul(record[1]);
      got[client] = encode(recorded_reply(record), shape_of(blocked_[client]), false);
    }
    for (auto at = blocked_.begin(); at != blocked_.end();) {
      const auto client = (at++)->first;
      EXPECT_EQ(connections_[client]->received(), got[client]) << "client " << client;
      if (!got[client].empty()) blocked_.erase(client);
    }
  }

  Reply modelled(const Words& words) {
    TypedKeys database(keys_);
    return execute_and_serve(database, words);
  }

 private:
  std::string blocked_clients() {
    const std::string all = real({"INFO", "clients"});
    const auto at = all.find("blocked_clients:");
    return all.substr(at, all.find('\r', at) - at);
  }

  test::RedisServer server_;
  Raw main_;
  Keys keys_;
  std::vector<std::unique_ptr<Raw>> connections_;
  std::map<std::size_t, std::string> replies_;
  std::map<std::size_t, Words> blocked_;
};

TEST(BlockedClients, AreServedAsByARealServer) {
  Both both;
  std::mt19937 dice(7);
  const auto one_of = [&dice](const auto& some) { return some[dice() % some.size()]; };
  const Words keys{"a", "b", "c"};
  for (int round = 0; round < 1'500 && !testing::Test::HasFailure(); ++round) {
    const std::size_t client = dice() % 4;
    const std::string key = one_of(keys);
    const std::string other = one_of(keys);
    const std::vector<Words> blocking{{"BLPOP", key, "0"},
                                      {"BRPOP", key, other, "0"},
                                      {"BLMOVE", key, other, "LEFT", "RIGHT", "0"},
                                      {"BRPOPLPUSH", key, other, "0"},
                                      {"BZPOPMIN", key, other, "0"},
                                      {"BZPOPMAX", key, "0"}};
    const std::vector<Words> serving{
        {"RPUSH", key, "x"},
        {"RPUSH", key, "x", "y", "z"},
        {"LPUSH", key, "x", "y"},
        {"ZADD", key, "1", "m", "2.5", "n"},
        {"SET", key, "text"},
        {"DEL", key},
        {"RENAME", key, other},
        {"RPOPLPUSH", key, other},
        {"EVAL", "redis.call('rpush', KEYS[1], 'p', 'q') return redis.call('lpush', KEYS[2], 'r')",
         "2", key, other}};
    if (!both.is_blocked(client) && dice() % 2 == 0) {
      both.block(client, one_of(blocking));
    } else {
      const Words words = one_of(serving);
      SCOPED_TRACE(words[0] + " " + key + " " + other);
      both.ask(words);
    }
  }
}

}  // namespace
}  // namespace interlock::harness
