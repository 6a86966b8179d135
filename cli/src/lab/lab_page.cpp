#include "lab/lab_page.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "console/talk.hpp"
#include "interlock/detail/number.hpp"

namespace interlock::cli {
namespace {

// As in the page itself, and no other page may show it in a frame.
constexpr std::string_view page_headers =
    "Content-Type: text/html; charset=utf-8\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; "
    "worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Cache-Control: no-store\r\n";

// Where the program lies decides where the page lies: in the folder of data beside it, also if both
// were moved.
std::filesystem::path page_of_installation() {
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (program.empty()) return {};
  return (program.parent_path() / INTERLOCK_LAB_PAGE_FROM_PROGRAM).lexically_normal();
}

bool is_page(const std::string& text) {
  constexpr std::string_view begin = "<!doctype html";
  return text.size() > begin.size() && ::strncasecmp(text.data(), begin.data(), begin.size()) == 0;
}

Fallible<std::string> read_page(const std::filesystem::path& path,
                                const std::string& said,
                                const std::string& what_to_do) {
  const auto unusable = [&](const std::string& why) {
    return Failure(bad_configuration, fmt::format("{}: {}: {}", said, why, what_to_do));
  };
  std::error_code error;
  const bool is_plain = std::filesystem::is_regular_file(path, error);
  if (error) return unusable(std::strerror(error.value()));
  if (!is_plain) return unusable("it is not a plain file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return unusable(std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!is_page(text)) return unusable("it does not begin as an HTML page");
  return text;
}

// `127.0.0.1:8080`, `localhost`. With any port: one may be forwarded to ours.
bool names_loopback(std::string_view host) {
  constexpr std::array<std::string_view, 3> names{"127.0.0.1", "localhost", "[::1]"};
  return std::any_of(names.begin(), names.end(), [host](std::string_view name) {
    if (host.size() < name.size() || ::strncasecmp(host.data(), name.data(), name.size()) != 0) {
      return false;
    }
    const std::string_view rest = host.substr(name.size());
    constexpr int greatest = 65'535;
    return rest.empty() || (rest.starts_with(':') &&
                            detail::parse_number(std::string(rest.substr(1)), 1, greatest));
  });
}

}  // namespace

Fallible<std::string> read_lab_page() {
  if (const char* const named = std::getenv("INTERLOCK_LAB_PAGE"); named != nullptr && *named) {
    return read_page(named, fmt::format("INTERLOCK_LAB_PAGE={}", printable(named)),
                     "name the page that scripts/lab builds, or unset it");
  }
  const std::filesystem::path path = page_of_installation();
  return read_page(path, fmt::format("no page of the laboratory at '{}'", printable(path.string())),
                   "build it by scripts/lab in the sources, or set INTERLOCK_LAB_PAGE to its file");
}

std::string respond_with_lab(const HttpRequest& request, const std::string& page) {
  const auto host = request.header("Host");
  if (!host || !names_loopback(*host)) {
    return http_refusal("421 Misdirected Request", {},
                        "this is the laboratory of 127.0.0.1: open it by that address\n");
  }
  if (request.path == "/favicon.ico") {
    return "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
  }
  if (request.path != "/") return http_refusal("404 Not Found", {}, "the laboratory is at /\n");
  return http_page(request, page_headers, [&page]() -> const std::string& { return page; });
}

std::string lab_fragment(const std::string& run) {
  // What encodeURI() leaves as it is, and ^, as the page itself writes its addresses.
  constexpr std::string_view plain = "-_.!~*'();,/?:@&=+$^";
  std::string fragment = "#";
  for (const char byte : run) {
    const auto code = static_cast<unsigned char>(byte);
    const bool is_kept =
        (code < 0x80 && std::isalnum(code) != 0) || plain.find(byte) != std::string_view::npos;
    fragment += is_kept ? std::string(1, byte) : fmt::format("%{:02X}", code);
  }
  return fragment;
}

}  // namespace interlock::cli
