// Access to a lock file. The file system decides who may use it. The functions here give a new file
// the right mode, and refuse a file before SQLite makes files beside it that keep its other users
// out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "interlock/error.hpp"

namespace interlock::sqlite {

// Creates the file if there is none. Its mode follows the folder: 0666 if every user may create and
// remove files there, 0660 if a group may (mode g+ws), else 0600; also 0600 in a sticky folder,
// where users cannot share a database (see below). Error: this user may not use the existing file,
// or it has a second name. Nothing has been changed then.
//
// Sources: SQLite opens its log (-wal) and index (-shm) with O_CREAT and gives them the mode of the
// database (os_unix.c, findCreateFileMode); proc(5), protected_regular: in a sticky folder O_CREAT
// fails on files of others.
std::optional<Error> make_usable(const std::filesystem::path& file, const std::string& opening);

// Refuses a log (-wal), or its index (-shm), that was planted: in a folder that every user may
// write, somebody who may not write the file has put it there, and SQLite would believe it.
std::optional<Error> refuse_planted_log(const std::filesystem::path& file,
                                        const std::string& opening);

// Whether SQLite may open the log, or its index, `suffix`. Where somebody could plant it, makes it
// if it is missing, with the owner and the mode of the file, so that nobody can a moment later.
bool is_safe_beside(const std::filesystem::path& file, const char* suffix);

// The folder of the default store, for all users. Creates it with mode 0777; root becomes the owner
// of a folder that another user has made, so that this user can no longer close it to the others.
// Error: a link or a file is in its place, it is not open to all users (even if this user may use
// it: nothing is made in it then), it cannot be created, or the file in it is not open to all
// users.
std::optional<Error> make_common(const std::filesystem::path& file);

// By the modes of the file, of its folder and of the folders above: `all users of this machine`,
// `the user alice and the group www-data`, `the user alice alone`.
std::string who_shares(const std::filesystem::path& file);

}  // namespace interlock::sqlite
