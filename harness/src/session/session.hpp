// One run of one client: its process, its connections, and what it asks for next.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/client.hpp"
#include "server/resp.hpp"
#include "session/processes.hpp"

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
  // Starts a client that finds its sockets in this folder.
  virtual Started start(const std::string& folder, int port) = 0;
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

// A connection to the simulated Redis.
class Link {
 public:
  Link(File of, bool ip) : file(std::move(of)), over_ip(ip) {}
  File file;
  bool over_ip;
  RequestReader reader;
  bool resp3 = false;
  bool in_transaction = false;
  bool spoilt = false;  // the transaction, by a command that was refused
  std::vector<Words> queued;
  std::string watcher;  // the name under which it watches keys
  Words watched;
};

// What the client waits for.
class ClientRequest {
 public:
  enum class Kind : std::uint8_t { end, command, sleep, leave, write };
  explicit ClientRequest(Kind is) : kind(is) {}

  Kind kind;
  Words words;            // of a command, as execute() takes them
  std::vector<Key> keys;  // that it may change
  Shape shape = Shape::plain;
  std::vector<Words> queued;
  Duration duration{0};  // of a sleep
  std::string subject;   // of leave and write
  std::uint64_t fencing = 0;
  int descriptor = -1;  // where the answer goes
};

class ClientSession {
 public:
  ClientSession(Host& host, sim::Client& client);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // Runs the client until it asks for something that takes a step. Throws if the search must end.
  ClientRequest next();
  // The answers. A connection whose answer is lost is closed.
  void answer(const ClientRequest& request, const Reply& reply);
  void answer_sleep(const ClientRequest& request);

 private:
  class Question {
   public:
    explicit Question(File of) : file(std::move(of)) {}
    File file;
    std::string text;
  };

  void listen();
  std::optional<ClientRequest> take_request();
  std::optional<ClientRequest> take_question();
  void pump(int timeout_ms);
  void accept_all(int listener, bool control);
  void receive(Link& link);
  bool receive(Question& question);
  bool has_requests() const;
  void check_that_it_is_simulated() const;
  bool take_news();
  void answer_at_once(Question& question);
  std::string fresh_token();
  std::uint64_t connection_id();
  static void note_random_bytes();
  void note_end();

  std::optional<ClientRequest> handle(Link& link, const Words& words);
  bool handle_at_once(Link& link, const std::string& name, const Words& words);
  static std::string client_subcommand(const Link& link, const Words& words);
  std::string script_cache(const Words& words, const std::string& second);
  std::optional<ClientRequest> mark(Link& link, const Words& words);
  std::optional<ClientRequest> script(Link& link, const std::string& name, const Words& words);
  std::optional<ClientRequest> transaction(Link& link, const std::string& name, const Words& words);
  std::optional<ClientRequest> exec(Link& link);
  std::optional<ClientRequest> command(Link& link, const Words& words);
  static ClientRequest command_request(const Link& link, Words words);
  static std::vector<Key> changed_keys(const Words& words);
  void say(const Link& link, const std::string& bytes);

  Host& host_;
  sim::Client& client_;
  std::string folder_;
  File redis_;
  File port_;
  File control_;
  int port_number_ = 0;
  Host::Started started_;
  File process_;
  bool ended_ = false;
  std::list<Link> links_;
  std::list<Question> questions_;
  std::map<std::string, std::string> scripts_;  // that this client has loaded, by hash
  std::uint64_t requests_ = 0;
  bool is_simulated_ = false;  // a program of this client has loaded the preload library
  bool has_news_ = false;      // something was sent since the client was told to look again
  std::chrono::steady_clock::time_point asked_;
};

}  // namespace interlock::harness
