// What a server sends unasked: answers to commands that have blocked their client, and messages.
#include <algorithm>

#include "server/notes.hpp"
#include "server/waiting.hpp"
#include "session/session.hpp"

namespace interlock::harness {
namespace {

// Messages have a form of their own in version 3 of the protocol.
std::string encode_push(const Words& words, bool resp3) {
  std::string bytes = (resp3 ? ">" : "*") + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) bytes += encode_text(word);
  return bytes;
}

// The answer `subscribe`, `psubscribe` ... for one name; null: there was none.
std::string encode_confirmation(const std::string& what,
                                const std::string* name,
                                std::size_t count,
                                bool resp3) {
  const std::string none = resp3 ? "_\r\n" : "$-1\r\n";
  return (resp3 ? ">3\r\n" : "*3\r\n") + encode_text(what) +
         (name == nullptr ? none : encode_text(*name)) + ":" + std::to_string(count) + "\r\n";
}

}  // namespace

bool ClientSession::expects_messages() const {
  return std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.waits(); });
}

void ClientSession::note_mailbox(Link& link) {
  if (mailbox_.empty()) {
    mailbox_ = client_.tokens().fresh().text();
    mailbox_server_ = link.server;
  }
  if (mailbox_server_ != link.server) {
    notes().stop("a client that waits for messages of two servers is not modelled");
  }
  if (threads_.were_several()) {
    notes().stop(
        "a client that has started a thread subscribes, or sends a command that may block, "
        "which is not modelled");
  }
  if (link.name.empty()) link.name = std::to_string(++named_links_);
}

// --- subscriptions -------------------------------------------------------------------------------

std::optional<ClientRequest> ClientSession::subscription_command(Link& link,
                                                                 const std::string& name,
                                                                 const Words& words) {
  const bool begins = name == "SUBSCRIBE" || name == "PSUBSCRIBE";
  if (begins && words.size() < 2) {
    say(link, encode_error(wrong_number(words)));
    return std::nullopt;
  }
  ClientRequest request(ClientRequest::Kind::command);
  request.server = link.server;
  request.from = link.number;
  request.delivery = ClientRequest::ReplyDelivery::confirms;
  request.needs_mailbox = begins;
  request.with_messages = link.is_subscribed();
  Words names(words.begin() + 1, words.end());
  const Words& all = name.starts_with('P') ? link.patterns : link.channels;
  if (names.empty()) names = all;
  if (begins) note_mailbox(link);
  request.words = {for_session(name), mailbox_, link.name};
  request.words.insert(request.words.end(), names.begin(), names.end());
  if (begins || (!names.empty() && !all.empty())) return request;
  confirm(link, request);
  return std::nullopt;
}

void ClientSession::confirm(Link& link, const ClientRequest& request) {
  const std::string name = plain_name(request.words[0]);
  const std::string what = in_small_letters(name);
  Words& all = name.starts_with('P') ? link.patterns : link.channels;
  const auto count = [&link] { return link.channels.size() + link.patterns.size(); };
  std::string bytes;
  for (std::size_t at = 3; at < request.words.size(); ++at) {
    const std::string& one = request.words[at];
    std::erase(all, one);
    if (!what.ends_with("unsubscribe")) all.push_back(one);
    bytes += encode_confirmation(what, &one, count(), link.resp3);
  }
  if (bytes.empty()) bytes = encode_confirmation(what, nullptr, count(), link.resp3);
  say(link, bytes);
}

// The client has closed a connection on which it waited.
std::optional<ClientRequest> ClientSession::close_waiting(Link& link) {
  ClientRequest request(ClientRequest::Kind::command);
  request.server = link.server;
  request.delivery = ClientRequest::ReplyDelivery::is_dropped;
  request.words = {for_session("CLOSE"), mailbox_, link.name};
  link.blocked.clear();
  link.channels.clear();
  link.patterns.clear();
  return request;
}

// --- waits ---------------------------------------------------------------------------------------

TimePoint ClientSession::own_end(const ClientRequest& wait) const {
  constexpr auto for_ever = std::chrono::hours(24 * 365 * 50);
  const bool ends = wait.duration && *wait.duration < for_ever;
  return ends ? client_.time().now() + *wait.duration : TimePoint::max();
}

TimePoint ClientSession::end_of_block() const {
  TimePoint until = TimePoint::max();
  for (const Link& link : links_) {
    if (link.is_blocked()) until = std::min(until, link.blocked_until);
  }
  return until;
}

Words ClientSession::time_out() const {
  for (const Link& link : links_) {
    if (link.is_blocked() && link.blocked_until <= client_.time().now()) {
      return {for_session("TIMEOUT"), mailbox_, link.name};
    }
  }
  return {};
}

void ClientSession::take_time_out(const Words& words, const Reply& reply) {
  for (Link& link : links_) {
    if (!link.is_blocked() || link.name != words[2]) continue;
    if (!reply) {
      lose(link);
    } else if (*reply == number(1)) {
      end_block(link, link.resp3 ? "_\r\n" : "*-1\r\n");
    }  // else its answer is in the mailbox
  }
}

void ClientSession::end_block(Link& link, const std::string& bytes) {
  link.blocked.clear();
  say(link, bytes);
}

// A record: reply or message, link ...
void ClientSession::take_message(const Words& message) {
  for (Link& link : links_) {
    if (link.name != message[1] || !link.file.is_open()) continue;
    if (message[0] == "reply") {
      if (!link.is_blocked()) continue;
      end_block(link, encode(recorded_reply(message), shape_of(link.blocked), link.resp3));
    } else {
      Words words = message;
      words.erase(words.begin() + 1);
      say(link, encode_push(words, link.resp3));
    }
  }
}

// Gives the client what (READ) has answered. Returns the connections that still wait.
Words ClientSession::deliver(const Value& messages) {
  const std::vector<Value>& all = *messages.list();
  for (std::size_t at = 1; at < all.size(); ++at) take_message(split(*all[at].text()));
  return split(*all.front().text());
}

Reply ClientSession::take_with_messages(const Value& reply) {
  const std::vector<Value>& parts = *reply.list();
  deliver(parts[0]);
  if (parts[1] == number(1)) return parts[2];
  return refuse(*parts[2].text());
}

void ClientSession::lose_all_that_wait() {
  subscription.reset();
  for (Link& link : links_) {
    if (!link.waits()) continue;
    link.blocked.clear();
    link.channels.clear();
    link.patterns.clear();
    lose(link);
  }
}

void ClientSession::take_messages(const ClientRequest& wait, const Reply& reply) {
  const Words waiting = reply && reply->list() != nullptr ? deliver(*reply) : Words();
  for (Link& link : links_) {
    const bool known = std::find(waiting.begin(), waiting.end(), link.name) != waiting.end();
    // The server has ended meanwhile, and has forgotten who waits; or its answer is lost.
    if (link.waits() && !known) lose(link);
  }
  if (!wait.looks) return;
  for (Question& question : questions_) {
    if (question.number != wait.from) continue;
    if (take_news()) {
      reply_to(question, "look again\n");
    } else if (question.text.starts_with('Q')) {
      reply_to(question, "nothing\n");
    }
  }
}

// A client that waits for several connections gets a message before the answer to what it has
// asked, or after it.
bool ClientSession::may_look_first() const {
  return !has_looked_ && expects_messages();
}

ClientRequest ClientSession::look_first(const Question& question) {
  has_looked_ = true;
  ClientRequest request(ClientRequest::Kind::wait);
  request.server = mailbox_server_;
  request.looks = true;
  request.from = question.number;
  return request;
}

}  // namespace interlock::harness
