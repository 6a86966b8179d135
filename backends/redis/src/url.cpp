#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "interlock/detail/number.hpp"
#include "interlock/redis/redis_backend.hpp"

namespace interlock::redis {
namespace {

// The message has the fact alone and never the URL, which may contain a password. The advice has no
// login inside a URL: the program hides each of these.
Error bad_url(std::string_view fact) {
  return {Errc::invalid_argument, "bad store URL: " + std::string(fact) +
                                      ": write redis://host[:port][/database], "
                                      "rediss://host[:port][/database][?ca=FILE] (TLS), "
                                      "redis+sentinel://host[:port],.../NAME[/database] or "
                                      "redis+unix:///path[?db=number], with a login "
                                      "(user:password@ or :password@) after the //"};
}

Error unencoded_slash() {
  return bad_url(
      "a / stands before the @: in a user or a password / is written as %2F, @ as %40 "
      "and % as %25");
}

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// Replaces what could break a line or control a terminal.
std::string with_controls_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x20 && byte != 0x7f) {
      encoded.push_back(each);
    } else {
      encoded += {'%', digits[byte / 16U], digits[byte % 16U]};
    }
  }
  return encoded;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] != '%') {
      decoded.push_back(text[index]);
      continue;
    }
    if (index + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[index + 1]);
    const int low = hex_digit(text[index + 2]);
    const int byte = high * 16 + low;
    // A zero byte would cut a path or a name short on its way through the system.
    if (high < 0 || low < 0 || byte == 0) return std::nullopt;
    decoded.push_back(static_cast<char>(byte));
    index += 2;
  }
  return decoded;
}

constexpr int largest_database = 1'000'000'000;

// Parses `user:password` or `:password`.
std::optional<Error> parse_credentials(std::string_view text, Options& options) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    return bad_url("there is a user and no password (user:password@, or :password@)");
  }
  const auto user = percent_decoded(text.substr(0, colon));
  const auto password = percent_decoded(text.substr(colon + 1));
  if (!user || !password) return bad_url("the user or password is not percent-encoded correctly");
  if (password->empty()) return bad_url("the password is empty");
  options.user = *user;
  options.password = *password;
  return std::nullopt;
}

std::optional<Error> parse_host(std::string_view text,
                                std::string& into_host,
                                std::uint16_t& into_port) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return bad_url("the IPv6 address has no closing bracket");
    port = text.substr(close + 1);
    text = text.substr(1, close - 1);
  } else {
    const auto colon = text.find(':');
    if (colon != std::string_view::npos) {
      port = text.substr(colon);
      text = text.substr(0, colon);
    }
  }
  const auto host = percent_decoded(text);
  if (!host) return bad_url("the host is not percent-encoded correctly");
  if (host->empty()) return bad_url("the host is missing");
  into_host = *host;
  if (port.empty()) return std::nullopt;
  const auto number = detail::parse_number(port.substr(1), 0, 65535);
  if (port.front() != ':' || !number || *number == 0) {
    return bad_url("the port is not a number from 1 to 65535");
  }
  into_port = static_cast<std::uint16_t>(*number);
  return std::nullopt;
}

std::optional<Error> parse_database(std::string_view text, Options& options) {
  const auto number = detail::parse_number(text, 0, largest_database);
  if (!number) return bad_url("the database is not a number");
  options.database = *number;
  return std::nullopt;
}

std::optional<Error> parse_tcp(std::string_view rest, Options& options) {
  const auto slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos && rest.find('@', slash) != std::string_view::npos) {
    return unencoded_slash();
  }
  const auto at = authority.rfind('@');
  if (at != std::string_view::npos) {
    if (auto error = parse_credentials(authority.substr(0, at), options)) return error;
  }
  const std::string_view host = at == std::string_view::npos ? authority : authority.substr(at + 1);
  if (auto error = parse_host(host, options.host, options.port)) return error;
  if (slash == std::string_view::npos || slash + 1 == rest.size()) return std::nullopt;
  return parse_database(rest.substr(slash + 1), options);
}

std::optional<Error> parse_plain(std::string_view rest, Options& options) {
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return bad_url("redis:// takes no ? or #, which in a password are %3F and %23");
  }
  return parse_tcp(rest, options);
}

constexpr std::array<std::string_view, 4> tls_parameters{"ca", "cert", "key", "server-name"};
constexpr std::array<std::string_view, 6> sentinel_parameters{
    "sentinel-user", "sentinel-password", "ca", "cert", "key", "server-name"};

// `h1:26379,h2:26379/NAME/0`, after the login.
std::optional<Error> parse_group(std::string_view rest, Options& options, SentinelGroup& group) {
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) {
    return bad_url("the name of the primary is missing (redis+sentinel://host[:port]/NAME)");
  }
  std::string_view hosts = rest.substr(0, slash);
  while (!hosts.empty()) {
    const std::string_view one = hosts.substr(0, hosts.find(','));
    hosts.remove_prefix(std::min(hosts.size(), one.size() + 1));
    HostAndPort& address = group.addresses.emplace_back();
    if (auto error = parse_host(one, address.host, address.port)) return error;
  }
  if (group.addresses.empty()) return bad_url("the host is missing");
  const std::string_view path = rest.substr(slash + 1);
  const auto name = percent_decoded(path.substr(0, path.find('/')));
  if (!name || name->empty()) return bad_url("the name of the primary is missing or not encoded");
  group.primary = *name;
  const auto second = path.find('/');
  if (second == std::string_view::npos || second + 1 == path.size()) return std::nullopt;
  return parse_database(path.substr(second + 1), options);
}

class Parameter {
 public:
  std::string_view name;
  std::string value;
};

// Parses `name=value&name=value`, of these names.
std::optional<Error> parse_query(std::string_view query,
                                 std::span<const std::string_view> names,
                                 std::vector<Parameter>& into) {
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    const auto equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    if (equals == std::string_view::npos ||
        std::find(names.begin(), names.end(), name) == names.end()) {
      std::string all;
      for (const std::string_view each : names)
        all += (all.empty() ? "" : ", ") + std::string(each);
      return bad_url("this kind of URL takes the parameters " + all +
                     " (a ? in a password is %3F)");
    }
    auto value = percent_decoded(one.substr(equals + 1));
    if (!value) return bad_url("a parameter is not percent-encoded correctly");
    if (value->empty()) return bad_url("the parameter " + std::string(name) + " is empty");
    for (const Parameter& each : into) {
      if (each.name == name) return bad_url("the parameter " + std::string(name) + " comes twice");
    }
    into.push_back({name, *std::move(value)});
  }
  return std::nullopt;
}

std::optional<Error> set_tls(const std::vector<Parameter>& parameters, Tls& tls) {
  for (const Parameter& each : parameters) {
    if (each.name == "ca") tls.authorities = each.value;
    if (each.name == "cert") tls.certificate = each.value;
    if (each.name == "key") tls.key = each.value;
    if (each.name == "server-name") tls.server_name = each.value;
  }
  if (tls.server_name.starts_with('.') || tls.server_name.find('*') != std::string::npos) {
    return bad_url("server-name is the name of one server, without * and without a . before it");
  }
  if (tls.key.empty() || !tls.certificate.empty()) return std::nullopt;
  return bad_url("there is a key and no certificate (cert=FILE)");
}

std::string_view query_of(std::string_view rest) {
  const auto question = rest.find('?');
  return question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
}

std::optional<Error> parse_encrypted(std::string_view rest, Options& options) {
  if (rest.find('#') != std::string_view::npos) {
    return bad_url("rediss:// takes no #, which in a password is %23");
  }
  std::vector<Parameter> parameters;
  options.tls.emplace();
  if (auto error = parse_query(query_of(rest), tls_parameters, parameters)) return error;
  if (auto error = set_tls(parameters, *options.tls)) return error;
  return parse_tcp(rest.substr(0, rest.find('?')), options);
}

std::optional<Error> parse_sentinel(std::string_view rest, bool encrypted, Options& options) {
  SentinelGroup& group = options.sentinel.emplace();
  const std::span<const std::string_view> all(sentinel_parameters);
  const std::span<const std::string_view> names = encrypted ? all : all.first(2);
  std::vector<Parameter> parameters;
  if (auto error = parse_query(query_of(rest), names, parameters)) return error;
  if (encrypted) {
    if (auto error = set_tls(parameters, options.tls.emplace())) return error;
    group.tls = options.tls;
  }
  for (const Parameter& each : parameters) {
    if (each.name == "sentinel-user") group.user = each.value;
    if (each.name == "sentinel-password") group.password = each.value;
  }
  if (!group.user.empty() && group.password.empty()) {
    return bad_url("there is a sentinel-user and no sentinel-password");
  }
  rest = rest.substr(0, rest.find('?'));
  const auto slash = rest.find('/');
  if (slash != std::string_view::npos && rest.find('@', slash) != std::string_view::npos) {
    return unencoded_slash();
  }
  const auto at = rest.rfind('@');
  if (at == std::string_view::npos) return parse_group(rest, options, group);
  if (auto error = parse_credentials(rest.substr(0, at), options)) return error;
  return parse_group(rest.substr(at + 1), options, group);
}

std::optional<Error> parse_unix(std::string_view rest, Options& options) {
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return bad_url("the socket's absolute path is missing");
  if (slash > 0) {
    const std::string_view credentials = rest.substr(0, slash);
    if (!credentials.ends_with('@') && rest.find("@/", slash) != std::string_view::npos) {
      return unencoded_slash();
    }
    if (!credentials.ends_with('@')) {
      return bad_url("redis+unix:// takes no host: the path begins with a third slash");
    }
    const auto inner = credentials.substr(0, credentials.size() - 1);
    if (auto error = parse_credentials(inner, options)) return error;
  }
  const auto question = rest.find('?');
  const auto path = percent_decoded(rest.substr(slash, question - slash));
  if (!path) return bad_url("the path is not percent-encoded correctly");
  if (path->size() < 2) return bad_url("the socket's absolute path is missing");
  options.unix_socket = *path;
  if (question == std::string_view::npos) return std::nullopt;
  std::string_view query = rest.substr(question + 1);
  if (!query.starts_with("db=")) return bad_url("the only parameter is ?db=number");
  query.remove_prefix(3);
  return parse_database(query, options);
}

std::string shown(const std::string& host, std::uint16_t port) {
  const std::string text = with_controls_encoded(host);
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + text + "]" : text) + ":" + std::to_string(port);
}

}  // namespace

Result<Options> parse_url(std::string_view url) {
  constexpr std::string_view plain = "redis://";
  constexpr std::string_view encrypted = "rediss://";
  constexpr std::string_view unix_socket = "redis+unix://";
  constexpr std::string_view sentinel = "redis+sentinel://";
  constexpr std::string_view encrypted_sentinel = "rediss+sentinel://";
  Options options;
  std::optional<Error> error;
  if (url.starts_with(plain)) {
    error = parse_plain(url.substr(plain.size()), options);
  } else if (url.starts_with(encrypted)) {
    error = parse_encrypted(url.substr(encrypted.size()), options);
  } else if (url.starts_with(unix_socket)) {
    error = parse_unix(url.substr(unix_socket.size()), options);
  } else if (url.starts_with(sentinel)) {
    error = parse_sentinel(url.substr(sentinel.size()), false, options);
  } else if (url.starts_with(encrypted_sentinel)) {
    error = parse_sentinel(url.substr(encrypted_sentinel.size()), true, options);
  } else {
    error =
        bad_url("it does not begin with redis://, rediss://, redis+unix:// or redis+sentinel://");
  }
  if (error) return *error;
  return options;
}

std::string describe(const Options& options) {
  const std::string database = std::to_string(options.database);
  if (!options.unix_socket.empty()) {
    const bool plain = options.database == 0;
    return "redis+unix://" + with_controls_encoded(options.unix_socket) +
           (plain ? "" : "?db=" + database);
  }
  const std::string scheme = options.tls ? "rediss" : "redis";
  if (!options.sentinel) {
    return scheme + "://" + shown(options.host, options.port) + "/" + database;
  }
  std::string hosts;
  for (const HostAndPort& each : options.sentinel->addresses) {
    hosts += (hosts.empty() ? "" : ",") + shown(each.host, each.port);
  }
  return scheme + "+sentinel://" + hosts + "/" + with_controls_encoded(options.sentinel->primary) +
         "/" + database;
}

}  // namespace interlock::redis
