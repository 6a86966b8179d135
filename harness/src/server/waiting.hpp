// Clients that wait at the server: a command has blocked them, or they have subscribed to channels.
//
// What the server has for a client is kept in a record until the client reads it; a message to the
// client's mailbox wakes it up. A mailbox is the name of a client, and a link that of one of its
// connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/store/value.hpp"
#include "interlock/vocabulary.hpp"
#include "server/database.hpp"

namespace interlock::harness {

// Commands of the session alone have a name in brackets; no client can send one.
//   (BLPOP) mailbox link word ...     BLPOP, BRPOP, BLMOVE ...: nil means that the client is
//   blocked (TIMEOUT) mailbox link            the client is blocked no longer; 0: it was not (READ)
//   mailbox                    the links that still wait, as one text; then a text for each
//                                     answer and message: reply, link ... or message, link ...
//   (WITH) mailbox word ...           a command of a subscriber, after which it reads: what (READ)
//                                     answers, 1 for a reply or 0 for an error, and this
//   (SUBSCRIBE) mailbox link name ... likewise PSUBSCRIBE, UNSUBSCRIBE, PUNSUBSCRIBE
//   (CLOSE) mailbox link              this connection, or all of the client (`*`), waits no longer
inline std::string for_session(const std::string& name) {
  return "(" + name + ")";
}
bool is_for_session(std::string_view name);
// The command that the client sent: BLPOP of (BLPOP), and of (WITH) mailbox BLPOP.
std::string name_for_client(const Words& words);
// BLPOP of (BLPOP).
inline std::string plain_name(const std::string& name) {
  return name.substr(1, name.size() - 2);
}

// Whether the command may block its client.
bool may_block(std::string_view name);

// For how long, by its last word; zero: for ever. An error is the reply.
Result<Duration> time_to_block(const Words& words);

// Gives what the command before has made ready to the clients that wait for it, the one that has
// waited longest first.
void serve_blocked(TypedKeys& database);

// The reply that such a record stands for: reply, link, form, parts.
Reply recorded_reply(const Words& record);

// Returns how many subscriptions got the message.
std::int64_t publish(TypedKeys& database, const std::string& channel, const std::string& message);

// Puts what the server has for a client where it finds it.
void send_to(TypedKeys& database, const std::string& mailbox, const Words& what);

// Where the records are.
inline constexpr const char* blocked_records = "(blocked clients)";
inline constexpr const char* subscription_records = "(subscriptions)";
inline constexpr const char* sent_records = "(sent to clients)";

}  // namespace interlock::harness
