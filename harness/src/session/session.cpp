#include "session/session.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "interlock/detail/number.hpp"
#include "interlock/detail/sha1.hpp"
#include "server/notes.hpp"
#include "server/waiting.hpp"

namespace interlock::harness {
namespace {

constexpr std::size_t links_max = 64;
constexpr int requests_at_once_max = 100'000;

[[noreturn]] void end_search(const std::string& why) {
  notes().stop(why);
  throw std::runtime_error(notes().problem);
}

void check(bool works, const char* what) {
  if (!works) end_search(std::string(what) + ": " + std::strerror(errno));
}

File unix_listener(const std::string& path) {
  File file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const auto* const plain = reinterpret_cast<const sockaddr*>(&address);
  check(file.is_open() && ::bind(file.get(), plain, sizeof address) == 0 &&
            ::listen(file.get(), 128) == 0,
        "no socket for a client");
  return file;
}

File port_listener(int& number) {
  File file(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  check(file.is_open() && ::bind(file.get(), plain, size) == 0 && ::listen(file.get(), 128) == 0 &&
            ::getsockname(file.get(), plain, &size) == 0,
        "no port for a client");
  number = ntohs(address.sin_port);
  return file;
}

File accept_one(int listener, sockaddr_un* of = nullptr, socklen_t* size = nullptr) {
  auto* const plain = reinterpret_cast<sockaddr*>(of);
  return File(::accept4(listener, plain, size, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

// The name that a client's library gives to its end of a connection (preload/links.hpp).
std::string end_of_client(const sockaddr_un& address, socklen_t size) {
  if (address.sun_family == AF_INET) {
    return "p" + std::to_string(ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port));
  }
  constexpr std::size_t before_name = offsetof(sockaddr_un, sun_path) + 1;
  if (size <= before_name || address.sun_path[0] != '\0') return "";
  return "u" + std::string(address.sun_path + 1, size - before_name);
}

void check_count(std::size_t open) {
  if (open <= links_max) return;
  end_search("a client opens more than " + std::to_string(links_max) + " connections");
}

}  // namespace

void send_all(int descriptor, std::string_view bytes) {
  // A client that is gone reads nothing.
  [[maybe_unused]] const auto sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

ClientSession::ClientSession(Host& host, sim::Client& client) : host_(host), client_(client) {
  ++notes().runs;
  listen();
  std::vector<int> ports;
  for (const ServerSockets& server : servers_) ports.push_back(server.number);
  started_ = host_.start(folder_, ports);
  if (started_.process <= 0) {
    const std::string& words = notes().last_words;
    end_search("a client cannot be started: " + (words.empty() ? "nothing says why" : words));
  }
  if (started_.is_child) host_.kept().push_back(started_.process);
  process_ = File(static_cast<int>(::syscall(SYS_pidfd_open, started_.process, 0)));
  // Without a descriptor it has ended already.
  ended_ = !process_.is_open();
}

ClientSession::~ClientSession() {
  const linger at_once{1, 0};
  for (Link& link : links_) {
    // No port waits for a connection that nobody needs.
    ::setsockopt(link.file.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  if (started_.process > 0) {
    std::erase(host_.kept(), started_.process);
    end_process(started_.process, host_.kept());
  }
  links_.clear();
  questions_.clear();
  for (std::size_t server = 0; server < servers_.size(); ++server) {
    ::unlink(socket_path(folder_, server).c_str());
  }
  ::unlink((folder_ + "/control").c_str());
  ::rmdir(folder_.c_str());
}

void ClientSession::listen() {
  folder_ = host_.new_folder();
  check(::mkdir(folder_.c_str(), 0700) == 0, "no folder for a client");
  control_ = unix_listener(folder_ + "/control");
  for (std::size_t server = 0; server < host_.servers(); ++server) {
    ServerSockets& one = servers_.emplace_back();
    one.socket = unix_listener(socket_path(folder_, server));
    one.port = port_listener(one.number);
  }
}

std::vector<ClientRequest> ClientSession::next() {
  if (end_is_told_) return {};
  asked_ = heard_ = std::chrono::steady_clock::now();
  for (;;) {
    if (!notes().problem.empty()) end_search(notes().problem);
    if (threads_.were_several()) {
      if (auto requests = next_of_threads()) return std::move(*requests);
    } else if (auto request = next_of_one_thread()) {
      return {std::move(*request)};
    }
    if (ended_) return tell_end();
    wait_for_client();
  }
}

std::optional<ClientRequest> ClientSession::next_of_one_thread() {
  const bool quiet = is_quiet();
  if (quiet || !says_when_it_waits()) {
    if (auto request = take_request()) return request;
  }
  if (quiet) {
    if (auto request = take_question()) return request;
  }
  if (!ended_) return std::nullopt;
  pump(0);
  return take_request();
}

void ClientSession::wait_for_client() {
  const auto waited = std::chrono::steady_clock::now() - asked_;
  const auto left = std::chrono::duration_cast<milliseconds>(host_.patience() - waited);
  if (left.count() <= 0) {
    notes().ended = true;
    end_search("a client has asked for nothing for " + std::to_string(host_.patience().count()) +
               " s, neither a command nor a sleep, and has not ended");
  }
  pump(static_cast<int>(std::min(left, asks_to_go_on_every).count()));
  host_.go_on();
}

std::vector<ClientRequest> ClientSession::tell_end() {
  end_is_told_ = true;
  note_end();
  return {ClientRequest(ClientRequest::Kind::end)};
}

void ClientSession::note_end() {
  const int status = host_.status_of(started_).value_or(0);
  host_.read_output();
  if (status == 0) return;
  ++notes().failed_runs;
  if (requests_ > 0) return;
  const std::string how = WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                                            : "signal " + std::to_string(WTERMSIG(status));
  const std::string& words = notes().last_words;
  end_search("a client ended with " + how + " before its first request" +
             (words.empty() ? "" : ": " + words));
}

// --- sockets -------------------------------------------------------------------------------------

void ClientSession::pump(int timeout_ms) {
  std::vector<pollfd> some{{control_.get(), POLLIN, 0}, {host_.output(), POLLIN, 0}};
  for (const ServerSockets& server : servers_) {
    some.push_back({server.socket.get(), POLLIN, 0});
    some.push_back({server.port.get(), POLLIN, 0});
  }
  if (!ended_) some.push_back({process_.get(), POLLIN, 0});
  for (const Link& link : links_) some.push_back({link.file.get(), POLLIN, 0});
  for (const Question& question : questions_) some.push_back({question.file.get(), POLLIN, 0});
  if (::poll(some.data(), some.size(), timeout_ms) <= 0) return;
  heard_ = std::chrono::steady_clock::now();
  const auto is_ready = [&](int descriptor) {
    return std::any_of(some.begin(), some.end(),
                       [&](const pollfd& one) { return one.fd == descriptor && one.revents != 0; });
  };
  // The end first: what was sent before it is then there.
  if (!ended_ && is_ready(process_.get())) ended_ = true;
  if (is_ready(host_.output()) && !host_.read_output()) {
    end_search("a client writes more than a search keeps: send its output to a file");
  }
  for (std::size_t server = 0; server < servers_.size(); ++server) {
    accept_all(servers_[server].socket.get(), server, false);
    accept_all(servers_[server].port.get(), server, true);
  }
  for (Link& link : links_) receive(link);
  std::erase_if(links_, [](const Link& link) { return link.is_over(); });
  accept_questions();
  std::erase_if(questions_, [this](Question& question) { return !receive(question); });
}

void ClientSession::accept_all(int listener, std::size_t server, bool over_ip) {
  for (;;) {
    sockaddr_un address{};
    socklen_t size = sizeof address;
    File file = accept_one(listener, &address, &size);
    if (!file.is_open()) return;
    has_news_ = true;
    const int yes = 1;
    ::setsockopt(file.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    links_.emplace_back(std::move(file), ++numbers_, server, over_ip);
    links_.back().end = end_of_client(address, size);
    check_count(links_.size());
  }
}

void ClientSession::accept_questions() {
  for (File file = accept_one(control_.get()); file.is_open(); file = accept_one(control_.get())) {
    ucred peer{};
    socklen_t size = sizeof peer;
    ::getsockopt(file.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
    questions_.emplace_back(std::move(file), ++numbers_);
    questions_.back().process = peer.pid;
    check_count(questions_.size());
  }
}

void ClientSession::receive(Link& link) {
  std::array<char, 16384> bytes;
  while (link.file.is_open()) {
    const auto size = ::recv(link.file.get(), bytes.data(), bytes.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (size <= 0) {
      has_news_ = true;  // that this side is closed, too
      return link.file.reset();
    }
    link.reader.add(std::string_view(bytes.data(), static_cast<std::size_t>(size)));
    // The client may wait until this has arrived. Linux delays that message by 40 ms: tcp(7).
    const int yes = 1;
    if (link.over_ip) ::setsockopt(link.file.get(), IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes);
  }
}

// False: the question is over.
bool ClientSession::receive(Question& question) {
  std::array<char, 256> bytes;
  for (;;) {
    const auto size = ::recv(question.file.get(), bytes.data(), bytes.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (size <= 0) return false;
    question.text.append(bytes.data(), static_cast<std::size_t>(size));
    if (question.text.ends_with('\n')) {
      question.text.pop_back();
      question.read();
      answer_at_once(question);
    }
  }
}

bool ClientSession::has_requests() const {
  return std::any_of(links_.begin(), links_.end(),
                     [](const Link& link) { return link.has_request(); });
}

// Whether the client says when it waits for an answer. One that reads where its library does not
// see it, as by the input functions of the C library, never does. It is known by its silence after
// a request, and then for all runs, unless it does say so later.
bool ClientSession::says_when_it_waits() {
  static bool is_silent = false;
  constexpr auto long_enough = std::chrono::seconds(1);
  const bool waits = std::any_of(questions_.begin(), questions_.end(),
                                 [](const Question& question) { return question.is_for_redis(); });
  if (waits) {
    is_silent = false;
  } else if (has_requests() && std::chrono::steady_clock::now() - heard_ > long_enough) {
    is_silent = true;
  }
  return !is_silent;
}

// Whether the client waits: it has asked nothing since then but what is here.
bool ClientSession::is_quiet() {
  if (ended_) return true;
  const bool asks = std::any_of(questions_.begin(), questions_.end(),
                                [](const Question& question) { return !question.text.empty(); });
  if (!asks) return false;
  // It may have asked after pump() had looked at its connections.
  pump(0);
  check_that_one_process_asks();
  const bool over_ip =
      std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.over_ip; });
  if (over_ip && !has_requests()) pump(1);
  return true;
}

// Which of two processes asks first depends on the speed of the machine.
void ClientSession::check_that_one_process_asks() const {
  pid_t process = 0;
  for (const Question& question : questions_) {
    if (question.text.empty()) continue;
    if (process != 0 && question.process != process) {
      end_search(
          "a client has several processes that ask or wait at the same time, which is not "
          "modelled: let each wait for the end of the one before");
    }
    process = question.process;
  }
}

// --- requests ------------------------------------------------------------------------------------

// A client that was forked from a fork server needs no library: its adaptor has replaced the
// clocks.
void ClientSession::check_that_it_is_simulated() const {
  if (is_simulated_ || !started_.is_child) return;
  end_search(
      "the clocks and sleeps of a client cannot be simulated: its program loads no library by "
      "LD_PRELOAD, as static programs and those in Go do not: link it with the system's C library");
}

// In an order that does not depend on which of them was faster.
std::vector<Link*> ClientSession::links_in_order() {
  std::vector<Link*> all;
  for (Link& link : links_) all.push_back(&link);
  std::stable_sort(all.begin(), all.end(), [](const Link* one, const Link* other) {
    return std::pair(one->server, one->over_ip) < std::pair(other->server, other->over_ip);
  });
  return all;
}

// Answers what takes no step, up to a request that does.
void ClientSession::take_requests_of(Link& link, int& at_once) {
  while (!link.request && !link.is_in_flight && !link.is_blocked()) {
    const auto words = link.reader.next();
    if (!link.reader.broken().empty()) end_search("a client sends " + link.reader.broken());
    if (!words) return;
    check_that_it_is_simulated();
    ++requests_;
    ++notes().requests;
    link.request = handle(link, *words);
    if (!notes().problem.empty()) end_search(notes().problem);
    if (++at_once > requests_at_once_max) {
      end_search("a client asks without end for what takes no step");
    }
  }
}

std::optional<ClientRequest> ClientSession::take_request() {
  int at_once = 0;
  std::vector<Link*> asking;
  for (Link* const link : links_in_order()) {
    if (!link->file.is_open() && link->waits()) return close_waiting(*link);
    take_requests_of(*link, at_once);
    if (link->request) asking.push_back(link);
  }
  if (asking.empty()) {
    std::erase_if(links_, [](const Link& link) { return link.is_over(); });
    return std::nullopt;
  }
  if (asking.size() > 1) {
    notes().trusts.insert(
        "the answers to what a client has asked by several connections at once arrive in the order "
        "in which the servers have executed it");
  }
  // Each of them may come first. Before them, the client may get an answer that it waits for, or
  // look for messages.
  Question* const woken = question_that([](const Question& one) { return one.is_woken; });
  Question* const waits = question_that([](const Question& one) { return one.is_for_several(); });
  const bool may_go_on = woken != nullptr;
  const bool may_look = waits != nullptr && may_look_first();
  const std::size_t ways = asking.size() + (may_go_on ? 1 : 0) + (may_look ? 1 : 0);
  const std::size_t first = ways == 1 ? 0 : client_.choose(ways);
  if (first < asking.size()) return asking[first]->take();
  if (may_look && first == ways - 1) return look_first(*waits);
  take_news();
  reply_to(*woken, "look again\n");
  return std::nullopt;
}

void ClientSession::answer(const ClientRequest& request, const Reply& reply) {
  const auto link = std::find_if(links_.begin(), links_.end(),
                                 [&](const Link& one) { return one.number == request.from; });
  has_looked_ = false;
  if (link != links_.end()) link->is_in_flight = false;
  if (link == links_.end() || request.delivery == ClientRequest::ReplyDelivery::is_dropped) return;
  if (!reply && reply.error().code() != Errc::rejected) return lose(*link);
  if (request.delivery == ClientRequest::ReplyDelivery::may_come_later && reply &&
      reply->is_nil()) {
    link->blocked = {request.words.begin() + 3, request.words.end()};
    link->blocked.insert(link->blocked.begin(), plain_name(request.words[0]));
    const Duration time = time_to_block(link->blocked).value_or(Duration(0));
    link->blocked_until = time == Duration(0) ? TimePoint::max() : client_.time().now() + time;
    notes().sleeps = notes().sleeps || time != Duration(0);
    return;
  }
  if (request.delivery == ClientRequest::ReplyDelivery::confirms && reply)
    return confirm(*link, request);
  if (request.delivery == ClientRequest::ReplyDelivery::is_pong && reply) {
    return say(*link, encode_pong(*reply->text(), link->resp3));
  }
  say(*link, encode(reply, request.shape, link->resp3, request.queued));
}

// The connection is cut. What the client has sent behind its last request is lost, too.
void ClientSession::lose(Link& link) {
  has_news_ = true;
  link.file.reset();
  link.reader = RequestReader();
  link.request.reset();
  wake_those_who_wait_for(link);
}

void ClientSession::say(const Link& link, const std::string& bytes) {
  has_news_ = true;
  send_all(link.file.get(), bytes);
  wake_those_who_wait_for(link);
}

}  // namespace interlock::harness
