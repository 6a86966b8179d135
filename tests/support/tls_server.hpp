// A redis-server with a port for TLS and one without.
#pragma once

#include <string>
#include <vector>

#include "support/certificates.hpp"
#include "support/redis_server.hpp"

namespace interlock::test {

class TlsServer {
 public:
  // Has the certificate `server` of these, unless another is named, and asks for none of the
  // client, unless `more` says so (options as on the command line).
  explicit TlsServer(const Certificates& certificates,
                     const std::vector<std::string>& more = {},
                     const std::string& certificate = {})
      : authority_(certificates.authority()),
        server_(settings(
            certificates, certificate.empty() ? certificates.server() : certificate, more)) {}

  int port() const { return port_; }
  // Trusts the authority.
  std::string url() const {
    return "rediss://127.0.0.1:" + std::to_string(port_) + "/0?ca=" + authority_;
  }
  const RedisServer& plain() const { return server_; }
  RedisServer& plain() { return server_; }

 private:
  RedisSettings settings(const Certificates& certificates,
                         const std::string& certificate,
                         const std::vector<std::string>& more) const {
    RedisSettings made;
    made.arguments = {"--tls-port",         std::to_string(port_),
                      "--tls-cert-file",    certificate,
                      "--tls-key-file",     certificates.server_key(),
                      "--tls-ca-cert-file", certificates.authority(),
                      "--tls-auth-clients", "no"};
    made.arguments.insert(made.arguments.end(), more.begin(), more.end());
    return made;
  }

  std::string authority_;
  int port_ = free_port();
  RedisServer server_;
};

}  // namespace interlock::test
