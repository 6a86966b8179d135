#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interlock/detail/number.hpp"
#include "interlock/redis/redis_backend.hpp"

namespace interlock::redis {
namespace {

// A part is wrong in a URL whose form is right: the fact says what that part takes. The message
// never has the URL, which may contain a password.
Error bad_part(std::string_view fact) {
  return {Errc::invalid_argument, "bad store URL: " + std::string(fact)};
}

// The form is wrong. The advice has no login inside a URL: the program hides each of these.
Error bad_form(std::string_view fact) {
  return bad_part(std::string(fact) +
                  ": write redis://host[:port][/database], "
                  "rediss://host[:port][/database][?ca=FILE] (TLS), "
                  "redis+sentinel://host[:port],.../NAME[/database], "
                  "redis+cluster://host[:port],... or "
                  "redis+unix:///path[?db=number], with a login "
                  "(user:password@ or :password@) after the //");
}

Error unencoded_slash() {
  return bad_part(
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
    return bad_form("there is a user and no password (user:password@, or :password@)");
  }
  const auto user = percent_decoded(text.substr(0, colon));
  const auto password = percent_decoded(text.substr(colon + 1));
  if (!user || !password)
    return bad_part("the user or password is not percent-encoded correctly (% is %25)");
  if (password->empty())
    return bad_part("the password is empty: write one, or leave out the login");
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
    if (close == std::string_view::npos) return bad_form("the IPv6 address has no closing bracket");
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
  if (!host) return bad_part("the host is not percent-encoded correctly (% is %25)");
  if (host->empty()) return bad_form("the host is missing");
  const auto is_blank = [](unsigned char c) { return c <= ' ' || c == 0x7f; };
  if (std::any_of(host->begin(), host->end(), is_blank)) {
    return bad_part("the host has a space or a control character");
  }
  into_host = *host;
  if (port.empty()) return std::nullopt;
  const auto number = detail::parse_number(port.substr(1), 0, 65535);
  if (port.front() != ':' || !number || *number == 0) {
    return bad_part("the port is not a number from 1 to 65535");
  }
  into_port = static_cast<std::uint16_t>(*number);
  return std::nullopt;
}

std::optional<Error> parse_database(std::string_view text, Options& options) {
  const auto number = detail::parse_number(text, 0, largest_database);
  if (!number)
    return bad_part("the database is not a number from 0 to " + std::to_string(largest_database));
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

// Each with those of a quarantine, which come last.
constexpr std::array<std::string_view, 4> plain_parameters{"after-failover", "longest-ttl",
                                                           "max-lag", "retention"};
constexpr std::array<std::string_view, 5> unix_parameters{"db", "after-failover", "longest-ttl",
                                                          "max-lag", "retention"};
constexpr std::array<std::string_view, 8> tls_parameters{
    "ca", "cert", "key", "server-name", "after-failover", "longest-ttl", "max-lag", "retention"};
constexpr std::array<std::string_view, 6> sentinel_parameters{
    "sentinel-user", "sentinel-password", "after-failover", "longest-ttl", "max-lag", "retention"};
constexpr std::array<std::string_view, 10> tls_sentinel_parameters{
    "sentinel-user", "sentinel-password", "ca",          "cert",    "key",
    "server-name",   "after-failover",    "longest-ttl", "max-lag", "retention"};

// `h1:26379,h2:26379`. A host without a port has `port`.
std::optional<Error> parse_hosts(std::string_view hosts,
                                 std::uint16_t port,
                                 std::vector<HostAndPort>& into) {
  while (!hosts.empty()) {
    const std::string_view one = hosts.substr(0, hosts.find(','));
    hosts.remove_prefix(std::min(hosts.size(), one.size() + 1));
    HostAndPort& address = into.emplace_back();
    address.port = port;
    if (auto error = parse_host(one, address.host, address.port)) return error;
  }
  if (into.empty()) return bad_form("the host is missing");
  return std::nullopt;
}

// `h1:26379,h2:26379/NAME/0`, after the login.
std::optional<Error> parse_group(std::string_view rest, Options& options, SentinelGroup& group) {
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) {
    return bad_form("the name of the primary is missing (redis+sentinel://host[:port]/NAME)");
  }
  constexpr std::uint16_t port = 26379;
  if (auto error = parse_hosts(rest.substr(0, slash), port, group.addresses)) return error;
  const std::string_view path = rest.substr(slash + 1);
  const auto name = percent_decoded(path.substr(0, path.find('/')));
  if (!name || name->empty()) return bad_form("the name of the primary is missing or not encoded");
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
      for (const std::string_view each : names) {
        all += (all.empty() ? "" : ", ") + std::string(each);
      }
      return bad_part("this kind of URL takes the parameters " + all +
                      " (a ? in a password is %3F)");
    }
    auto value = percent_decoded(one.substr(equals + 1));
    if (!value) {
      return bad_part("the parameter " + std::string(name) +
                      " is not percent-encoded correctly (% is %25)");
    }
    if (value->empty()) return bad_part("the parameter " + std::string(name) + " is empty");
    for (const Parameter& each : into) {
      if (each.name == name) return bad_part("the parameter " + std::string(name) + " comes twice");
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
    return bad_part("server-name is the name of one server, without * and without a . before it");
  }
  if (tls.key.empty() || !tls.certificate.empty()) return std::nullopt;
  return bad_part("there is a key and no certificate (cert=FILE)");
}

// `60s`; at most a year, as a ttl.
std::optional<milliseconds> parse_duration(std::string_view text) {
  const auto count = detail::take_number<std::int64_t>(text);
  const std::array<std::pair<std::string_view, milliseconds>, 5> units{
      {{"ms", milliseconds{1}},
       {"s", std::chrono::seconds{1}},
       {"m", std::chrono::minutes{1}},
       {"h", std::chrono::hours{1}},
       {"d", std::chrono::hours{24}}}};
  for (const auto& [name, length] : units) {
    if (name != text || !count || *count < 0 || *count > Ttl::longest / length) continue;
    return *count * length;
  }
  return std::nullopt;
}

std::optional<Error> set_quarantine(const std::vector<Parameter>& parameters, Options& options) {
  // An old primary looks once a second which replicas have answered, and counts whole seconds.
  constexpr std::chrono::seconds looks_late{2};
  std::optional<bool> waits;
  std::optional<milliseconds> longest;
  std::optional<milliseconds> lag;
  for (const Parameter& each : parameters) {
    if (each.name == "after-failover") {
      if (each.value != "wait" && each.value != "grant") {
        return bad_part("after-failover is wait or grant");
      }
      waits = each.value == "wait";
    }
    if (each.name != "longest-ttl" && each.name != "max-lag") continue;
    const auto duration = parse_duration(each.value);
    if (!duration || (each.name == "longest-ttl" && *duration < Ttl::shortest)) {
      return bad_part(std::string(each.name) +
                      " is a number with ms, s, m, h or d, of a year at most");
    }
    (each.name == "longest-ttl" ? longest : lag) = duration;
  }
  if (waits.value_or(false) && !longest) {
    return bad_part("after-failover=wait needs the longest ttl of the store (&longest-ttl=60s)");
  }
  if (!waits.value_or(false) && (longest || lag)) {
    return bad_part("longest-ttl and max-lag are for after-failover=wait");
  }
  if (!waits.value_or(false)) return std::nullopt;
  options.quarantine.emplace(Ttl(*longest), lag ? *lag + looks_late : milliseconds{0});
  if (options.quarantine->wrong())
    return bad_part("max-lag is too long: with the 2 s that are added it must be a year at most");
  return std::nullopt;
}

// What is said of the locks, and not of the connection.
std::optional<Error> set_lock_parameters(const std::vector<Parameter>& parameters,
                                         Options& options) {
  for (const Parameter& each : parameters) {
    if (each.name != "retention") continue;
    const auto duration = parse_duration(each.value);
    const auto retention = Retention::parse(duration.value_or(milliseconds{0}));
    if (!retention) {
      return bad_part("retention is a number with ms, s, m, h or d, from 1m to 365d");
    }
    options.retention = *retention;
  }
  return set_quarantine(parameters, options);
}

std::string_view query_of(std::string_view rest) {
  const auto question = rest.find('?');
  return question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
}

std::optional<Error> parse_plain(std::string_view rest, Options& options) {
  if (rest.find('#') != std::string_view::npos) {
    return bad_part("redis:// takes no #, which in a password is %23");
  }
  std::vector<Parameter> parameters;
  if (auto error = parse_query(query_of(rest), plain_parameters, parameters)) return error;
  if (auto error = set_lock_parameters(parameters, options)) return error;
  return parse_tcp(rest.substr(0, rest.find('?')), options);
}

std::optional<Error> parse_encrypted(std::string_view rest, Options& options) {
  if (rest.find('#') != std::string_view::npos) {
    return bad_part("rediss:// takes no #, which in a password is %23");
  }
  std::vector<Parameter> parameters;
  options.tls.emplace();
  if (auto error = parse_query(query_of(rest), tls_parameters, parameters)) return error;
  if (auto error = set_tls(parameters, *options.tls)) return error;
  if (auto error = set_lock_parameters(parameters, options)) return error;
  return parse_tcp(rest.substr(0, rest.find('?')), options);
}

std::optional<Error> parse_sentinel(std::string_view rest, bool encrypted, Options& options) {
  SentinelGroup& group = options.sentinel.emplace();
  std::span<const std::string_view> names(sentinel_parameters);
  if (encrypted) names = tls_sentinel_parameters;
  std::vector<Parameter> parameters;
  if (auto error = parse_query(query_of(rest), names, parameters)) return error;
  if (encrypted) {
    if (auto error = set_tls(parameters, options.tls.emplace())) return error;
    group.tls = options.tls;
  }
  if (auto error = set_lock_parameters(parameters, options)) return error;
  for (const Parameter& each : parameters) {
    if (each.name == "sentinel-user") group.user = each.value;
    if (each.name == "sentinel-password") group.password = each.value;
  }
  if (!group.user.empty() && group.password.empty()) {
    return bad_part("there is a sentinel-user and no sentinel-password");
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

// `h1:7000,h2:7000/0`, after the login.
std::optional<Error> parse_servers(std::string_view rest, Options& options) {
  const auto slash = rest.find('/');
  if (auto error = parse_hosts(rest.substr(0, slash), options.port, options.cluster)) return error;
  if (slash == std::string_view::npos || slash + 1 == rest.size()) return std::nullopt;
  if (auto error = parse_database(rest.substr(slash + 1), options)) return error;
  if (options.database != 0) return bad_part("a cluster has database 0 alone");
  return std::nullopt;
}

std::optional<Error> parse_cluster(std::string_view rest, bool encrypted, Options& options) {
  std::span<const std::string_view> names(plain_parameters);
  if (encrypted) names = tls_parameters;
  std::vector<Parameter> parameters;
  if (auto error = parse_query(query_of(rest), names, parameters)) return error;
  if (encrypted) {
    if (auto error = set_tls(parameters, options.tls.emplace())) return error;
  }
  if (auto error = set_lock_parameters(parameters, options)) return error;
  if (options.quarantine) return bad_part("a Redis Cluster cannot wait (after-failover=wait)");
  rest = rest.substr(0, rest.find('?'));
  const auto slash = rest.find('/');
  if (slash != std::string_view::npos && rest.find('@', slash) != std::string_view::npos) {
    return unencoded_slash();
  }
  const auto at = rest.rfind('@');
  if (at == std::string_view::npos) return parse_servers(rest, options);
  if (auto error = parse_credentials(rest.substr(0, at), options)) return error;
  return parse_servers(rest.substr(at + 1), options);
}

std::optional<Error> parse_unix(std::string_view rest, Options& options) {
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return bad_form("the socket's absolute path is missing");
  if (slash > 0) {
    const std::string_view credentials = rest.substr(0, slash);
    if (!credentials.ends_with('@') && rest.find("@/", slash) != std::string_view::npos) {
      return unencoded_slash();
    }
    if (!credentials.ends_with('@')) {
      return bad_form("redis+unix:// takes no host: the path begins with a third slash");
    }
    const auto inner = credentials.substr(0, credentials.size() - 1);
    if (auto error = parse_credentials(inner, options)) return error;
  }
  const auto question = rest.find('?');
  const auto path = percent_decoded(rest.substr(slash, question - slash));
  if (!path) return bad_part("the path is not percent-encoded correctly (% is %25)");
  if (path->size() < 2) return bad_form("the socket's absolute path is missing");
  options.unix_socket = *path;
  std::vector<Parameter> parameters;
  if (auto error = parse_query(query_of(rest), unix_parameters, parameters)) return error;
  for (const Parameter& each : parameters) {
    if (each.name != "db") continue;
    if (auto error = parse_database(each.value, options)) return error;
  }
  return set_lock_parameters(parameters, options);
}

std::string shown(const std::string& host, std::uint16_t port) {
  const std::string text = with_controls_encoded(host);
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + text + "]" : text) + ":" + std::to_string(port);
}

std::string shown(const std::vector<HostAndPort>& all) {
  std::string text;
  for (const HostAndPort& each : all) {
    text += (text.empty() ? "" : ",") + shown(each.host, each.port);
  }
  return text;
}

}  // namespace

Result<Options> parse_url(std::string_view url) {
  constexpr std::string_view plain = "redis://";
  constexpr std::string_view encrypted = "rediss://";
  constexpr std::string_view unix_socket = "redis+unix://";
  constexpr std::string_view sentinel = "redis+sentinel://";
  constexpr std::string_view encrypted_sentinel = "rediss+sentinel://";
  constexpr std::string_view cluster = "redis+cluster://";
  constexpr std::string_view encrypted_cluster = "rediss+cluster://";
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
  } else if (url.starts_with(cluster)) {
    error = parse_cluster(url.substr(cluster.size()), false, options);
  } else if (url.starts_with(encrypted_cluster)) {
    error = parse_cluster(url.substr(encrypted_cluster.size()), true, options);
  } else {
    error = bad_form(
        "it does not begin with redis://, rediss://, redis+unix://, redis+sentinel:// or "
        "redis+cluster://");
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
  if (!options.cluster.empty()) return scheme + "+cluster://" + shown(options.cluster);
  if (!options.sentinel) {
    return scheme + "://" + shown(options.host, options.port) + "/" + database;
  }
  return scheme + "+sentinel://" + shown(options.sentinel->addresses) + "/" +
         with_controls_encoded(options.sentinel->primary) + "/" + database;
}

}  // namespace interlock::redis
