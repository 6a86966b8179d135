// What the program uses of fmt's library, compiled once. Debian has that library as a shared one
// alone, which needs the shared C++ library, and the loader of both takes longer than all else that
// the program does before main(). The other files are compiled without FMT_HEADER_ONLY: with it
// each of them would compile all of this again.
#include <fmt/format.h>

#ifndef FMT_HEADER_ONLY
#error "compile this file, and no other, with FMT_HEADER_ONLY"
#endif

#include <cstdio>
#include <locale>
#include <string>

namespace {

// Inline functions and templates, which the compiler leaves out where nothing uses them.
[[gnu::used]] std::string (*const text)(fmt::string_view, fmt::format_args) = &fmt::vformat;
[[gnu::used]] void (*const print)(std::FILE*, fmt::string_view, fmt::format_args) = &fmt::vprint;
[[gnu::used]] bool (*const is_printable)(std::uint32_t) = &fmt::detail::is_printable;
[[gnu::used]] void (*const refuse)(const char*) = &fmt::detail::throw_format_error;
[[gnu::used]] void (*const fail)(const char*, int, const char*) = &fmt::detail::assert_fail;
[[gnu::used]] std::locale (fmt::detail::locale_ref::*const locale)() const =
    &fmt::detail::locale_ref::get<std::locale>;

}  // namespace
