// What a random sequence does not reach: transactions, what is refused by name, broken requests.
#include <gtest/gtest.h>

#include "server/command.hpp"
#include "server/notes.hpp"
#include "server/resp.hpp"

namespace interlock::harness {
namespace {

class Keys final : public MemoryKeyspace {
 public:
  std::int64_t publish(const Channel&, const std::string&) override { return 0; }
};

class Server : public testing::Test {
 protected:
  void SetUp() override { notes().problem.clear(); }
  void TearDown() override { notes().problem.clear(); }
  Reply ask(const Words& words) {
    TypedKeys database(keys_);
    return execute(database, words);
  }
  void tell(const Words& words) { [[maybe_unused]] const Reply reply = ask(words); }
  static Words exec(const std::string& watcher, const Words& watched, const Words& command) {
    Words words{"EXEC", watcher, std::to_string(watched.size())};
    words.insert(words.end(), watched.begin(), watched.end());
    words.push_back(std::to_string(command.size()));
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  Keys keys_;
};

TEST_F(Server, ExecutesATransactionWhoseKeysNobodyHasChanged) {
  tell({"WATCH", "k", "one"});
  const Reply reply = ask(exec("one", {"k"}, {"SET", "k", "v"}));
  EXPECT_EQ(reply, Reply(Value(std::vector<Value>{Value(std::string("+OK"))})));
}

TEST_F(Server, RefusesATransactionWhoseKeyWasChanged) {
  for (const Words& change : {Words{"SET", "k", "v"}, Words{"SET", "k", "v", "PX", "5"},
                              Words{"INCR", "k"}, Words{"LPUSH", "k", "v"}}) {
    tell({"DEL", "k"});
    tell({"WATCH", "k", "one"});
    tell(change);
    EXPECT_EQ(ask(exec("one", {"k"}, {"SET", "k", "mine"})), Reply(Value()));
  }
}

TEST_F(Server, RefusesATransactionWhoseKeyWasSetToTheSameValue) {
  tell({"SET", "k", "v"});
  tell({"WATCH", "k", "one"});
  tell({"SET", "k", "v"});
  EXPECT_EQ(ask(exec("one", {"k"}, {"GET", "k"})), Reply(Value()));
}

TEST_F(Server, RefusesATransactionWhoseKeyHasExpired) {
  keys_.set_now(StoreTime(milliseconds(1000)));
  tell({"SET", "k", "v", "PX", "10"});
  tell({"WATCH", "k", "one"});
  keys_.set_now(StoreTime(milliseconds(2000)));
  EXPECT_EQ(ask(exec("one", {"k"}, {"GET", "k"})), Reply(Value()));
}

TEST_F(Server, LetsOneConnectionWatchWhatAnotherWatches) {
  tell({"WATCH", "k", "one"});
  tell({"WATCH", "k", "two"});
  tell({"UNWATCH", "k", "one"});
  EXPECT_NE(ask(exec("two", {"k"}, {"GET", "k"})), Reply(Value()));
}

TEST_F(Server, NamesACommandThatIsNotModelled) {
  tell({"bitcount", "k"});
  EXPECT_EQ(notes().problem, "the command BITCOUNT is not modelled");
}

TEST_F(Server, NamesACommandThatIsNotModelledInAScript) {
  tell({"EVAL", "return redis.pcall('geoadd', 'k')", "0"});
  EXPECT_EQ(notes().problem, "the command GEOADD is not modelled");
}

TEST_F(Server, NamesALibraryThatIsNotModelled) {
  tell({"EVAL", "return cjson.encode({1})", "0"});
  EXPECT_EQ(notes().problem, "a script uses cjson, which is not modelled");
}

TEST_F(Server, KeepsWhatAScriptWroteBeforeItFailed) {
  EXPECT_FALSE(ask({"EVAL", "redis.call('set', 'k', 'v') error('oh')", "0"}));
  EXPECT_EQ(ask({"GET", "k"}), Reply(Value(std::string("v"))));
}

TEST_F(Server, EndsAScriptThatNeverEnds) {
  EXPECT_FALSE(ask({"EVAL", "while true do end", "0"}));
  EXPECT_NE(notes().problem, "");
}

// Redis orders members of equal scores by their names, and these stand for clients.
TEST_F(Server, SaysWhenTheOrderOfTokensDecides) {
  notes().tells_clients_apart = false;
  tell({"ZADD", "k", "1", "il1:A1", "2", "il1:B1"});
  EXPECT_FALSE(notes().tells_clients_apart);
  tell({"ZADD", "k", "1", "il1:B1"});
  EXPECT_TRUE(notes().tells_clients_apart);
  notes().tells_clients_apart = false;
}

TEST(RequestReader, TakesRequestsHoweverTheyAreCut) {
  const std::string bytes = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$4\r\nPING\r\n";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    RequestReader reader;
    std::vector<Words> all;
    for (const std::string& part : {bytes.substr(0, cut), bytes.substr(cut)}) {
      reader.add(part);
      while (const auto words = reader.next()) all.push_back(*words);
    }
    EXPECT_EQ(all, (std::vector<Words>{{"GET", "k"}, {"PING"}})) << cut;
    EXPECT_EQ(reader.broken(), "");
  }
}

TEST(RequestReader, KnowsWhatIsNoRequest) {
  for (const char* const bytes :
       {"PING\r\n", "*x\r\n", "*1\r\n:3\r\n", "*1\r\n$-1\r\n", "*99999999999999999999\r\n"}) {
    RequestReader reader;
    reader.add(bytes);
    EXPECT_FALSE(reader.next()) << bytes;
    EXPECT_NE(reader.broken(), "") << bytes;
  }
}

TEST(TypedKeys, GivesBackWhatItHasPacked) {
  for (const Words& items :
       {Words{"a", "b"}, Words{"", " ", "\n", "\\", "\\s"}, Words{"one two"}}) {
    Entry entry(pack(DataType::list, items));
    entry.type = Entry::Type::other;
    EXPECT_EQ(unpack(entry)->items, items);
  }
}

}  // namespace
}  // namespace interlock::harness
