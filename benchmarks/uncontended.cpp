// What the library adds to the two commands that a lock needs when nobody else wants it.
//
// Raw is a plain hiredis loop that sends the same two EVALSHA; both take turns, pair of rounds by
// pair of rounds, on one private server, so that a ratio compares like with like. Absolute figures
// depend on the machine and on what else it does.
#include <hiredis/hiredis.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_keys.hpp"
#include "interlock/owner_scripts.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/redis_server.hpp"

namespace {

using interlock::Duration;
using interlock::local_now;
using interlock::TimePoint;

constexpr int rounds = 15;
constexpr int in_flight = 64;
constexpr int pairs_per_round = 48 * in_flight;

struct Spread {
  double median = 0;
  double lowest = 0;
  double highest = 0;
};

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

nlohmann::json json_of(const Spread& s) {
  return {{"median", s.median}, {"min", s.lowest}, {"max", s.highest}};
}

template <class Work>
double microseconds_per_pair(const Work& work) {
  const TimePoint began = local_now();
  work();
  return static_cast<double>((local_now() - began).count()) / pairs_per_round;
}

// --- plain hiredis -----------------------------------------------------------------------------

class Raw {
 public:
  explicit Raw(redisContext* context) : context_(context) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("cannot connect");
    claim_ = load(interlock::claim_script().lua());
    release_ = load(interlock::release_script().lua());
  }
  ~Raw() { redisFree(context_); }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  void pair() {
    call({"EVALSHA", claim_, "2", lock_, fence_, owner_, "30000"});
    call({"EVALSHA", release_, "1", lock_, owner_, channel_});
  }

  // Sixty-four pairs at once: all claims in one write, then all releases. What is left then is what
  // the server itself needs.
  void pairs_in_flight() {
    const auto all = [&](const auto& append) {
      for (int number = 0; number < in_flight; ++number) append(std::to_string(number));
      for (int number = 0; number < in_flight; ++number) {
        void* reply = nullptr;
        if (redisGetReply(context_, &reply) != REDIS_OK) throw std::runtime_error("no reply");
        freeReplyObject(reply);
      }
    };
    all([&](const std::string& n) {
      append({"EVALSHA", claim_, "2", lock_ + n, fence_ + n, owner_, "30000"});
    });
    all([&](const std::string& n) {
      append({"EVALSHA", release_, "1", lock_ + n, owner_, channel_});
    });
  }

  // The two commands that a lock without fencing token and announcement sends.
  void bare_pair() {
    call({"SET", lock_, owner_, "NX", "PX", "30000"});
    if (compare_and_delete_.empty()) {
      compare_and_delete_ = load(
          "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end "
          "return 0");
    }
    call({"EVALSHA", compare_and_delete_, "1", lock_, owner_});
  }

 private:
  std::string load(const std::string& lua) {
    auto* reply =
        static_cast<redisReply*>(redisCommand(context_, "SCRIPT LOAD %b", lua.data(), lua.size()));
    std::string sha(reply->str, static_cast<std::size_t>(reply->len));
    freeReplyObject(reply);
    return sha;
  }

  void call(std::initializer_list<std::string_view> words) {
    const char* text[8];
    std::size_t sizes[8];
    int count = 0;
    for (const std::string_view word : words) {
      text[count] = word.data();
      sizes[count++] = word.size();
    }
    void* reply = redisCommandArgv(context_, count, text, sizes);
    if (reply == nullptr || static_cast<redisReply*>(reply)->type == REDIS_REPLY_ERROR) {
      throw std::runtime_error("raw command failed");
    }
    freeReplyObject(reply);
  }

  void append(std::initializer_list<std::string> words) {
    const char* text[8];
    std::size_t sizes[8];
    int count = 0;
    for (const std::string& word : words) {
      text[count] = word.data();
      sizes[count++] = word.size();
    }
    redisAppendCommandArgv(context_, count, text, sizes);
  }

  redisContext* context_;
  std::string claim_;
  std::string release_;
  std::string compare_and_delete_;
  const std::string lock_ = "raw-lock";
  const std::string fence_ = interlock::fencing_key(interlock::Key("raw-lock")).text();
  const std::string channel_ = interlock::release_channel(interlock::Key("raw-lock")).text();
  const std::string owner_ = "il1:0123456789abcdef0123456789abcdef:12345@benchmark-host";
};

// --- the library -------------------------------------------------------------------------------

void blocking_pairs(interlock::Client& client, int pairs) {
  const auto name = *interlock::LockName::parse("our-lock");
  for (int i = 0; i < pairs; ++i) {
    auto lock = client.acquire(name);
    if (!lock || !lock->release()) throw std::runtime_error("pair failed: " + lock.why_not());
  }
}

interlock::Task<void> pairs_on_loop(interlock::Client* client, int number, int pairs) {
  const auto name = *interlock::LockName::parse("our-lock-" + std::to_string(number));
  for (int i = 0; i < pairs; ++i) {
    interlock::AcquireResult lock = co_await client->acquire_async(name);
    if (!lock) std::abort();
    const auto released = co_await lock->release_async();
    if (!released) std::abort();
  }
}

interlock::Task<void> all_in_flight(interlock::Client* client, int* running) {
  for (int number = 0; number < in_flight; ++number) {
    ++*running;
    const auto counted = [](interlock::Task<void> task, int* left) -> interlock::Task<void> {
      co_await task;
      --*left;
    };
    client->spawn(counted(pairs_on_loop(client, number, pairs_per_round / in_flight), running));
  }
  while (*running > 0) {
    co_await client->loop().sleep_until(client->loop().now() + Duration(200));
  }
}

// --- one transport -----------------------------------------------------------------------------

struct Figures {
  Spread raw_us, bare_us, ours_us, in_flight_us, raw_in_flight_us;
  Spread over_raw, over_bare, in_flight_gain, raw_in_flight_gain, in_flight_over_raw;
};

Figures measure(const std::string& url, redisContext* context) {
  Raw raw(context);
  interlock::Client client(*interlock::redis::backend(url));
  std::vector<double> raw_us, bare_us, ours_us, flight_us, raw_flight_us, over_raw, over_bare, gain,
      raw_gain, flight_over_raw;
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    const auto repeat = [](const auto& pair) {
      return [&] {
        for (int i = 0; i < pairs_per_round; ++i) pair();
      };
    };
    const double r = microseconds_per_pair(repeat([&] { raw.pair(); }));
    const double o = microseconds_per_pair([&] { blocking_pairs(client, pairs_per_round); });
    const double b = microseconds_per_pair(repeat([&] { raw.bare_pair(); }));
    int running = 0;
    const double f =
        microseconds_per_pair([&] { client.wait_for(all_in_flight(&client, &running)); });
    const double rf = microseconds_per_pair([&] {
      for (int i = 0; i < pairs_per_round / in_flight; ++i) raw.pairs_in_flight();
    });
    if (round < 0) continue;
    raw_flight_us.push_back(rf);
    raw_gain.push_back(r / rf);
    flight_over_raw.push_back(f / rf);
    raw_us.push_back(r);
    ours_us.push_back(o);
    bare_us.push_back(b);
    flight_us.push_back(f);
    over_raw.push_back(o / r);
    over_bare.push_back(o / b);
    gain.push_back(o / f);
  }
  return {spread(raw_us),        spread(bare_us),        spread(ours_us),   spread(flight_us),
          spread(raw_flight_us), spread(over_raw),       spread(over_bare), spread(gain),
          spread(raw_gain),      spread(flight_over_raw)};
}

void print(const char* transport, const Figures& f) {
  const auto line = [](const char* what, const Spread& s, const char* unit) {
    std::printf("  %-44s %7.2f %s  [%.2f .. %.2f]\n", what, s.median, unit, s.lowest, s.highest);
  };
  std::printf("%s\n", transport);
  line("raw: the same two EVALSHA, hiredis", f.raw_us, "us/pair");
  line("interlock, blocking acquire + release", f.ours_us, "us/pair");
  line("bare: SET NX PX + compare-and-delete", f.bare_us, "us/pair");
  line("interlock, 64 in flight on one connection", f.in_flight_us, "us/pair");
  line("raw, 64 in flight on one connection", f.raw_in_flight_us, "us/pair");
  line("ratio interlock / raw", f.over_raw, "      ");
  line("ratio interlock / bare", f.over_bare, "      ");
  line("ratio 64 in flight : blocking rate", f.in_flight_gain, "      ");
  line("the same for raw", f.raw_in_flight_gain, "      ");
  line("ratio interlock / raw, 64 in flight", f.in_flight_over_raw, "      ");
}

nlohmann::json json_of(const Figures& f) {
  return {{"raw_us", json_of(f.raw_us)},
          {"bare_us", json_of(f.bare_us)},
          {"interlock_us", json_of(f.ours_us)},
          {"in_flight_us", json_of(f.in_flight_us)},
          {"raw_in_flight_us", json_of(f.raw_in_flight_us)}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc == 2 && std::strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    std::fprintf(stderr, "usage: uncontended [--json]\n");
    return 64;
  }
  interlock::test::RedisServer server;
  const Figures tcp = measure(server.url(), redisConnect("127.0.0.1", server.port()));
  const Figures unix_socket =
      measure(server.unix_url(), redisConnectUnix(server.unix_socket().c_str()));
  if (!json) {
    print("TCP, loopback", tcp);
    print("unix socket", unix_socket);
    return 0;
  }
  const nlohmann::json out = {
      {"benchmark", "uncontended"},
      {"rounds", rounds},
      {"pairs_per_round", pairs_per_round},
      {"ratios",
       {{"tcp_acquire_release_over_raw", json_of(tcp.over_raw)},
        {"unix_acquire_release_over_raw", json_of(unix_socket.over_raw)},
        {"tcp_acquire_release_over_set_nx", json_of(tcp.over_bare)},
        {"unix_acquire_release_over_set_nx", json_of(unix_socket.over_bare)},
        {"tcp_in_flight_64_over_blocking", json_of(tcp.in_flight_gain)},
        {"unix_in_flight_64_over_blocking", json_of(unix_socket.in_flight_gain)},
        {"tcp_raw_in_flight_64_over_blocking", json_of(tcp.raw_in_flight_gain)},
        {"unix_raw_in_flight_64_over_blocking", json_of(unix_socket.raw_in_flight_gain)},
        {"tcp_in_flight_64_over_raw", json_of(tcp.in_flight_over_raw)},
        {"unix_in_flight_64_over_raw", json_of(unix_socket.in_flight_over_raw)}}},
      {"tcp", json_of(tcp)},
      {"unix", json_of(unix_socket)}};
  std::printf("%s\n", out.dump(2).c_str());
  return 0;
}
