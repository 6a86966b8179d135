// The store that the user means, and how to open it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "console/failure.hpp"
#include "console/flags.hpp"
#include "interlock/store/backend.hpp"

namespace interlock::cli {

class Store {
 public:
  // Null, with Purpose::look: the file does not exist, so no lock is held in it.
  std::shared_ptr<Backend> backend;
  std::string description;
  // The flag by which this store was named, as another command takes it: `--store-file F `. Empty
  // if it needs none, or none that may be shown.
  std::string flag;
  // `all users of this machine`; empty if there is no file yet. Looks users up, which takes longer
  // than to open the store.
  std::function<std::string()> shared_by = [] { return std::string(); };
};

enum class Purpose {
  use,
  look,  // creates nothing
  hold,  // refuses a store of this process alone: other processes must find the lock held
};

// --store and --store-file, or INTERLOCK_STORE and INTERLOCK_STORE_FILE. Every user of the machine
// can see a URL on a command line (ps), and every process that inherits a variable the URL in it;
// only those who may read a file see the URL in it.
class StoreFlags {
 public:
  void add_to(Flags& flags);

  std::optional<Given> url;
  std::optional<Given> file;  // a path, or /dev/fd/N: the URL is its first line
};

// As below, after reading the file. Removes a variable with a password from the environment, so
// that no command inherits it.
Fallible<Store> choose_store(const StoreFlags& flags, Purpose purpose = Purpose::use);

// `sqlite:PATH` (default: a file that all users of the machine share),
// `redis://[user:pass@]host:port/db`, `redis+unix:///path`, `memory:` (a store of this process
// alone, for tests). Opens a file; contacts no server yet.
Fallible<Store> choose_store(const std::optional<Given>& url, Purpose purpose = Purpose::use);

// The names of the kinds that this program was built with.
std::string store_kinds();

// How URLs begin, each with its form.
Suggestions store_urls();

// A store's error as this program reports it: 69, 71, 77 or 78. `what` begins the message.
Failure store_failure(const std::string& what, const Error& error, const Store& store);

}  // namespace interlock::cli
