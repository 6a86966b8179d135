// The commands that the simulated Redis knows. What is not in this table ends the search.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/store/keyspace.hpp"
#include "interlock/store/value.hpp"
#include "server/database.hpp"

namespace interlock::harness {

// How a reply is written on the wire where that does not follow from its value.
enum class Shape : std::uint8_t {
  plain,      // number, text, list, nil
  status,     // a text is a status, as +OK
  map,        // a list of pairs
  set,        // a list without an order
  number,     // a text is a floating point number
  scored,     // a list of members and scores in turn
  popped,     // a member and its score; the member's key may be before it
  tagged,     // texts begin with a mark: see tagged_text()
  null_list,  // a nil is a list that is not there
};

class ServerCommand {
 public:
  using Run = Reply (*)(TypedKeys& database, const Words& words);

  std::string_view name;
  int words;      // how many, the name included; below 0: at least that many
  bool writes;    // may change a key
  int first_key;  // 0: none
  int last_key;   // below 0: counted from the end
  int key_step;
  Shape shape;
  Run run;
};

// Null: there is none of this name, which is in capitals.
const ServerCommand* find_command(std::string_view name);

std::string in_capitals(std::string_view word);
std::string in_small_letters(std::string_view word);

// Whether a command may have so many words.
bool has_right_size(const ServerCommand& command, const Words& words);
// What Redis says of one that has too few or too many.
std::string wrong_number(const Words& words);

// The keys of a command that has enough words.
std::vector<Key> keys_of(const ServerCommand& command, const Words& words);

// Executes any command of the table. An error is `rejected`, with the text that Redis sends.
Reply execute(TypedKeys& database, const Words& words);
// Executes what a client has sent, and then lets the blocked clients go on that it serves.
Reply execute_and_serve(TypedKeys& database, const Words& words);

// How the reply to this command is written; it may depend on its options.
Shape shape_of(const Words& words);

Reply refuse(std::string text);
Reply wrong_type();
Reply syntax_error();
Reply not_a_number();
Value ok();
Value number(std::int64_t value);
Value text(std::string value);

// A whole number as Redis reads one: no sign `+`, no space, no leading zero.
std::optional<std::int64_t> whole_number(const std::string& word);

// Replies of scripts and transactions may nest statuses and errors, which a Value has not. There
// each text has a mark before it if it is a status (`+`), an error (`-`) or a fraction (`,`), or
// would be taken for one (`\`).
std::string tagged_status(const std::string& status);
std::string tagged_error(const std::string& error);
std::string tagged_text(const std::string& text);
std::string tagged_double(const std::string& number);

// The commands, by what they work on.
const std::vector<ServerCommand>& string_commands();
const std::vector<ServerCommand>& key_commands();
const std::vector<ServerCommand>& list_commands();
const std::vector<ServerCommand>& hash_commands();
const std::vector<ServerCommand>& set_commands();
const std::vector<ServerCommand>& sorted_set_commands();
const std::vector<ServerCommand>& blocking_commands();
const std::vector<ServerCommand>& subscription_commands();
const std::vector<ServerCommand>& server_commands();

}  // namespace interlock::harness
