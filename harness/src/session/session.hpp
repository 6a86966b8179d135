// One run of one client: its process, its connections, and what it asks for next.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/sim/client.hpp"
#include "server/resp.hpp"
#include "session/processes.hpp"
#include "session/threads.hpp"

namespace interlock::harness {

// How often the search asks Host::go_on() while it waits for a client.
inline constexpr milliseconds asks_to_go_on_every{200};

// What sessions share.
class Host {
 public:
  virtual ~Host() = default;
  class Started {
   public:
    pid_t process = 0;
    bool is_child = false;
  };
  // How many servers there are.
  virtual std::size_t servers() const = 0;
  // Starts a client that finds its sockets in this folder, and a port for each server.
  virtual Started start(const std::string& folder, const std::vector<int>& ports) = 0;
  virtual std::string new_folder() = 0;
  // The processes that must stay when a session ends.
  virtual std::vector<pid_t>& kept() = 0;
  // How a client ended, as waitpid() says it. Asked once, after its end. None: nobody knows.
  virtual std::optional<int> status_of(const Started& ended) = 0;
  // A pipe with what the clients write.
  virtual int output() const = 0;
  // Takes what is in it. False: it is more than a client may write.
  virtual bool read_output() = 0;
  virtual std::chrono::seconds patience() const = 0;
  // Throws if the function of Clients::watch() ends the search.
  virtual void go_on() = 0;
};

// What the client waits for.
class ClientRequest {
 public:
  enum class Kind : std::uint8_t {
    end,
    command,
    sleep,
    wait,  // for an answer or a message that the server does not have yet
    leave,
    write,
  };
  enum class ReplyDelivery : std::uint8_t {
    is_sent,
    may_come_later,  // nil: the client is blocked
    confirms,        // that the client is subscribed, or no longer
    is_pong,         // of a subscriber
    is_dropped,
  };
  explicit ClientRequest(Kind is) : kind(is) {}

  Kind kind;
  std::size_t server = 0;
  Words words;            // of a command, as execute() takes them
  std::vector<Key> keys;  // that it may change
  Shape shape = Shape::plain;
  std::vector<Words> queued;
  ReplyDelivery delivery = ReplyDelivery::is_sent;
  bool needs_mailbox = false;
  bool with_messages = false;        // those that have come go before the answer
  std::optional<Duration> duration;  // of a sleep or wait; a wait without one has no end
  bool looks = false;                // a wait: only for what is there
  std::string subject;               // of leave and write
  std::uint64_t fencing = 0;
  std::uint64_t from = 0;  // the number of the connection or question that the answer is for
};

// A connection to a simulated Redis.
class Link {
 public:
  Link(File of, std::uint64_t is, std::size_t to, bool ip)
      : file(std::move(of)), number(is), server(to), over_ip(ip) {}
  bool is_over() const {
    return !file.is_open() && reader.empty() && !request && !is_in_flight && !waits();
  }
  bool has_request() const { return request || (!is_blocked() && !reader.empty()); }
  // Whether the server may send without being asked.
  bool waits() const { return is_blocked() || is_subscribed(); }
  bool is_subscribed() const { return !channels.empty() || !patterns.empty(); }
  bool is_blocked() const { return !blocked.empty(); }
  ClientRequest take() {
    is_in_flight = true;
    return *std::exchange(request, std::nullopt);
  }

  File file;
  std::uint64_t number;
  std::size_t server;
  bool over_ip;
  std::string end;  // the client's, as its library names it
  RequestReader reader;
  std::optional<ClientRequest> request;  // that no step has answered yet
  bool is_in_flight = false;             // a step will answer its last request
  bool resp3 = false;
  std::uint64_t id = 0;  // that HELLO answers; 0: it was not asked yet
  std::string name;      // for the server's records
  Words blocked;         // the command that blocks it
  TimePoint blocked_until{};
  Words channels;
  Words patterns;
  bool in_transaction = false;
  bool spoilt = false;  // the transaction, by a command that was refused
  std::vector<Words> queued;
  std::string watcher;  // the name under which it watches keys
  Words watched;
};

// To a client; one that is gone reads nothing.
void send_all(int descriptor, std::string_view bytes);

class ClientSession {
 public:
  ClientSession(Host& host, sim::Client& client);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // Runs the client until it asks for something that takes a step. More than one: its threads ask
  // at the same time. None: its end was told, or it waits for the answer to an earlier request.
  // Throws if the search must end.
  std::vector<ClientRequest> next();
  // The answers. A connection whose answer is lost is closed.
  void answer(const ClientRequest& request, const Reply& reply);
  void answer_sleep(const ClientRequest& request);
  // The client's sleeps that have not ended.
  Sleeps sleeps;
  // Whether the client has had several threads. Then several requests wait for their steps at a
  // time.
  bool has_threads() const { return threads_.were_several(); }

  // Where the server leaves what it sends unasked (server/waiting.hpp), and the subscription by
  // which the client hears of it.
  const std::string& mailbox() const { return mailbox_; }
  std::optional<SubscriptionId> subscription;
  // When a wait that begins now ends by what the client has asked for, and when by what the command
  // that blocks it has asked for.
  TimePoint own_end(const ClientRequest& wait) const;
  TimePoint end_of_block() const;
  // The command to send when a client is blocked no longer. Empty: it is, or it was not.
  // take_time_out() takes its reply.
  Words time_out() const;
  void take_time_out(const Words& words, const Reply& reply);
  // The connections on which the client waits for the server, and its subscription to the mailbox.
  void lose_all_that_wait();
  // Takes the reply to (READ).
  void take_messages(const ClientRequest& wait, const Reply& reply);
  // Takes the reply to (WITH), and gives that to the command itself.
  Reply take_with_messages(const Value& reply);

 private:
  class Question {
   public:
    Question(File of, std::uint64_t is) : file(std::move(of)), number(is) {}
    bool is_for_redis() const { return text.ends_with(" one") || is_for_several(); }
    bool is_for_several() const { return text.ends_with(" several"); }
    // Takes the words apart that the client's library has put behind the question.
    void read();
    Duration length() const;
    bool is_for(const Link& link) const {
      return is_for_several() || (is_for_redis() && link_end == link.end);
    }
    File file;
    std::uint64_t number;
    std::string text;
    std::string link_end;  // of the one connection that it is for
    pid_t process = 0;
    int thread = 1;
    bool is_woken = false;   // what it waits for may have come
    bool is_asleep = false;  // a step of the run will end its wait
  };

  class ServerSockets {
   public:
    File socket;
    File port;
    int number = 0;
  };

  void listen();
  std::optional<ClientRequest> next_of_one_thread();
  std::optional<std::vector<ClientRequest>> next_of_threads();
  void wait_for_client();
  std::vector<ClientRequest> tell_end();
  bool says_when_it_waits();
  bool is_quiet();
  std::optional<ClientRequest> take_request();
  std::vector<Link*> links_in_order();
  void take_requests_of(Link& link, int& at_once);
  template <class Predicate>
  Question* question_that(Predicate predicate) {
    const auto found = std::find_if(questions_.begin(), questions_.end(), predicate);
    return found == questions_.end() ? nullptr : &*found;
  }
  std::optional<ClientRequest> take_question();
  std::optional<ClientRequest> take_wait(Question& question);
  ClientRequest take_sleep(Question& question, Duration length);
  bool answer_thread(char what, const std::string& rest);
  bool all_threads_wait();
  std::vector<Question*> runnable();
  bool wake_a_thread();
  void wake_those_who_wait_for(const Link& link);
  std::vector<ClientRequest> take_requests_of_threads();
  std::optional<ClientRequest> take_question_of_thread(Question& question);
  std::optional<ClientRequest> take_lock_wait(Question& question);
  void note_look();
  static void reply_to(Question& question, const char* answer);
  void pump(int timeout_ms);
  void accept_all(int listener, std::size_t server, bool over_ip);
  void accept_questions();
  void receive(Link& link);
  bool receive(Question& question);
  bool has_requests() const;
  bool expects_messages() const;
  void check_that_it_is_simulated() const;
  void check_that_one_process_asks() const;
  bool take_news();
  void answer_at_once(Question& question);
  std::string fresh_token();
  std::uint64_t connection_id(Link& link);
  static void note_random_bytes();
  void note_end();

  std::optional<ClientRequest> handle(Link& link, const Words& words);
  bool handle_at_once(Link& link, const std::string& name, const Words& words);
  static std::string client_subcommand(const Link& link, const Words& words);
  std::string script_cache(const Link& link, const Words& words, const std::string& second);
  std::optional<ClientRequest> mark(Link& link, const Words& words);
  std::optional<ClientRequest> script(Link& link, const std::string& name, const Words& words);
  std::optional<ClientRequest> transaction(Link& link, const std::string& name, const Words& words);
  std::optional<ClientRequest> exec(Link& link);
  std::optional<ClientRequest> command(Link& link, const Words& words);
  std::optional<ClientRequest> subscription_command(Link& link,
                                                    const std::string& name,
                                                    const Words& words);
  void confirm(Link& link, const ClientRequest& request);
  void note_mailbox(Link& link);
  std::optional<ClientRequest> close_waiting(Link& link);
  Words deliver(const Value& messages);
  void take_message(const Words& message);
  bool may_look_first() const;
  ClientRequest look_first(const Question& question);
  void end_block(Link& link, const std::string& bytes);
  void lose(Link& link);
  static ClientRequest command_request(const Link& link, Words words);
  static std::vector<Key> changed_keys(const Words& words);
  void say(const Link& link, const std::string& bytes);

  Host& host_;
  sim::Client& client_;
  std::string folder_;
  std::vector<ServerSockets> servers_;
  File control_;
  Host::Started started_;
  File process_;
  bool ended_ = false;
  bool end_is_told_ = false;
  std::uint64_t numbers_ = 0;  // of connections and questions
  Threads threads_;
  std::list<Link> links_;
  std::list<Question> questions_;
  // The scripts that this client has loaded, by server and hash.
  std::map<std::pair<std::size_t, std::string>, std::string> scripts_;
  std::string mailbox_;
  std::size_t mailbox_server_ = 0;
  int named_links_ = 0;
  std::uint64_t requests_ = 0;
  bool is_simulated_ = false;  // a program of this client has loaded the preload library
  int looks_ = 0;              // for messages, without waiting
  bool has_looked_ = false;    // for messages, since the last answer
  bool has_news_ = false;      // something was sent since the client was told to look again
  std::chrono::steady_clock::time_point asked_;  // for its next request
  std::chrono::steady_clock::time_point heard_;  // it sent something
};

}  // namespace interlock::harness
