// What a client sends, request by request: what takes a step of the run, and what does not.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "interlock/detail/number.hpp"
#include "interlock/detail/sha1.hpp"
#include "server/notes.hpp"
#include "server/waiting.hpp"
#include "session/session.hpp"

namespace interlock::harness {
namespace {

constexpr std::string_view version = "7.0.15";

std::string hello(bool resp3, std::uint64_t id) {
  std::string text = resp3 ? "%7\r\n" : "*14\r\n";
  for (const auto& [name, value] :
       {std::pair("server", "redis"), std::pair("version", version.data()), std::pair("proto", ""),
        std::pair("id", ""), std::pair("mode", "standalone"), std::pair("role", "master"),
        std::pair("modules", "")}) {
    const std::string_view field = name;
    text += encode_text(field);
    if (field == "proto") {
      text += resp3 ? ":3\r\n" : ":2\r\n";
    } else if (field == "id") {
      text += ":" + std::to_string(id) + "\r\n";
    } else if (field == "modules") {
      text += "*0\r\n";
    } else {
      text += encode_text(value);
    }
  }
  return text;
}

std::string info() {
  return "# Server\r\nredis_version:" + std::string(version) +
         "\r\nredis_mode:standalone\r\ntcp_port:6379\r\n# Persistence\r\nloading:0\r\n"
         "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n# Cluster\r\ncluster_enabled:0\r\n";
}

// Version 2 of the protocol cannot tell an answer from a message. Empty: it is allowed.
std::string refused_while_subscribed(const Link& link, const std::string& name) {
  if (!link.is_subscribed() || link.resp3 || name.ends_with("SUBSCRIBE") || name == "PING")
    return {};
  if (name == "QUIT" || name == "RESET") return {};
  return "ERR Can't execute '" + in_small_letters(name) +
         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
         "context";
}

std::uint64_t fencing_in(const Words& words) {
  if (words.size() < 4) return 0;
  const auto token = detail::parse_number<std::uint64_t>(words[3]);
  if (token) return *token;
  notes().stop("INTERLOCK " + words[1] + " has the fencing token '" + words[3] +
               "', which is no number");
  return 0;
}

}  // namespace

std::optional<ClientRequest> ClientSession::handle(Link& link, const Words& words) {
  const std::string name = in_capitals(words.front());
  if (name == "INTERLOCK") return mark(link, words);
  if (name == "MULTI" || name == "EXEC" || name == "DISCARD" || name == "WATCH" ||
      name == "UNWATCH") {
    return transaction(link, name, words);
  }
  if (const auto refusal = refused_while_subscribed(link, name); !refusal.empty()) {
    say(link, encode_error(refusal));
    return std::nullopt;
  }
  if (name.ends_with("SUBSCRIBE") && !link.in_transaction) {
    if (name.starts_with('S') && name != "SUBSCRIBE")
      notes().stop("sharded channels are not modelled");
    return subscription_command(link, name, words);
  }
  if (name == "PING" && link.is_subscribed()) {
    // Messages that have come before it are answered before it.
    ClientRequest request = command_request(link, {"ECHO", words.size() > 1 ? words[1] : ""});
    request.delivery = ClientRequest::ReplyDelivery::is_pong;
    return request;
  }
  if (handle_at_once(link, name, words)) return std::nullopt;
  if (name.starts_with("EVAL")) return script(link, name, words);
  return command(link, words);
}

// Connections and what clients ask when they begin: no client can learn of another by it, so it
// takes no step.
bool ClientSession::handle_at_once(Link& link, const std::string& name, const Words& words) {
  const std::string second = words.size() > 1 ? in_capitals(words[1]) : "";
  std::string reply;
  if (name == "QUIT") {
    // Also inside a transaction. Nothing that was sent behind it is read.
    say(link, encode_status("OK"));
    link.file.reset();
    link.reader = RequestReader();
    return true;
  }
  if (link.in_transaction) return false;
  if (name == "PING") {
    reply = words.size() > 1 ? encode_text(words[1]) : encode_status("PONG");
  } else if (name == "HELLO") {
    if (words.size() > 1 && second != "2" && second != "3") {
      reply = encode_error("NOPROTO unsupported protocol version");
    } else {
      if (words.size() > 1) link.resp3 = second == "3";
      reply = hello(link.resp3, connection_id(link));
    }
  } else if (name == "AUTH" || name == "READWRITE") {
    reply = encode_status("OK");
  } else if (name == "SELECT") {
    if (second != "0") notes().stop("the database " + second + " is not modelled, only 0");
    reply = encode_status("OK");
  } else if (name == "COMMAND") {
    reply = "*0\r\n";
  } else if (name == "INFO") {
    reply = encode_text(info());
  } else if (name == "ROLE") {
    reply = "*3\r\n" + encode_text("master") + ":0\r\n*0\r\n";
  } else if (name == "CLIENT" && !second.empty()) {
    reply = client_subcommand(link, words);
  } else if (name == "CONFIG" && second == "GET") {
    reply = link.resp3 ? "%0\r\n" : "*0\r\n";
  } else if (name == "CLUSTER") {
    reply = encode_error("ERR This instance has cluster support disabled");
  } else if (name == "SCRIPT") {
    reply = script_cache(link, words, second);
  } else {
    return false;
  }
  say(link, reply);
  return true;
}

// The reply to a subcommand of CLIENT.
std::string ClientSession::client_subcommand(const Link& link, const Words& words) {
  const std::string what = in_capitals(words[1]);
  if (what == "SETNAME" || what == "NO-EVICT") return encode_status("OK");
  if (what == "GETNAME") return link.resp3 ? "_\r\n" : "$-1\r\n";
  if (what == "ID") {
    notes().stop("the command CLIENT ID is not modelled: let the client take INTERLOCK TOKEN");
  }
  static constexpr std::array others{"CACHING",  "GETREDIR", "HELP",    "INFO",
                                     "KILL",     "LIST",     "PAUSE",   "REPLY",
                                     "TRACKING", "UNBLOCK",  "UNPAUSE", "TRACKINGINFO"};
  if (std::find(others.begin(), others.end(), what) != others.end()) {
    notes().stop("the command CLIENT " + what + " is not modelled");
  }
  // Client libraries try what later versions have, and go on without it.
  return encode_error("ERR unknown subcommand '" + words[1] + "'. Try CLIENT HELP.");
}

// Another in each client, so that a client which uses it is seen not to be identical.
std::uint64_t ClientSession::connection_id(Link& link) {
  constexpr std::size_t digits = 12;
  constexpr int base = 16;
  if (link.id == 0) {
    const std::string hash = detail::sha1_hex(client_.tokens().fresh().text());
    link.id = std::stoull(hash.substr(0, digits), nullptr, base);
  }
  return link.id;
}

// Each client finds the scripts that it has loaded itself. That another client had loaded one
// before would only spare it this loading, which takes no step.
std::string ClientSession::script_cache(const Link& link,
                                        const Words& words,
                                        const std::string& second) {
  if (second == "LOAD" && words.size() == 3) {
    const std::string hash = detail::sha1_hex(words[2]);
    scripts_[{link.server, hash}] = words[2];
    return encode_text(hash);
  }
  if (second == "EXISTS") {
    std::string reply = "*" + std::to_string(words.size() - 2) + "\r\n";
    for (std::size_t at = 2; at < words.size(); ++at) {
      reply += scripts_.contains({link.server, words[at]}) ? ":1\r\n" : ":0\r\n";
    }
    return reply;
  }
  notes().stop("the command SCRIPT " + second + " is not modelled");
  return encode_error("ERR not modelled");
}

std::optional<ClientRequest> ClientSession::script(Link& link,
                                                   const std::string& name,
                                                   const Words& words) {
  if (words.size() < 3) {
    say(link, encode_error(wrong_number(words)));
    return std::nullopt;
  }
  Words whole = words;
  whole[0] = name.ends_with("_RO") ? "EVAL_RO" : "EVAL";
  if (name == "EVALSHA" || name == "EVALSHA_RO") {
    const auto known = scripts_.find({link.server, in_small_letters(words[1])});
    if (known == scripts_.end()) {
      say(link, encode_error("NOSCRIPT No matching script. Please use EVAL."));
      return std::nullopt;
    }
    notes().trusts.insert("a script that a client has loaded stays in the server's cache");
    whole[1] = known->second;
  } else if (name == "EVAL" || name == "EVAL_RO") {
    scripts_[{link.server, detail::sha1_hex(words[1])}] = words[1];
  } else {
    notes().stop("the command " + name + " is not modelled");
    return std::nullopt;
  }
  return command(link, whole);
}

std::optional<ClientRequest> ClientSession::command(Link& link, const Words& words) {
  const std::string name = in_capitals(words.front());
  const ServerCommand* const known = find_command(name);
  if (known == nullptr || is_for_session(name)) {
    notes().stop("the command " + name + " is not modelled" +
                 (link.in_transaction ? " inside MULTI" : ""));
    return std::nullopt;
  }
  if (!has_right_size(*known, words)) {
    link.spoilt = link.in_transaction;
    say(link, encode_error(wrong_number(words)));
    return std::nullopt;
  }
  if (link.in_transaction) {
    link.queued.push_back(words);
    say(link, encode_status("QUEUED"));
    return std::nullopt;
  }
  ClientRequest request = command_request(link, words);
  request.keys = changed_keys(words);
  if (may_block(name)) {
    note_mailbox(link);
    request.words.insert(request.words.begin() + 1, {mailbox_, link.name});
    request.words[0] = for_session(name);
    request.delivery = ClientRequest::ReplyDelivery::may_come_later;
    request.needs_mailbox = true;
  }
  return request;
}

ClientRequest ClientSession::command_request(const Link& link, Words words) {
  ClientRequest request(ClientRequest::Kind::command);
  request.shape = shape_of(words);
  request.server = link.server;
  request.words = std::move(words);
  request.from = link.number;
  request.with_messages = link.is_subscribed();
  return request;
}

// The keys that a command may change: the search asks for them.
std::vector<Key> ClientSession::changed_keys(const Words& words) {
  const ServerCommand* const known = find_command(in_capitals(words.front()));
  if (known == nullptr || !known->writes) return {};
  if (known->name != "EVAL") return keys_of(*known, words);
  const auto count = whole_number(words[2]);
  std::vector<Key> keys;
  for (std::size_t at = 3; count && at < words.size() && static_cast<std::int64_t>(at) < *count + 3;
       ++at) {
    keys.emplace_back(words[at]);
  }
  return keys;
}

std::optional<ClientRequest> ClientSession::transaction(Link& link,
                                                        const std::string& name,
                                                        const Words& words) {
  const auto refuse_it = [&](std::string_view why) {
    say(link, encode_error(why));
    return std::nullopt;
  };
  if (name == "MULTI") {
    if (link.in_transaction) return refuse_it("ERR MULTI calls can not be nested");
    link.in_transaction = true;
    say(link, encode_status("OK"));
    return std::nullopt;
  }
  if (name == "WATCH") {
    if (link.in_transaction) return refuse_it("ERR WATCH inside MULTI is not allowed");
    if (words.size() < 2) return refuse_it(wrong_number(words));
    if (link.watcher.empty()) link.watcher = client_.tokens().fresh().text();
    Words whole = words;
    whole.push_back(link.watcher);
    link.watched.insert(link.watched.end(), words.begin() + 1, words.end());
    return command_request(link, whole);
  }
  if (name == "EXEC") return exec(link);
  if (name == "DISCARD" && !link.in_transaction) return refuse_it("ERR DISCARD without MULTI");
  if (name == "UNWATCH" && link.in_transaction) {
    link.queued.push_back({"ECHO", "OK"});
    say(link, encode_status("QUEUED"));
    return std::nullopt;
  }
  link.in_transaction = false;
  link.spoilt = false;
  link.queued.clear();
  Words whole{"UNWATCH"};
  whole.insert(whole.end(), link.watched.begin(), link.watched.end());
  whole.push_back(link.watcher);
  if (std::exchange(link.watched, {}).empty()) {
    say(link, encode_status("OK"));
    return std::nullopt;
  }
  return command_request(link, whole);
}

std::optional<ClientRequest> ClientSession::exec(Link& link) {
  if (!link.in_transaction) {
    say(link, encode_error("ERR EXEC without MULTI"));
    return std::nullopt;
  }
  link.in_transaction = false;
  const bool spoilt = std::exchange(link.spoilt, false);
  std::vector<Words> queued = std::exchange(link.queued, {});
  const Words watched = std::exchange(link.watched, {});
  if (spoilt) {
    if (!watched.empty()) {
      notes().stop("a transaction that watches keys is refused by EXEC, which is not modelled");
    }
    say(link, encode_error("EXECABORT Transaction discarded because of previous errors."));
    return std::nullopt;
  }
  if (queued.empty() && watched.empty()) {
    say(link, "*0\r\n");
    return std::nullopt;
  }
  Words whole{"EXEC", link.watcher, std::to_string(watched.size())};
  whole.insert(whole.end(), watched.begin(), watched.end());
  std::vector<Key> keys;
  for (const Words& one : queued) {
    whole.push_back(std::to_string(one.size()));
    whole.insert(whole.end(), one.begin(), one.end());
    for (Key& key : changed_keys(one)) keys.push_back(std::move(key));
  }
  ClientRequest request = command_request(link, whole);
  request.shape = Shape::null_list;
  request.keys = std::move(keys);
  request.queued = std::move(queued);
  return request;
}

// What a client reports of itself.
std::optional<ClientRequest> ClientSession::mark(Link& link, const Words& words) {
  const std::string what = words.size() > 1 ? in_capitals(words[1]) : "";
  if (link.in_transaction) {
    notes().stop("INTERLOCK " + what + " is not modelled inside MULTI: report before or after it");
    return std::nullopt;
  }
  if (what == "TOKEN") {
    say(link, encode_text(fresh_token()));
    return std::nullopt;
  }
  if (words.size() < 3) {
    notes().stop("INTERLOCK " + what +
                 " needs a name: ENTER, LEAVE, WRITE, WANTS, GIVES-UP, "
                 "REACH, NEVER");
    return std::nullopt;
  }
  const std::string& subject = words[2];
  const std::uint64_t fencing = fencing_in(words);
  if (what == "LEAVE" || what == "WRITE") {
    ClientRequest request(what == "LEAVE" ? ClientRequest::Kind::leave
                                          : ClientRequest::Kind::write);
    request.subject = subject;
    request.fencing = fencing;
    request.server = link.server;
    request.from = link.number;
    if (what == "WRITE") {
      notes().resources.insert(subject);
      if (words.size() > 3) notes().checking.insert(subject);
    }
    return request;
  }
  if (what == "ENTER") {
    notes().locks.insert(subject);
    client_.enter(subject, FencingToken(fencing));
    client_.reach(entered(subject));
  } else if (what == "WANTS") {
    notes().wanted.insert(subject);
    client_.wants(subject);
  } else if (what == "GIVES-UP") {
    client_.gives_up(subject);
  } else if (what == "REACH") {
    notes().goals.insert(subject);
    client_.reach(subject);
  } else if (what == "NEVER") {
    notes().forbidden.insert(subject);
    client_.reach(subject);
  } else {
    notes().stop("INTERLOCK " + what +
                 " is unknown: write ENTER, LEAVE, WRITE, WANTS, GIVES-UP, "
                 "REACH, NEVER or TOKEN");
  }
  say(link, encode_status("OK"));
  return std::nullopt;
}

}  // namespace interlock::harness
