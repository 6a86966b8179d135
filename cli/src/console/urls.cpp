#include "console/urls.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace interlock::cli {
namespace {

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '.' || letter == '-' || letter == '_' ||
           letter == '+';
  });
}

// HOST, HOST:PORT, HOST:PORT/DB, a path, a word: a text without the characters with which a
// password could begin, in any form of URL.
bool names_a_place(std::string_view text) {
  const std::string_view host = text.substr(0, text.find('/'));
  std::string_view path = text.substr(host.size());
  const auto colon = host.rfind(':');
  const std::string_view name = host.substr(0, colon);
  const std::string_view port =
      colon == std::string_view::npos ? std::string_view() : host.substr(colon + 1);
  const bool is_ipv6 = name.starts_with('[') && name.ends_with(']');
  const bool is_host =
      is_ipv6 ? name.find_first_not_of("[]:.0123456789abcdefABCDEF") == std::string_view::npos
              : is_plain(name) && (!name.empty() || port.empty());
  const bool is_port = port.find_first_not_of("0123456789") == std::string_view::npos;
  while (!path.empty()) {
    path.remove_prefix(1);
    if (!is_plain(path.substr(0, path.find('/')))) return false;
    path.remove_prefix(std::min(path.find('/'), path.size()));
  }
  return is_host && is_port;
}

// With `several`: `HOST:PORT,HOST:PORT/NAME/DB`, too.
bool names_places(std::string_view text, bool several) {
  while (several) {
    const std::string_view one = text.substr(0, text.find_first_of(",/"));
    if (one.size() == text.size() || text[one.size()] == '/') break;
    if (!names_a_place(one)) return false;
    text.remove_prefix(one.size() + 1);
  }
  return names_a_place(text);
}

// The parameters of TLS, which tell no secret: `ca=FILE&server-name=NAME`.
bool names_files(std::string_view query) {
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    const auto equals = one.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = one.substr(0, equals);
    if (name != "ca" && name != "cert" && name != "key" && name != "server-name") return false;
    const std::string_view value = one.substr(equals + 1);
    const bool is_path = std::all_of(value.begin(), value.end(), [](char letter) {
      return letter == '/' || letter == '%' || letter == '~' || is_plain({&letter, 1});
    });
    if (!is_path) return false;
  }
  return true;
}

// Without the login of Sentinels, which is in parameters.
std::string without_sentinel_login(const std::string& url) {
  const auto question = url.rfind('?');
  if (url.find("+sentinel://") == std::string::npos || question == std::string::npos) return url;
  std::string kept;
  std::string_view query = std::string_view(url).substr(question + 1);
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    if (one.starts_with("sentinel-user=") || one.starts_with("sentinel-password=")) continue;
    kept += (kept.empty() ? "?" : "&") + std::string(one);
  }
  return url.substr(0, question) + kept;
}

}  // namespace

bool is_redis_url(std::string_view text) {
  constexpr std::array<std::string_view, 7> schemes{
      "redis://",           "rediss://",        "redis+unix://",    "redis+sentinel://",
      "rediss+sentinel://", "redis+cluster://", "rediss+cluster://"};
  return std::any_of(schemes.begin(), schemes.end(),
                     [text](std::string_view scheme) { return text.starts_with(scheme); });
}

std::string without_password(const std::string& url) {
  constexpr std::string_view sqlite = "sqlite:";
  if (url.starts_with(sqlite)) {
    const std::string path = url.substr(sqlite.size());
    // A path may have any character, but is no URL.
    return is_redis_url(path) ? std::string(sqlite) + without_password(path) : url;
  }
  const auto scheme_end = url.find("://");
  const std::string scheme = scheme_end == std::string::npos ? "" : url.substr(0, scheme_end + 3);
  // A password may contain '@'; the last one ends it.
  const auto at = url.rfind('@');
  std::string place = at == std::string::npos ? url.substr(scheme.size()) : url.substr(at + 1);
  if (const auto question = place.find('?');
      scheme.starts_with("rediss") && question != std::string::npos &&
      names_files(std::string_view(place).substr(question + 1))) {
    place.resize(question);
  }
  if (!is_plain(scheme.substr(0, scheme.size() - std::min<std::size_t>(scheme.size(), 3)))) {
    return "...";
  }
  const bool may_be_several = scheme.ends_with("+sentinel://") || scheme.ends_with("+cluster://");
  if (!names_places(place, may_be_several)) return scheme + "...";
  return at == std::string::npos ? url : scheme + "...@" + url.substr(at + 1);
}

std::string without_login(const std::string& url) {
  constexpr std::string_view hidden = "...@";
  std::string rest = without_password(without_sentinel_login(url));
  if (rest.ends_with("...")) return "...";
  if (const auto at = rest.find(hidden); at != std::string::npos) rest.erase(at, hidden.size());
  return rest;
}

std::string without_passwords(std::string_view text) {
  std::string shown;
  for (auto scheme = text.find("://"); scheme != std::string_view::npos;
       scheme = text.find("://")) {
    const auto begin = scheme + 3;
    const std::string_view word = text.substr(begin, text.find_first_of(" \t\n'\"", begin) - begin);
    const auto at = word.rfind('@');
    shown += text.substr(0, begin);
    if (at != std::string_view::npos) shown += "...";
    text.remove_prefix(begin + (at != std::string_view::npos ? at : 0));
  }
  return shown.append(text);
}

void hide_passwords(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word(arguments[i]);
    if (word == "--") return;
    if (const auto name = word.find("password="); name != std::string_view::npos) {
      const auto value = name + std::string_view("password=").size();
      std::fill(arguments[i] + value, arguments[i] + word.size(), '*');
    }
    const auto at = word.rfind('@');
    const auto scheme = word.find("://");
    if (at == std::string_view::npos || scheme == std::string_view::npos || scheme > at) continue;
    const auto colon = word.find(':', scheme + 3);
    if (colon >= at) continue;
    std::fill(arguments[i] + colon + 1, arguments[i] + at, '*');
  }
}

}  // namespace interlock::cli
