// The findings about a lock file.
#pragma once

#include <filesystem>
#include <vector>

#include "database.hpp"
#include "interlock/store/backend.hpp"

namespace interlock::sqlite {

// Reads the whole file. Inside a transaction.
std::vector<Finding> facts_about(const std::filesystem::path& path,
                                 Database& database,
                                 bool watching);

}  // namespace interlock::sqlite
