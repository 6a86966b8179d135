#include "http/http_message.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>

namespace interlock::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool is_named(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         ::strncasecmp(line.data(), name.data(), name.size()) == 0;
}

}  // namespace

std::optional<HttpRequest> HttpRequest::parse(std::string_view text) {
  const std::string_view line = text.substr(0, text.find("\r\n"));
  const auto method_ends = line.find(' ');
  const auto target_ends = line.rfind(' ');
  const bool is_http = target_ends != std::string_view::npos && method_ends < target_ends &&
                       line.substr(target_ends + 1).starts_with("HTTP/1.");
  if (!is_http) return std::nullopt;
  HttpRequest request;
  request.method = line.substr(0, method_ends);
  request.path = line.substr(method_ends + 1, target_ends - method_ends - 1);
  request.path = request.path.substr(0, request.path.find('?'));
  request.headers_ = text.substr(std::min(line.size() + 2, text.size()));
  return request;
}

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  std::optional<std::string_view> found;
  for (std::string_view rest = headers_; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(line.size() + 2, rest.size()));
    if (!is_named(line, name)) continue;
    if (found) return std::nullopt;
    found = trimmed(line.substr(name.size() + 1));
  }
  return found;
}

std::string http_response(std::string_view status,
                          std::string_view headers,
                          std::string_view body,
                          bool with_body) {
  return fmt::format("HTTP/1.1 {}\r\n{}Content-Length: {}\r\nConnection: close\r\n\r\n{}", status,
                     headers, body.size(), with_body ? body : std::string_view());
}

std::string http_refusal(std::string_view status, std::string_view headers, std::string_view why) {
  return http_response(status,
                       fmt::format("Content-Type: text/plain; charset=utf-8\r\n{}", headers), why);
}

}  // namespace interlock::cli
