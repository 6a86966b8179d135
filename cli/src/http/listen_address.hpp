// Where a server listens.
#pragma once

#include <optional>
#include <string>

#include "console/failure.hpp"
#include "interlock/posix/descriptor.hpp"

namespace interlock::cli {

// A host and a port to listen on.
class ListenAddress {
 public:
  // `HOST:PORT`, `[IPV6]:PORT`, or `:PORT` for this machine alone. None: it is written as none of
  // these.
  static std::optional<ListenAddress> parse(const std::string& text);
  // `said` names the address in messages. Fails with 64 for a host that cannot be found, and with
  // 71 if the system refuses the port.
  Fallible<posix::Descriptor> listen(const std::string& said) const;

  std::string host;
  std::string port;
};

// `http://127.0.0.1:9112`, of a descriptor that listen() gave.
std::string listening_url(const posix::Descriptor& listener);

}  // namespace interlock::cli
