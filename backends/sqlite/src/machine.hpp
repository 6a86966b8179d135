// Facts about this machine: its clocks, its boot, its file systems.
#pragma once

#include <filesystem>
#include <string>

#include "interlock/vocabulary.hpp"

namespace interlock::sqlite {

// CLOCK_REALTIME since 1970.
Duration wall_clock();

// Differs after each boot. `unavailable` without /proc.
Result<std::string> boot_id();

// What CLOCK_BOOTTIME of this process's time namespace is ahead of the machine's. Source:
// time_namespaces(7).
Duration ahead_of_machine();

// The kinds of file systems that matter for locks.
enum class FileSystem : std::uint8_t { local, network, unknown };
FileSystem file_system_of(const std::filesystem::path& path);

// Whether its file system has room for no more than some thousand locks, as that of /run/lock,
// which has 5 MiB on Debian and holds the default store.
bool is_on_small_file_system(const std::filesystem::path& path);

}  // namespace interlock::sqlite
