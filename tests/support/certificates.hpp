// Certificates of one test's own, made by openssl(1) in a temporary folder.
#pragma once

#include <string>

#include "support/scratch_folder.hpp"

namespace interlock::test {

// An authority and what it has signed; all are paths of PEM files. What openssl cannot make ends
// the test program with a message.
class Certificates {
 public:
  Certificates();

  std::string authority() const { return folder_ / "authority.pem"; }
  // For localhost and 127.0.0.1.
  std::string server() const { return folder_ / "server.pem"; }
  std::string server_key() const { return folder_ / "server.key"; }
  // As server(), but its time is over. It has the same key.
  std::string expired() const { return folder_ / "expired.pem"; }
  std::string client() const { return folder_ / "client.pem"; }
  std::string client_key() const { return folder_ / "client.key"; }
  std::string locked_key() const { return folder_ / "locked.key"; }  // the same, with a password
  std::string client_with_key() const { return folder_ / "both.pem"; }
  // Another authority, which has signed none of these, and its key.
  std::string stranger() const { return folder_ / "stranger.pem"; }
  std::string stranger_key() const { return folder_ / "stranger.key"; }
  // A folder with hashed names in which the authority is.
  std::string hashed() const { return folder_ / "hashed"; }

 private:
  ScratchFolder folder_;
};

}  // namespace interlock::test
