#include "file_rights.hpp"

#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace interlock::sqlite {
namespace {

// Their numbers on most systems. Where these numbers have no name, they have no rights either.
constexpr uid_t nobody = 65534;
constexpr gid_t nogroup = 65534;

class Identity {
 public:
  uid_t user;
  gid_t group;
};

// The other user that could put another file under a name in this folder; none: only root can. With
// `keeps_names` a file of that name exists, or nobody else can make it first, so that a sticky
// folder protects the name.
std::optional<Identity> who_replaces(const struct stat& folder, bool keeps_names) {
  if (folder.st_uid != 0) return Identity{folder.st_uid, folder.st_gid};
  if (keeps_names && (folder.st_mode & S_ISVTX) != 0) return std::nullopt;
  if ((folder.st_mode & S_IWOTH) != 0) return Identity{nobody, nogroup};
  if ((folder.st_mode & S_IWGRP) != 0 && folder.st_gid != 0) return Identity{nobody, folder.st_gid};
  return std::nullopt;
}

// Only root can pass this folder.
bool is_closed(const struct stat& folder) {
  const bool to_groups = (folder.st_mode & S_IXGRP) == 0 || folder.st_gid == 0;
  return folder.st_uid == 0 && to_groups && (folder.st_mode & S_IXOTH) == 0;
}

// A user who can replace the file, its log, or a folder on the way to them; none: only root can.
std::optional<Identity> lesser_identity(const std::filesystem::path& file) {
  std::error_code error;
  const auto folder = std::filesystem::canonical(file.parent_path(), error);
  struct stat its_folder {};
  if (error || stat(folder.c_str(), &its_folder) != 0) return std::nullopt;
  struct stat info {};
  const bool exists = stat(file.c_str(), &info) == 0;
  // In a sticky folder others can make a log where there is none. That of a private file is made
  // before SQLite opens it: is_safe_beside().
  const bool is_private = !exists || (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  std::optional<Identity> found = exists && info.st_uid != 0 ? Identity{info.st_uid, info.st_gid}
                                                             : who_replaces(its_folder, is_private);
  if (is_closed(its_folder)) found.reset();
  for (auto at = folder; at.has_relative_path();) {
    at = at.parent_path();
    struct stat above {};
    if (stat(at.c_str(), &above) != 0) break;
    if (is_closed(above)) found.reset();
    // Folders on the way exist, so a sticky folder above them keeps their names.
    if (!found) found = who_replaces(above, true);
  }
  return found;
}

}  // namespace

FileRights FileRights::of(const std::filesystem::path& file) {
  FileRights rights;
  if (geteuid() != 0) return rights;
  if (const auto identity = lesser_identity(file)) {
    rights.user_ = identity->user;
    rights.group_ = identity->group;
  }
  return rights;
}

// setgroups is called as a system call because the function of the C library changes all threads.
// With the user the kernel also changes PR_SET_DUMPABLE and PR_SET_PDEATHSIG (proc(5), prctl(2)):
// the destructor puts both back.
WithFileRights::WithFileRights(const FileRights& rights) {
  if (!rights.user_) return;
  dumpable_ = prctl(PR_GET_DUMPABLE);
  prctl(PR_GET_PDEATHSIG, &death_signal_);
  const int count = getgroups(0, nullptr);
  groups_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count < 0 || getgroups(count, groups_.data()) < 0) return;
  if (syscall(SYS_setgroups, 0, nullptr) != 0) return;  // no such right: root of a container
  changed_ = true;
  group_ = static_cast<gid_t>(setfsgid(rights.group_));
  user_ = static_cast<uid_t>(setfsuid(*rights.user_));
}

WithFileRights::~WithFileRights() {
  if (!changed_) return;
  setfsuid(user_);
  setfsgid(group_);
  syscall(SYS_setgroups, groups_.size(), groups_.data());
  prctl(PR_SET_DUMPABLE, dumpable_);
  if (death_signal_ != 0) prctl(PR_SET_PDEATHSIG, death_signal_);
}

}  // namespace interlock::sqlite
