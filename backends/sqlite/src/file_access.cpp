#include "file_access.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "interlock/posix/clock.hpp"
#include "interlock/posix/descriptor.hpp"

namespace interlock::sqlite {
namespace {

constexpr mode_t for_everybody = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
constexpr mode_t for_a_group = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP;
constexpr mode_t for_one_user = S_IRUSR | S_IWUSR;
constexpr mode_t open_folder_mode = S_IRWXU | S_IRWXG | S_IRWXO;

std::optional<struct stat> look(const std::filesystem::path& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

std::string user_name(uid_t id) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(id, &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? found->pw_name : std::to_string(id);
}

std::string group_name(gid_t id) {
  std::array<char, 4096> buffer{};
  group entry{};
  group* found = nullptr;
  getgrgid_r(id, &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? found->gr_name : std::to_string(id);
}

bool is_sticky(const struct stat& folder) {
  return (folder.st_mode & S_ISVTX) != 0;
}

// SQLite makes files of its own in the folder, which each user must be able to open and to remove.
mode_t mode_in(const struct stat& folder) {
  if (is_sticky(folder)) return for_one_user;
  if ((folder.st_mode & S_IWOTH) != 0) return for_everybody;
  const bool group_writes = (folder.st_mode & S_IWGRP) != 0;
  // Without S_ISGID a new file belongs to the group of the user who makes it.
  const bool group_is_kept = (folder.st_mode & S_ISGID) != 0;
  return group_writes && group_is_kept ? for_a_group : for_one_user;
}

// A name that no other thread or process uses at the same time.
std::filesystem::path draft_of(const std::filesystem::path& path) {
  return path.parent_path() / ("." + path.filename().string() + "." + std::to_string(gettid()) +
                               "." + std::to_string(posix::since_boot().count()));
}

// Does not open or close the file under its name: closing it would drop the locks of this process's
// connections. The file gets its name after its mode, so that no process meets it with another
// mode. The mode is changed by a descriptor: others who may write the folder could put a link in
// the draft's place. An error here is ignored: SQLite meets it again when it opens the file, and
// reports it.
void create(const std::filesystem::path& file, mode_t mode) {
  const std::filesystem::path draft = draft_of(file);
  posix::Descriptor made(
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, for_one_user));
  if (!made) return;
  if (fchmod(made.get(), mode) != 0) {
    unlink(draft.c_str());
    return;
  }
  made.reset();  // before another thread can use the file
  // Not link(2), which would give the file two names for a moment.
  const int renamed = renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE);
  if (renamed == 0) return;
  // Some file systems have no such rename.
  if (errno == EINVAL) static_cast<void>(!link(draft.c_str(), file.c_str()));
  unlink(draft.c_str());
}

bool may_write(const std::filesystem::path& path) {
  return faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) == 0;
}

bool protects_regular_files() {
  const posix::Descriptor file(open("/proc/sys/fs/protected_regular", O_RDONLY | O_CLOEXEC));
  char level = '0';
  return file && read(file.get(), &level, 1) == 1 && level > '0';
}

Error refused(const std::string& opening, const std::string& fact, const std::string& advice) {
  return {Errc::rejected, opening + ": " + fact + ": " + advice};
}

std::string owner_and_mode(const struct stat& info) {
  std::array<char, 8> mode{};
  static_cast<void>(snprintf(mode.data(), mode.size(), "%04o", info.st_mode & 07777U));
  return "it belongs to " + user_name(info.st_uid) + ", mode " + mode.data();
}

// Those of the file, its log and its index that lack rights of `mode`, as words of a command.
std::string closed_files(const std::string& file, mode_t mode) {
  std::string found;
  for (const char* const suffix : {"", "-wal", "-shm"}) {
    const auto there = look(file + suffix);
    if (!there || !S_ISREG(there->st_mode) || (there->st_mode & mode) == mode) continue;
    found += " " + file + suffix;
  }
  return found;
}

// "as root", or "as root or alice": who may change the mode of what belongs to `owner`.
std::string as_owner(uid_t owner) {
  return owner == 0 ? "as root" : "as root or " + user_name(owner);
}

// The folder of the default store admits some users alone. Its mode is not changed here: somebody
// may have chosen it.
Error refuse_closed_folder(const std::string& opening,
                           const std::filesystem::path& file,
                           const struct stat& folder) {
  const std::string files = closed_files(file, for_everybody);
  return refused(opening, "it is not open to all users (" + owner_and_mode(folder) + ")",
                 as_owner(folder.st_uid) + ", `chmod 0777 " + file.parent_path().string() + "`" +
                     (files.empty() ? "" : " and `chmod 0666" + files + "`") +
                     ", or name another store by --store");
}

// SQLite gives its log and its index the mode of the file, but leaves it at that when the file gets
// another one later.
std::optional<Error> refuse_closed_log(const std::string& opening,
                                       const std::string& path,
                                       const std::string& log,
                                       const struct stat& file) {
  const auto there = look(log);
  const mode_t wanted = file.st_mode & for_everybody;
  if (!there || (there->st_mode & wanted) == wanted) return std::nullopt;
  std::array<char, 8> mode{};
  static_cast<void>(snprintf(mode.data(), mode.size(), "%04o", wanted));
  return refused(
      opening,
      "some users of the file may not write '" + log + "', which belongs to it (" +
          owner_and_mode(*there) + ")",
      as_owner(there->st_uid) + ", `chmod " + mode.data() + closed_files(path, wanted) + "`");
}

posix::Descriptor open_folder(const std::filesystem::path& folder) {
  return posix::Descriptor(
      open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

// For root: a folder that another user has made belongs to root from now on and is open to all
// users, so that its maker can neither close it to the others nor move it. Uses a descriptor,
// because the name may lead elsewhere a moment later. False: the name does lead elsewhere.
bool take_over(const std::filesystem::path& folder) {
  if (geteuid() != 0) return true;
  const posix::Descriptor opened = open_folder(folder);
  struct stat info {};
  if (!opened || fstat(opened.get(), &info) != 0) return false;
  if (info.st_uid != 0) {
    static_cast<void>(!fchown(opened.get(), 0, 0));
    static_cast<void>(!fchmod(opened.get(), open_folder_mode));
  }
  const auto named = look(folder);
  return named && named->st_dev == info.st_dev && named->st_ino == info.st_ino;
}

// Called right after faccessat() has refused: errno says why.
Error may_not_write(const std::string& opening, const std::string& named, const struct stat& info) {
  if (errno == EROFS) {
    return refused(opening, named + " is on a read-only file system",
                   "mount it writable, or name a file elsewhere");
  }
  if (errno == EACCES && geteuid() == 0) {
    return refused(
        opening,
        "other users can replace files in its folder, so root uses it with their rights, "
        "and they may not write " +
            named + " (" + owner_and_mode(info) + ")",
        "remove what does not belong there, or name a file in a folder that root alone "
        "may write");
  }
  return refused(opening, "this user may not write " + named + " (" + owner_and_mode(info) + ")",
                 "give this user write permission for the file and its folder, or name another "
                 "file");
}

std::optional<Error> make_folder(const std::filesystem::path& folder) {
  const std::string making = "making '" + folder.string() + "' for the default store";
  const std::string advice = "create it as root with mode 0777, or name another store by --store";
  const std::filesystem::path draft = draft_of(folder);
  if (mkdir(draft.c_str(), S_IRWXU) != 0) {
    if (errno == EROFS) {
      return refused(making,
                     "'" + folder.parent_path().string() + "' is on a read-only file system",
                     "mount it writable (a service: ReadWritePaths=), or name another store by "
                     "--store");
    }
    return Error(Errc::rejected, making + ": " + std::strerror(errno) + ": " + advice);
  }
  const posix::Descriptor opened = open_folder(draft);
  const bool made =
      opened && fchmod(opened.get(), open_folder_mode) == 0 &&
      renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, folder.c_str(), RENAME_NOREPLACE) == 0;
  const int error = errno;
  if (made) return std::nullopt;
  rmdir(draft.c_str());
  if (error == EEXIST) return std::nullopt;  // another process was faster
  return Error(Errc::rejected, making + ": " + std::strerror(error) + ": " + advice);
}

const char* kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a pipe";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

// SQLite would wait for ever for a process that writes into a pipe, and would write its log where a
// link leads.
std::optional<Error> refuse_kind(const std::string& part,
                                 const std::string& named,
                                 bool everybody_writes,
                                 const std::string& opening) {
  const auto there = look(part);
  if (there && S_ISLNK(there->st_mode) && everybody_writes) {
    return refused(opening, named + " is a symbolic link in a folder that every user may write",
                   "remove it, or name the file itself");
  }
  struct stat led_to {};
  if (stat(part.c_str(), &led_to) != 0) {
    if (!there || !S_ISLNK(there->st_mode) || errno != ENOENT) return std::nullopt;
    return refused(opening, named + " is a symbolic link to nothing",
                   "remove it, or name the file itself");
  }
  if (S_ISREG(led_to.st_mode)) return std::nullopt;
  return refused(opening, named + " is " + kind_of(led_to.st_mode) + " and no plain file",
                 "name another file, or remove it");
}

// SQLite keeps a log for each name of a file, so users of one name do not see the locks of users of
// another. Of a file that is bind-mounted, only the mounted name can be recognised (Linux 5.8,
// statx(2)).
std::optional<Error> refuse_second_name(const std::string& path,
                                        const std::string& named,
                                        const std::string& opening) {
  struct statx info {};
  // A file that is being made can have two names for a moment: see create().
  for (int tries = 0; tries < 10; ++tries) {
    if (statx(AT_FDCWD, path.c_str(), 0, STATX_NLINK, &info) != 0) return std::nullopt;
    if (info.stx_nlink < 2) break;
    std::this_thread::sleep_for(milliseconds{1});
  }
  if ((info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) {
    return refused(opening,
                   named +
                       " is mounted by itself, so that its users here and those under its "
                       "other name would see no lock of each other",
                   "mount its folder");
  }
  if (info.stx_nlink < 2) return std::nullopt;
  return refused(opening,
                 named + " has " + std::to_string(info.stx_nlink) +
                     " names (hard links), whose users would see no lock of each other",
                 "remove the others (`find / -xdev -samefile FILE` lists them), or name another "
                 "file");
}

// Every user may put something beside the file, and not every user may write the file.
bool is_among_others(const struct stat& file, const struct stat& folder) {
  return (folder.st_mode & S_IWOTH) != 0 && (file.st_mode & S_IWOTH) == 0;
}

// SQLite believes the log that it finds, and somebody who may not write the file has made this one.
bool is_planted(const struct stat& log, const struct stat& file) {
  if (log.st_uid == file.st_uid || log.st_uid == geteuid() || log.st_uid == 0) return false;
  return (file.st_mode & S_IWGRP) == 0 || log.st_gid != file.st_gid;
}

// 0, or the system's error. Nobody uses the new file before this returns, so closing it drops no
// file lock of this process.
int make_new(const std::string& path, const struct stat& like) {
  const posix::Descriptor made(
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, for_one_user));
  if (!made) return errno;
  if (geteuid() == 0 && fchown(made.get(), like.st_uid, like.st_gid) != 0) return errno;
  return fchmod(made.get(), like.st_mode & for_everybody) == 0 ? 0 : errno;
}

}  // namespace

std::optional<Error> make_usable(const std::filesystem::path& file, const std::string& opening) {
  struct stat folder {};
  if (stat(file.parent_path().c_str(), &folder) != 0) return std::nullopt;  // SQLite says why
  auto there = look(file);
  if (!there) {
    create(file, mode_in(folder));
    // Another process, or another user, may have been faster.
    there = look(file);
    if (!there) return std::nullopt;
  }
  const bool everybody_writes = (folder.st_mode & S_IWOTH) != 0;
  const std::string path = file.string();
  for (const std::string& part : {path, path + "-wal", path + "-shm"}) {
    const std::string named = part == path ? "it" : "'" + part + "'";
    if (auto error = refuse_kind(part, named, everybody_writes, opening)) return error;
    const std::string file_named = part == path ? "the file" : named;
    if (auto error = refuse_second_name(part, file_named, opening)) return error;
  }
  if (!S_ISREG(there->st_mode)) return std::nullopt;  // SQLite follows the link
  for (const std::string& part : {path, path + "-wal", path + "-shm"}) {
    const auto info = look(part);
    if (!info || may_write(part)) continue;
    const int why = errno;
    const bool is_trusted = !is_among_others(*there, folder) || !is_planted(*info, *there);
    if (why == EACCES && part != path && is_trusted) {
      if (auto error = refuse_closed_log(opening, path, part, *there)) return error;
    }
    errno = why;
    return may_not_write(opening, part == path ? "it" : "'" + part + "'", *info);
  }
  if (faccessat(AT_FDCWD, file.parent_path().c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return may_not_write(opening, "its folder", folder);
  }
  const uid_t me = geteuid();
  if (auto error = refuse_planted_log(file, opening)) return error;
  if (is_sticky(folder) && everybody_writes && there->st_uid != me && folder.st_uid != me &&
      protects_regular_files()) {
    return refused(opening,
                   "its folder is sticky, where Linux lets a user create nothing under the name of "
                   "another user's file (fs.protected_regular)",
                   "use a file in a folder without the sticky bit");
  }
  return std::nullopt;
}

std::optional<Error> make_common(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  auto there = look(folder);
  if (!there) {
    if (auto error = make_folder(folder)) return error;
    there = look(folder);
  }
  if (!there) return std::nullopt;  // SQLite says why
  const std::string opening = "opening the default store in '" + folder.string() + "'";
  if (!S_ISDIR(there->st_mode)) {
    return refused(opening, S_ISLNK(there->st_mode) ? "it is a symbolic link" : "it is no folder",
                   "remove it as root");
  }
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    if (errno == EROFS) return may_not_write(opening, "it", *there);
    return refuse_closed_folder(opening, file, *there);
  }
  if (is_sticky(*there)) {
    return refused(opening,
                   "it has the sticky bit (" + owner_and_mode(*there) +
                       "), with which users cannot share a file",
                   "as root, `chmod 0777` it and remove the files in it, or name another store by "
                   "--store");
  }
  if (!take_over(folder)) {
    return refused(opening, "somebody moves it while it is being opened",
                   "as root, remove it, and see who has done that");
  }
  // Those whom it admits would make files in it that the others cannot use later.
  there = look(folder);
  if (there && (there->st_mode & open_folder_mode) != open_folder_mode) {
    return refuse_closed_folder(opening, file, *there);
  }
  // Root does not change this file: the user who made the folder may have moved a file of another
  // user to this name.
  const auto found = look(file);
  if (found && S_ISREG(found->st_mode) && (found->st_mode & for_everybody) != for_everybody) {
    return refused(opening, "its file is not open to all users (" + owner_and_mode(*found) + ")",
                   "if it is the store, " + as_owner(found->st_uid) + ", `chmod 0666" +
                       closed_files(file, for_everybody) + "`, else remove it");
  }
  return std::nullopt;
}

std::optional<Error> refuse_planted_log(const std::filesystem::path& file,
                                        const std::string& opening) {
  struct stat folder {};
  struct stat info {};
  if (stat(file.parent_path().c_str(), &folder) != 0 || stat(file.c_str(), &info) != 0 ||
      !is_among_others(info, folder)) {
    return std::nullopt;
  }
  for (const char* const suffix : {"-wal", "-shm"}) {
    const std::string path = file.string() + suffix;
    const auto there = look(path);
    if (!there || !is_planted(*there, info)) continue;
    return refused(opening,
                   "'" + path + "' belongs to " + user_name(there->st_uid) +
                       ", who may not write the file itself",
                   "remove it, and keep the file in a folder that only its users may write");
  }
  return std::nullopt;
}

bool is_safe_beside(const std::filesystem::path& file, const char* suffix) {
  struct stat folder {};
  struct stat info {};
  if (stat(file.parent_path().c_str(), &folder) != 0 || stat(file.c_str(), &info) != 0 ||
      !is_among_others(info, folder)) {
    return true;
  }
  const std::string path = file.string() + suffix;
  int error = EEXIST;
  // Another process of this user may make it, or remove it, at the same time.
  for (int tries = 0; tries < 10 && error == EEXIST; ++tries) {
    if (const auto there = look(path)) return !is_planted(*there, info);
    error = make_new(path, info);
  }
  return error == 0;
}

std::string who_shares(const std::filesystem::path& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return {};
  // SQLite makes files beside it, and the way to its folder must be open.
  std::error_code error;
  const auto its_folder = std::filesystem::canonical(absolute(file, error).parent_path(), error);
  struct stat folder {};
  mode_t way = S_IXOTH | S_IXGRP;
  for (auto at = its_folder; !error && at.has_relative_path(); at = at.parent_path()) {
    if (stat(at.c_str(), &folder) != 0) break;
    way &= folder.st_mode;
  }
  if (error || stat(its_folder.c_str(), &folder) != 0) return {};
  mode_t both = info.st_mode & folder.st_mode;
  for (const char* const suffix : {"-wal", "-shm"}) {
    const auto beside = look(file.string() + suffix);
    if (beside && beside->st_uid == info.st_uid) both &= beside->st_mode;
  }
  if ((both & S_IWOTH) != 0 && (way & S_IXOTH) != 0) return "all users of this machine";
  if ((both & S_IWGRP) != 0 && (way & S_IXGRP) != 0) {
    return "the user " + user_name(info.st_uid) + " and the group " + group_name(info.st_gid);
  }
  return "the user " + user_name(info.st_uid) + " alone";
}

}  // namespace interlock::sqlite
