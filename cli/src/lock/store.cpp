#include "lock/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "console/shell_words.hpp"
#include "console/talk.hpp"
#include "console/urls.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/store/lock_keys.hpp"
#ifdef INTERLOCK_CLI_SQLITE
#include "interlock/sqlite/sqlite_backend.hpp"
#endif
#ifdef INTERLOCK_CLI_REDIS
#include "interlock/redis/redis_backend.hpp"
#endif

namespace interlock::cli {
namespace {

bool contains_word(const std::string& text, std::string_view word) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

template <std::size_t N>
bool contains_any(const std::string& text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return contains_word(text, word); });
}

Store with(std::shared_ptr<Backend> backend, std::function<std::string()> shared_by) {
  Store store;
  store.shared_by = std::move(shared_by);
  store.description = backend->description();
  store.backend = std::move(backend);
  return store;
}

// A URL that names a store, as it was given.
class NamedStore {
 public:
  const std::string& text;
  // For messages. Never the URL as it was typed, because it may contain a password.
  std::string said;
  int code;  // of a mistake in it
  Purpose purpose;
};

// One kind of store.
class Scheme {
 public:
  std::string_view name;
  // How its URL is written, for messages. Empty: it is for tests, and messages do not offer it.
  std::array<std::string_view, 5> forms;
  bool (*is_meant)(std::string_view url);
  Fallible<Store> (*open)(const NamedStore& url);  // null: this program was built without it
};
std::string forms();

#ifdef INTERLOCK_CLI_SQLITE
// There is no file, and the first user of the store will make it: no lock is held. If something
// else is missing, such as the folder of a mistyped name, opening the store fails with that error.
bool may_yet_be_made(const std::filesystem::path& path, bool with_its_folder) {
  using std::filesystem::file_type;
  std::error_code error;
  if (symlink_status(path, error).type() != file_type::not_found) return false;
  const std::filesystem::path folder = absolute(path, error).parent_path();
  if (is_directory(folder, error)) return true;
  return with_its_folder && symlink_status(folder, error).type() == file_type::not_found;
}

Fallible<Store> sqlite_store(const std::optional<std::filesystem::path>& named,
                             Purpose purpose,
                             int code) {
  const std::filesystem::path path = named ? *named : sqlite::default_path();
  if (purpose == Purpose::look && may_yet_be_made(path, !named)) {
    Store store;
    store.description = "sqlite:" + path.string();
    return store;
  }
  auto backend = named ? sqlite::backend(path) : sqlite::default_backend();
  if (backend) return with(std::move(*backend), [path] { return sqlite::shared_by(path); });
  Store store;
  store.description = "sqlite:" + path.string();
  Failure failure = store_failure("store not opened", backend.error(), store);
  if (failure.code == operating_system) return failure;
  // The error names the file and says what to do.
  failure.message = printable(backend.error().detail(), 400);
  if (backend.error().code() == Errc::invalid_argument) failure.code = code;
  return failure;
}

Fallible<Store> in_a_file(const NamedStore& url) {
  const std::string path = url.text.substr(std::string_view("sqlite:").size());
  if (path.empty()) {
    return Failure(url.code, fmt::format("{} names no file; write sqlite:PATH", url.said));
  }
  if (is_redis_url(path)) {
    return Failure(url.code,
                   fmt::format("{} names two kinds of store: leave out sqlite:", url.said));
  }
  // Names to which SQLite gives another meaning than a file of that name.
  if (path == ":memory:" || path.starts_with("file:")) {
    return Failure(url.code, fmt::format("{} would be a plain file of the name {}: name another "
                                         "file, or write ./ before its name",
                                         url.said, printable(path, 100)));
  }
  // What is meant for parameters would become a part of the name: another file, with other locks.
  if (path.find('?') != std::string::npos) {
    return Failure(url.code, fmt::format("{}: a file takes no parameters: leave out the ? and what "
                                         "follows it",
                                         url.said));
  }
  return sqlite_store(path, url.purpose, url.code);
}
#else
constexpr auto in_a_file = nullptr;
#endif

#ifdef INTERLOCK_CLI_REDIS
Fallible<Store> on_redis(const NamedStore& url) {
  auto backend = redis::backend(url.text);
  if (!backend) {
    return Failure(url.code, fmt::format("{}: {}", url.said, backend.error().detail()));
  }
  const bool is_cluster = url.text.find("+cluster://") != std::string::npos;
  return with(std::move(*backend), [is_cluster] {
    return std::string("all users of this ") + (is_cluster ? "cluster" : "server");
  });
}
#else
constexpr auto on_redis = nullptr;
#endif

Fallible<Store> in_memory(const NamedStore& url) {
  if (url.text != "memory:") {
    return Failure(url.code,
                   fmt::format("{}: a store in memory has no name; write memory:", url.said));
  }
  if (url.purpose == Purpose::hold) {
    return Failure(url.code, fmt::format("{} excludes nobody: its locks are seen by this process "
                                         "alone; {}",
                                         url.said, forms()));
  }
  return with(memory::backend(), [] { return std::string("this process alone"); });
}

constexpr std::array schemes{
    Scheme{"sqlite",
           {"sqlite:PATH"},
           [](std::string_view url) { return url.starts_with("sqlite:"); },
           in_a_file},
    Scheme{"redis",
           {"redis://host:port/db", "rediss://host:port/db?ca=FILE",
            "redis+sentinel://host:port,.../NAME", "redis+cluster://host:port,...",
            "redis+unix:///path/to/socket"},
           is_redis_url,
           on_redis},
    Scheme{
        "memory", {}, [](std::string_view url) { return url.starts_with("memory:"); }, in_memory},
};

// Null: the text names no store.
const Scheme* scheme_of(std::string_view url) {
  const auto* const at = std::find_if(schemes.begin(), schemes.end(),
                                      [url](const Scheme& scheme) { return scheme.is_meant(url); });
  return at == schemes.end() ? nullptr : at;
}

// `write sqlite:PATH, redis://host:port/db, ... or redis+unix:///path/to/socket`
std::string forms() {
  std::vector<std::string_view> all;
  for (const Scheme& scheme : schemes) {
    for (const std::string_view form : scheme.forms) {
      if (!form.empty()) all.push_back(form);
    }
  }
  const std::string_view last = all.back();
  all.pop_back();
  return fmt::format("write {} or {}", fmt::join(all, ", "), last);
}

// The command, which inherits the environment, must not get the password, even that of a store
// which this program does not use. It does get the rest of the URL: an interlock that the command
// calls would otherwise use the default store, where its lock excludes nobody at the named one. The
// old text is overwritten, too: other processes of this user can read with what environment this
// one began.
void forget_password_in_environment() {
  constexpr const char* name = "INTERLOCK_STORE";
  char* const url = std::getenv(name);
  if (url == nullptr || without_password(url) == url) return;
  const std::string rest = without_login(url);
  std::fill(url, url + std::strlen(url), '*');
  ::setenv(name, rest.c_str(), 1);
}

// N of /dev/fd/N, by whichever of its names; none: it is no descriptor.
std::optional<int> descriptor_named(const std::string& path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    return detail::parse_number<int>(std::string_view(path).substr(folder.size()));
  }
  return std::nullopt;
}

// The command must not read the password from it once more. In place of standard input it gets an
// empty one; a pipe has been read empty.
void keep_from_command(const std::string& path) {
  const auto descriptor = descriptor_named(path);
  if (!descriptor) return;
  if (*descriptor > STDERR_FILENO) {
    ::fcntl(*descriptor, F_SETFD, FD_CLOEXEC);
  } else if (*descriptor == STDIN_FILENO) {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing > STDIN_FILENO) {
      ::dup2(nothing, STDIN_FILENO);
      ::close(nothing);
    }
  }
}

// To open a named pipe is to wait for a writer, maybe for ever. The pipe of a shell, /dev/fd/N, has
// no name.
bool is_named_pipe(const std::string& path) {
  struct stat info {};
  struct statfs place {};
  return ::stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode) &&
         ::statfs(path.c_str(), &place) == 0 && place.f_type != PIPEFS_MAGIC;
}

std::string why_unread(int error) {
  switch (error) {
    case 0:
      return "it is empty: write the store's URL into its first line";
    case EACCES:
      return "this user may not: change its owner or mode, or name another file";
    case ENOENT:
      return "there is no such file: check its name";
    case EISDIR:
      return "it is a folder: name a file";
    default:
      return fmt::format("{}: name another file", std::strerror(error));
  }
}

Fallible<Given> url_in(const Given& file) {
  const std::string said = file.said();
  if (is_named_pipe(file.text)) {
    return Failure(file.fault_code(),
                   fmt::format("{} not read: it is a named pipe: write the store's URL into a "
                               "plain file",
                               said));
  }
  errno = 0;
  std::ifstream lines(file.text);
  std::array<char, 4096> first{};  // the file may be endless, as /dev/zero is
  if (lines && !lines.getline(first.data(), first.size()) && lines.gcount() > 0) {
    return Failure(file.fault_code(),
                   fmt::format("{} not read: its first line has more than {} bytes: write the "
                               "store's URL into it",
                               said, first.size() - 1));
  }
  const int error = errno;
  keep_from_command(file.text);
  std::string line = first.data();
  if (!lines) {
    return Failure(file.fault_code(), fmt::format("{} not read: {}", said, why_unread(error)));
  }
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
    line.pop_back();
  }
  // The line is not shown: it may be a password alone.
  if (scheme_of(line) == nullptr) {
    return Failure(file.fault_code(), fmt::format("the first line of {} is not a store; {}",
                                                  printable(file.text, 100), forms()));
  }
  return Given(line, "the URL in " + printable(file.text, 100), file.from_environment);
}

Failure not_built(const NamedStore& url) {
  return {url.code, fmt::format("{}: this program was built for {} only; use one of these",
                                url.said, store_kinds())};
}

}  // namespace

std::string store_kinds() {
  std::string kinds;
  for (const Scheme& scheme : schemes) {
    if (scheme.open == nullptr) continue;
    kinds += (kinds.empty() ? "" : ", ") + std::string(scheme.name);
  }
  return kinds;
}

void StoreFlags::add_to(Flags& flags) {
  flags
      .value(0, "store", "URL", &url,
             "sqlite:PATH, redis://host:port/db, rediss:// (TLS), redis+sentinel://, "
             "redis+cluster://, redis+unix:///path; default: a file that all users of this machine "
             "share",
             "INTERLOCK_STORE")
      .suggested = store_urls();
  flags
      .value(0, "store-file", "F", &file,
             "a file, or /dev/fd/N, whose first line is that URL: use it if the URL has a password",
             "INTERLOCK_STORE_FILE")
      .suggested = Suggestions::files();
}

Suggestions store_urls() {
  return Suggestions([](const TypedWords&) {
    std::vector<SuggestedWord> found;
    for (const Scheme& scheme : schemes) {
      for (const std::string_view form : scheme.forms) {
        if (form.empty()) continue;
        // Up to what the user has to know.
        const auto colon = form.find(':');
        const std::size_t slashes = form.find("//") == std::string_view::npos ? 0 : 2;
        found.push_back({std::string(form.substr(0, colon + 1 + slashes)), std::string(form)});
      }
    }
    return found;
  });
}

namespace {

// The flag for another command. None if the store came from the environment, which the other
// command has too; from a descriptor, which cannot be read again; or as a URL with a password.
std::string flag_again(const Given& given) {
  const bool is_secret = is_redis_url(given.text) && without_password(given.text) != given.text;
  if (given.from_environment || is_secret || descriptor_named(given.text)) return {};
  return fmt::format("{} {} ", given.name, printable(quoted(given.text), 400));
}

Fallible<Store> with_flag(Fallible<Store> chosen, const std::optional<Given>& given) {
  if (chosen && given) chosen->flag = flag_again(*given);
  return chosen;
}

}  // namespace

Fallible<Store> choose_store(const StoreFlags& flags, Purpose purpose) {
  const auto& url = flags.url;
  const auto& file = flags.file;
  // The command line overrides the environment.
  forget_password_in_environment();
  const bool from_file = file && (!url || (url->from_environment && !file->from_environment));
  if (file && url && url->from_environment == file->from_environment) {
    return Failure(file->fault_code(),
                   fmt::format("both {} and {} given; write one of them", url->name, file->name));
  }
  if (from_file) {
    auto read = url_in(*file);
    if (!read) return read.error();
    return with_flag(choose_store(*read, purpose), file);
  }
  return with_flag(choose_store(url, purpose), url);
}

Fallible<Store> choose_store(const std::optional<Given>& url, Purpose purpose) {
  if (!url) {
#ifdef INTERLOCK_CLI_SQLITE
    return sqlite_store(std::nullopt, purpose, bad_configuration);
#else
    return Failure(usage, fmt::format("no store given; {}", forms()));
#endif
  }
  const std::string& text = url->text;
  const NamedStore named{text, url->said(without_password(text)), url->fault_code(), purpose};
  if (const Scheme* const scheme = scheme_of(text)) {
    return scheme->open != nullptr ? scheme->open(named) : not_built(named);
  }
  const std::string_view more = purpose == Purpose::use ? ", or memory:" : "";
  if (text.empty()) {
    return Failure(named.code,
                   fmt::format("{} is empty and names no store; {}{}", url->name, forms(), more));
  }
  return Failure(named.code, fmt::format("{} is not a store; {}{}", named.said, forms(), more));
}

Failure store_failure(const std::string& what, const Error& error, const Store& store) {
  constexpr std::array<std::string_view, 8> access{"NOAUTH",
                                                   "WRONGPASS",
                                                   "NOPERM",
                                                   "invalid password",
                                                   "permission denied",
                                                   "ERR AUTH",
                                                   "may not write",
                                                   "not open to all users"};
  const std::string& where = store.description;
  std::string detail = printable(error.detail(), 400);
  // A ttl that this store does not take, say.
  if (error.code() == Errc::invalid_argument) return {usage, fmt::format("{}: {}", what, detail)};
  if (!contains_word(detail, where)) detail = where + ": " + detail;
  if (contains_any(detail, access)) {
    return {refused, fmt::format("{}: access refused: {}", what, detail)};
  }
  if (error.code() == Errc::rejected && contains_word(detail, "WRONGTYPE")) {
    if (contains_word(detail, incarnation_key().text())) {
      return {bad_configuration,
              fmt::format("{}: the key {} in {}, which after-failover=wait needs, is of another "
                          "type: delete it; a quarantine begins then",
                          what, incarnation_key().text(), where)};
    }
    // The server does not say which of the keys has another type.
    return {bad_configuration,
            fmt::format(
                "{}: the key of that name in {}, or one beside it ({{NAME}}:interlock:fence, "
                "{{NAME}}:interlock:queue, {{NAME}}:interlock:holders), is not a lock's: choose "
                "another name or another "
                "database",
                what, where)};
  }
  // The cause is not the store, so the advice in its error would not help.
  for (const int limit : {EMFILE, ENFILE, ENOMEM}) {
    const char* const fact = std::strerror(limit);
    if (!contains_word(detail, fact)) continue;
    return {operating_system, fmt::format("{}: {}: {}: raise the limit (ulimit -n, ulimit -v) or "
                                          "end something else",
                                          what, where, fact)};
  }
  constexpr std::array<std::string_view, 4> no_room{"file system is full", "limit on file sizes",
                                                    "OOM command not allowed", "MISCONF "};
  if (contains_any(detail, no_room)) {
    return {operating_system, fmt::format("{}: {}", what, detail)};
  }
  // The server or the system will always answer this: another try later cannot succeed.
  constexpr std::array<std::string_view, 6> unfit{"mount /proc",
                                                  "READONLY",
                                                  "DB index is out of range",
                                                  "Redis Cluster",
                                                  "belongs to no cluster",
                                                  "no Redis server that"};
  // The file is not a database, is damaged, or belongs to another program.
  const bool is_bad_file = where.starts_with("sqlite:") && error.code() == Errc::rejected;
  // A certificate, say, or TLS on one side alone.
  const bool cannot_agree =
      error.code() == Errc::rejected && contains_word(detail, "cannot connect to");
  const bool stays = is_bad_file || cannot_agree || contains_any(detail, unfit);
  return {stays ? bad_configuration : unreachable, fmt::format("{}: {}", what, detail)};
}

}  // namespace interlock::cli
