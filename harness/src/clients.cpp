#include "interlock/harness/clients.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "embedded.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/store/script.hpp"
#include "server/command.hpp"
#include "server/notes.hpp"
#include "server/waiting.hpp"
#include "session/processes.hpp"
#include "session/session.hpp"

namespace interlock::harness {
namespace {

constexpr std::size_t output_max = 1U << 20;

// The script that stands for a command in the simulator. Its arguments are the command's words.
Reply run_command(Keyspace& keys, const std::vector<Key>&, const Words& words) {
  TypedKeys database(keys);
  return execute_and_serve(database, words);
}
const Script& script_for(const Words& words) {
  static std::map<std::string, std::unique_ptr<Script>> all;
  const std::string name = name_for_client(words);
  std::unique_ptr<Script>& one = all[name];
  if (!one) one = std::make_unique<Script>(name, "", run_command);
  return *one;
}

std::function<bool(const ClientReport&)>& watcher() {
  static std::function<bool(const ClientReport&)> proceed;
  return proceed;
}

std::string program_of(const Words& command) {
  const std::string& name = command.front();
  return name.substr(name.rfind('/') + 1);
}

bool is_python(const Words& command) {
  return program_of(command).starts_with("python");
}

bool is_java(const Words& command) {
  return program_of(command) == "java";
}

bool is_python_file(const Words& command) {
  return command.size() > 1 && is_python(command) && command[1].ends_with(".py") &&
         ::access(command[1].c_str(), R_OK) == 0;
}

class StartedClients final : public Clients, private Host {
 public:
  StartedClients(Words command, const HarnessOptions& with)
      : command_(std::move(command)), with_(with) {}
  ~StartedClients() override;

  // Empty: it works.
  std::string begin();
  sim::Program program() override;

 private:
  std::size_t servers() const override { return with_.servers; }
  Started start(const std::string& folder, const std::vector<int>& ports) override;
  std::string new_folder() override { return folder_ + "/" + std::to_string(++count_); }
  std::vector<pid_t>& kept() override { return kept_; }
  std::optional<int> status_of(const Started& ended) override;
  int output() const override { return output_.get(); }
  bool read_output() override;
  std::chrono::seconds patience() const override { return with_.patience; }
  void go_on() override;
  bool may_go_on();

  std::string begin_fork_server();
  std::string read_line();
  StartOptions options() const;

  Words command_;
  HarnessOptions with_;
  std::string folder_;
  std::uint64_t count_ = 0;
  std::vector<pid_t> kept_;
  File output_;
  File output_end_;
  std::size_t written_ = 0;  // by the client that runs
  File fork_server_;
  pid_t fork_server_process_ = 0;
  File lives_;
  pid_t remover_ = 0;  // of the folder, if this process is ended
};

Task<Reply> run_words(sim::Client& client, std::size_t server, Words words, KeyList keys) {
  const Script& script = script_for(words);
  co_return co_await client.store(server).run(script, std::move(keys), words);
}

Task<Reply> run_request(sim::Client& client, ClientSession* session, ClientRequest request) {
  if (request.needs_mailbox && !session->subscription) {
    auto subscribed = co_await client.store(request.server).subscribe(Channel(session->mailbox()));
    if (!subscribed) co_return subscribed.error();
    session->subscription = *subscribed;
  }
  Words words = request.words;
  if (request.with_messages) {
    words.insert(words.begin(), {for_session("WITH"), session->mailbox()});
  }
  Reply reply = co_await run_words(client, request.server, words, KeyList(request.keys));
  if (request.with_messages && reply) reply = session->take_with_messages(*reply);
  co_return reply;
}

// Until the server sends something, or the client or the server has waited long enough.
Task<void> wait_for_server(sim::Client& client, ClientSession* session, ClientRequest request) {
  const TimePoint own_end = session->own_end(request);
  bool heard = request.looks;
  if (!heard) {
    const TimePoint until = std::min(own_end, session->end_of_block());
    const auto message = co_await client.store(request.server).hear(*session->subscription, until);
    if (!message) {
      // The server was started anew, or replaced.
      const Words close{for_session("CLOSE"), session->mailbox(), "*"};
      session->lose_all_that_wait();
      co_await run_words(client, request.server, close, KeyList());
      co_return;
    }
    heard = message->heard;
  }
  if (heard) {
    const Words read{for_session("READ"), session->mailbox()};
    session->take_messages(request, co_await run_words(client, request.server, read, KeyList()));
    co_return;
  }
  const Words time_out = session->time_out();
  // Where the client's own limit ends at the same time, either may come first.
  const bool is_over = client.time().now() >= own_end;
  if (time_out.empty() || (is_over && client.choose(2) == 1)) {
    session->answer_sleep(request);
  } else {
    session->take_time_out(time_out,
                           co_await run_words(client, request.server, time_out, KeyList()));
  }
}

// False: another thread of the client has ended the sleep before.
Task<bool> sleep_for_client(sim::Client& client, ClientSession* session, ClientRequest request) {
  auto sleep = client.time().sleep_until(session->own_end(request));
  session->sleeps.add(request.from, sleep);
  co_await sleep;
  const bool is_over = session->sleeps.remove(request.from);
  if (is_over) session->answer_sleep(request);
  co_return is_over;
}

// False: nobody waits for this answer any longer.
Task<bool> give_answer(sim::Client& client, ClientSession* session, ClientRequest request) {
  bool is_given = true;
  switch (request.kind) {
    case ClientRequest::Kind::end:
      break;
    case ClientRequest::Kind::sleep:
      is_given = co_await sleep_for_client(client, session, request);
      break;
    case ClientRequest::Kind::wait:
      co_await wait_for_server(client, session, request);
      break;
    case ClientRequest::Kind::leave: {
      const std::string lock = request.subject;
      co_await client.leave(lock);
      session->answer(request, Value(std::int64_t{1}));
      break;
    }
    case ClientRequest::Kind::write: {
      const std::string resource = request.subject;
      const FencingToken fencing(request.fencing);
      const sim::WriteAnswer accepted = co_await client.write(resource, fencing);
      session->answer(request,
                      accepted.is_known() ? Value(std::int64_t{accepted ? 1 : 0}) : Value());
      break;
    }
    case ClientRequest::Kind::command: {
      const Reply reply = co_await run_request(client, session, request);
      session->answer(request, reply);
      break;
    }
  }
  co_return is_given;
}

// The client goes on after each answer. What its threads ask for at the same time are tasks.
Task<void> serve(sim::Client& client, ClientSession* session, std::vector<ClientRequest> requests) {
  while (!requests.empty() && requests.front().kind != ClientRequest::Kind::end) {
    for (std::size_t at = 1; at < requests.size(); ++at) {
      client.spawn("thread", serve(client, session, {requests[at]}));
    }
    const bool is_given = co_await give_answer(client, session, requests.front());
    if (!is_given) co_return;
    requests = session->next();
  }
}

Task<void> run_client(sim::Client& client, Host* host) {
  const auto session = std::make_unique<ClientSession>(*host, client);
  co_await serve(client, session.get(), session->next());
  if (session->has_threads()) co_await client.joined();
}

StartedClients::~StartedClients() {
  fork_server_.reset();
  if (fork_server_process_ > 0) end_process(fork_server_process_, kept_);
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  lives_.reset();
  if (remover_ > 0) ::waitpid(remover_, nullptr, 0);
}

// What clients load, into this folder. False: it has no room.
bool write_files(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directory(folder + "/interlock_adaptor", failed);
  for (const auto& [name, text] :
       {std::pair("/preload.so", preload_library()), std::pair("/python.py", python_server),
        std::pair("/interlock_adaptor/search.py", python_search),
        std::pair("/interlock_adaptor/clocks.py", python_clocks),
        std::pair("/interlock_adaptor/chance.py", python_chance),
        std::pair("/interlock_adaptor/threads.py", python_threads),
        std::pair("/node.cjs", node_adaptor)}) {
    std::ofstream file(folder + name, std::ios::binary);
    if (!(file << text).flush()) return false;
  }
  return true;
}

std::string StartedClients::begin() {
  // The path of a socket has 107 characters at most.
  constexpr std::size_t place_max = 60;
  const char* const place = std::getenv("TMPDIR");
  // LD_PRELOAD is a list whose parts end at these characters.
  const bool fits = place != nullptr && *place != '\0' && std::strlen(place) <= place_max &&
                    std::strpbrk(place, ": \t\n") == nullptr;
  folder_ = std::string(fits ? place : "/tmp") + "/interlock-XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) {
    const std::string failed = std::exchange(folder_, "");
    return "the folder " + failed + " cannot be made: " + std::strerror(errno);
  }
  remover_ = start_remover(folder_, lives_);
  if (remover_ > 0) kept_.push_back(remover_);
  if (!write_files(folder_)) return "no room in " + folder_;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return std::strerror(errno);
  output_ = File(pipe[0]);
  output_end_ = File(pipe[1]);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  // What outlives its parent is then found and ended.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const bool forks = is_python_file(command_);
  if (is_python(command_)) {
    notes().trusts.insert("the order of hashes is the same in all clients (PYTHONHASHSEED=0)");
  }
  if (is_java(command_)) {
    notes().trusts.insert("the order of Set.of and Map.of is the same in all clients");
    notes().trusts.insert("Random, ThreadLocalRandom and Math.random draw what the clock says");
  }
  if (forks) {
    notes().trusts.insert(
        "what is drawn and read while a client's modules are loaded is the same in all clients");
  }
  return forks ? begin_fork_server() : "";
}

StartOptions StartedClients::options() const {
  StartOptions options;
  options.command = command_;
  if (is_java(command_)) {
    // Compiled code would read the machine's clocks. The other two spare threads and a file.
    const Words flags = {"-Xint", "-XX:+UseSerialGC", "-XX:-UsePerfData"};
    options.command.insert(options.command.begin() + 1, flags.begin(), flags.end());
  }
  options.output = output_end_.get();
  options.variables = {{"LD_PRELOAD", folder_ + "/preload.so"},
                       {"PYTHONHASHSEED", "0"},
                       {"PYTHONDONTWRITEBYTECODE", "1"},
                       {"REDIS_HOST", "127.0.0.1"}};
  const char* const given = std::getenv("NODE_OPTIONS");
  options.variables.emplace_back(
      "NODE_OPTIONS",
      (given == nullptr ? "" : std::string(given) + " ") + "--require=" + folder_ + "/node.cjs");
  return options;
}

std::string StartedClients::begin_fork_server() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return std::strerror(errno);
  }
  fork_server_ = File(pair[0]);
  File other(pair[1]);
  StartOptions with = options();
  with.command.insert(with.command.begin() + 1, folder_ + "/python.py");
  with.descriptor3 = other.get();
  with.variables.emplace_back("INTERLOCK_CLOCKS", "adaptor");
  fork_server_process_ = start_process(with);
  if (fork_server_process_ == 0) return std::strerror(errno);
  kept_.push_back(fork_server_process_);
  // Our copy would keep the connection open after its end.
  other.reset();
  if (read_line() == "ready") return "";
  read_output();
  std::string why = notes().last_words;
  if (why.empty()) {
    // It stays, as a process that has ended, until end_process().
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(fork_server_process_), &info, WEXITED | WNOWAIT | WNOHANG);
    why = info.si_pid == 0 ? "it has not loaded within " + std::to_string(with_.patience.count()) +
                                 " s: raise --patience"
                           : "it has ended without a word";
  }
  return command_.front() + " " + command_[1] + " cannot be started: " + why;
}

// A line of the fork server. Empty: it has ended, or says nothing, or the search is to end.
std::string StartedClients::read_line() {
  std::string line;
  const auto until = std::chrono::steady_clock::now() + with_.patience;
  for (;;) {
    pollfd one{fork_server_.get(), POLLIN, 0};
    // Also 0 or less if a signal has come: Ctrl-C, say.
    if (::poll(&one, 1, static_cast<int>(asks_to_go_on_every.count())) <= 0) {
      if (std::chrono::steady_clock::now() > until || !may_go_on()) return "";
      continue;
    }
    char letter = 0;
    if (::read(fork_server_.get(), &letter, 1) != 1) return "";
    if (letter == '\n') return line;
    line += letter;
  }
}

bool StartedClients::may_go_on() {
  return !watcher() || watcher()(notes());
}

void StartedClients::go_on() {
  if (may_go_on()) return;
  notes().ended = true;
  throw std::runtime_error("the search was ended");
}

// The variables that tell a client where its servers are. Its URLs lead to socket files if it can
// take such, which are faster.
std::vector<std::pair<std::string, std::string>> addresses(const std::string& folder,
                                                           const std::vector<int>& ports,
                                                           bool takes_socket_urls) {
  std::vector<std::pair<std::string, std::string>> all{{"INTERLOCK_CONTROL", folder + "/control"}};
  std::string list;
  for (std::size_t server = 0; server < ports.size(); ++server) {
    const std::string port = std::to_string(ports[server]);
    const std::string socket = socket_path(folder, server);
    list += (list.empty() ? "" : ",") + port;
    const auto add = [&](const std::string& end) {
      all.emplace_back("REDIS_SOCKET" + end, socket);
      all.emplace_back("REDIS_PORT" + end, port);
      all.emplace_back("REDIS_URL" + end,
                       takes_socket_urls ? "unix://" + socket : "redis://127.0.0.1:" + port);
    };
    if (server == 0) add("");
    if (ports.size() > 1) add("_" + std::to_string(server + 1));
  }
  all.emplace_back("INTERLOCK_PORTS", list);
  return all;
}

Host::Started StartedClients::start(const std::string& folder, const std::vector<int>& ports) {
  go_on();
  read_output();
  written_ = 0;
  Started started;
  if (fork_server_.is_open()) {
    std::string line = "run";
    for (const auto& [name, value] : addresses(folder, ports, true))
      line += " " + name + "=" + value;
    line += "\n";
    if (::send(fork_server_.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) return started;
    started.process = detail::parse_number<pid_t>(read_line()).value_or(0);
    if (started.process == 0) go_on();
    return started;
  }
  StartOptions with = options();
  for (auto& one : addresses(folder, ports, false)) with.variables.push_back(std::move(one));
  // Its adaptor has clocks and chance of its own (clients/node.cjs).
  const std::string base = command_.front().substr(command_.front().rfind('/') + 1);
  if (base == "node" || base == "nodejs") {
    with.variables.emplace_back("INTERLOCK_CLOCKS", "adaptor");
    with.variables.emplace_back("INTERLOCK_CHANCE", "adaptor");
  }
  started.process = start_process(with);
  started.is_child = true;
  return started;
}

std::optional<int> StartedClients::status_of(const Started& ended) {
  if (!ended.is_child) {
    const std::string line = "status " + std::to_string(ended.process) + "\n";
    if (::send(fork_server_.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) return std::nullopt;
    return detail::parse_number<int>(read_line());
  }
  // It stays, as a process that has ended, until end_process().
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(ended.process), &info, WEXITED | WNOWAIT | WNOHANG) != 0 ||
      info.si_pid == 0) {
    return std::nullopt;
  }
  return info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
}

bool StartedClients::read_output() {
  std::array<char, 4096> bytes;
  for (;;) {
    const auto size = ::read(output_.get(), bytes.data(), bytes.size());
    if (size <= 0) return written_ <= output_max;
    written_ += static_cast<std::size_t>(size);
    std::string_view text(bytes.data(), static_cast<std::size_t>(size));
    while (text.ends_with('\n')) text.remove_suffix(1);
    constexpr std::size_t line_max = 200;
    const auto begin = text.rfind('\n');
    if (!text.empty()) {
      notes().last_words = text.substr(begin == std::string_view::npos ? 0 : begin + 1, line_max);
    }
    if (written_ > output_max) return false;
  }
}

sim::Program StartedClients::program() {
  return [this](sim::Client& client) { return run_client(client, this); };
}

}  // namespace

std::string entered(const std::string& lock) {
  return "entered " + lock;
}

Result<std::unique_ptr<Clients>> Clients::start(std::vector<std::string> command,
                                                const HarnessOptions& with) {
  auto clients = std::make_unique<StartedClients>(std::move(command), with);
  const std::string why = clients->begin();
  if (!why.empty()) return Error(Errc::unavailable, why);
  return std::unique_ptr<Clients>(std::move(clients));
}

const ClientReport& Clients::report() const {
  return notes();
}

void Clients::watch(std::function<bool(const ClientReport&)> proceed) {
  watcher() = std::move(proceed);
}

}  // namespace interlock::harness
