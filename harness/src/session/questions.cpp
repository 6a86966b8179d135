// What a client's library asks (preload/): its clocks and its chance, which are answered at once,
// and its sleeps and waits.
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "interlock/detail/number.hpp"
#include "interlock/detail/sha1.hpp"
#include "server/notes.hpp"
#include "session/session.hpp"

namespace interlock::harness {
namespace {

std::int64_t nanoseconds(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

// Bytes that follow from a token of the client, in hexadecimal digits.
std::string random_digits(const std::string& token, std::size_t bytes) {
  std::string digits;
  for (std::size_t part = 0; digits.size() < 2 * bytes; ++part) {
    digits += detail::sha1_hex(token + " " + std::to_string(part));
  }
  return digits.substr(0, 2 * bytes);
}

}  // namespace

// How long a sleep or a wait lasts: `S LENGTH`, `P LENGTH ...`.
Duration ClientSession::Question::length() const {
  const std::string digits = text.substr(2, text.find(' ', 2) - 2);
  const auto length = detail::parse_number<std::int64_t>(digits).value_or(0);
  return std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(length));
}

// ` one END` behind a wait names the connection that it is for, ` @N` the thread, if it is not the
// main one.
void ClientSession::Question::read() {
  if (text.starts_with("X ")) return;
  if (const auto at = text.rfind(" @"); at != std::string::npos) {
    thread = detail::parse_number<int>(text.substr(at + 2)).value_or(1);
    text.resize(at);
  }
  constexpr std::string_view one = " one ";
  if (const auto at = text.find(one); at != std::string::npos) {
    link_end = text.substr(at + one.size());
    text.resize(at + one.size() - 1);
  }
}

void ClientSession::answer_at_once(Question& question) {
  const char what = question.text.empty() ? ' ' : question.text.front();
  const std::string rest = question.text.size() > 2 ? question.text.substr(2) : "";
  std::string answer;
  if (what == 'T') {
    answer = std::to_string(nanoseconds(client_.time().now()));
  } else if (what == 'N') {
    answer = std::to_string(nanoseconds(client_.wall_clock().now()));
  } else if (what == 'U') {
    answer = fresh_token();
  } else if (what == 'D') {
    // Bytes that stand for a token: no renaming can follow them.
    note_random_bytes();
    answer = random_digits(rest, 16);
  } else if (what == 'R') {
    note_random_bytes();
    const std::size_t size = detail::parse_number<std::size_t>(rest).value_or(1);
    answer = random_digits(client_.tokens().fresh().text(), std::min<std::size_t>(size, 64));
  } else if (what == 'H') {
    notes().trusts.insert(
        "threads of a client besides its main one neither ask Redis nor wait for it");
    answer = "ok";
  } else if (what == 'L') {
    is_simulated_ = true;
    answer = "ok";
  } else if (what == 'X') {
    notes().stop("a client " + rest);
    answer = "ok";
  } else if (answer_thread(what, rest)) {
    answer = "ok";
  } else {
    return;  // the client waits
  }
  question.text.clear();
  send_all(question.file.get(), answer + "\n");
}

void ClientSession::note_random_bytes() {
  notes().tells_clients_apart = true;
  notes().trusts.insert("random bytes: only one draw for each client was searched");
}

std::string ClientSession::fresh_token() {
  notes().trusts.insert(
      "the tokens that clients draw all differ, whatever their length, and clients use them whole, "
      "or their first 8 characters or more");
  return client_.tokens().fresh().text();
}

// Whether something was sent to the client since it was last told to look again. The client may
// have looked before that arrived, and whether it did depends on the speed of the machine. So this
// waits until all has arrived.
bool ClientSession::take_news() {
  if (!std::exchange(has_news_, false)) return false;
  constexpr auto within = std::chrono::seconds(1);
  const auto until = std::chrono::steady_clock::now() + within;
  for (const Link& link : links_) {
    int unread = 0;
    while (link.over_ip && ::ioctl(link.file.get(), SIOCOUTQ, &unread) == 0 && unread > 0 &&
           std::chrono::steady_clock::now() < until) {
      ::usleep(50);
    }
  }
  return true;
}

std::optional<ClientRequest> ClientSession::take_question() {
  // What was sent before a question is answered first; the client then looks again.
  if (has_requests()) return std::nullopt;
  for (Question& question : questions_) {
    if (question.text.empty()) continue;
    if (question.text.starts_with("K ")) return take_lock_wait(question);
    if (!question.text.starts_with("S ")) return take_wait(question);
    return take_sleep(question, question.length());
  }
  return std::nullopt;
}

ClientRequest ClientSession::take_sleep(Question& question, Duration length) {
  notes().sleeps = true;
  ClientRequest request(ClientRequest::Kind::sleep);
  request.duration = length;
  request.from = question.number;
  question.is_asleep = true;
  return request;
}

// A wait for input: `P` for so many nanoseconds at most, `W` without a limit, `Q` only a look at
// what is there. `one` or `several` behind it: it is for so many connections to Redis.
std::optional<ClientRequest> ClientSession::take_wait(Question& question) {
  const char what = question.text.front();
  if (take_news()) {
    reply_to(question, "look again\n");
    return std::nullopt;
  }
  if (expects_messages()) {
    if (what == 'Q') note_look();
    // What was sent to this client may still be on its way.
    if (what == 'Q' && client_.choose(2) == 1) {
      reply_to(question, "nothing\n");
      return std::nullopt;
    }
    ClientRequest request(ClientRequest::Kind::wait);
    request.server = mailbox_server_;
    if (what == 'P') request.duration = question.length();
    request.looks = what == 'Q';
    request.from = question.number;
    notes().sleeps = notes().sleeps || what == 'P';
    return request;
  }
  if (what == 'P') return take_sleep(question, question.length());
  reply_to(question, what == 'W' ? "io\n" : "nothing\n");
  return std::nullopt;
}

// Each look may find a message or none, so a client that looks in a loop has runs without end.
void ClientSession::note_look() {
  constexpr int looks_max = 100;
  if (++looks_ <= looks_max) return;
  notes().stop("a client looks for messages more than " + std::to_string(looks_max) +
               " times without waiting: let it wait for one, with a limit or without");
}

void ClientSession::reply_to(Question& question, const char* answer) {
  question.text.clear();
  send_all(question.file.get(), answer);
}

void ClientSession::answer_sleep(const ClientRequest& request) {
  for (Question& question : questions_) {
    if (question.number != request.from) continue;
    reply_to(question, question.text.starts_with("K ") ? "late\n" : "ok\n");
  }
}

}  // namespace interlock::harness
