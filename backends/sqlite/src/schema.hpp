// The tables in the file.
#pragma once

#include <filesystem>
#include <optional>

#include "database.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::sqlite {

// Opens the file and makes it ready: write-ahead log, tables, and the changes that a new boot
// needs. On an error the database is closed.
std::optional<Error> open_and_prepare(Database& database, const std::filesystem::path& path);

// Nothing was done: the connection's log, or its index of the log, is not the file's any more.
Error lost_log(const std::string& what);

// Inside a transaction: what is added to CLOCK_BOOTTIME to make the store's clock.
Duration epoch(Database& database);

}  // namespace interlock::sqlite
