// Which store is meant, and a way to it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "failure.hpp"
#include "flags.hpp"
#include "interlock/backend.hpp"

namespace interlock::cli {

class Store {
 public:
  // Null, when chosen to look only: a file that is not there. No lock is held in it.
  std::shared_ptr<Backend> backend;
  std::string description;
  std::string shared_by;  // `all users of this machine`; empty if there is no file yet
};

enum class Purpose {
  use,
  look,  // creates nothing
};

// `sqlite:PATH` (default: a file that all users of the machine share),
// `redis://[user:pass@]host:port/db`, `redis+unix:///path`, `memory:` (a store of this process
// alone, for tests). Opens a file; contacts no server yet.
Outcome<Store> choose_store(const std::optional<Given>& url, Purpose purpose = Purpose::use);

// For the help of each subcommand that has --store.
void add_store_flag(Flags& flags, std::optional<Given>* url);

// The names of the kinds that this program was built with.
std::string store_kinds();

// The URL without its password, for messages.
std::string without_password(const std::string& url);

// A store's error as this program reports it: 69, 77 or 78. `what` begins the message.
Failure store_failure(const std::string& what, const Error& error, const Store& store);

}  // namespace interlock::cli
