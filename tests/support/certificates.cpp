#include "support/certificates.hpp"

#include <cstdio>
#include <cstdlib>

namespace interlock::test {

Certificates::Certificates() {
  // Elliptic curves: keys in milliseconds.
  static constexpr const char* script = R"(
set -e
exec >log 2>&1
key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1"
root() { openssl req -x509 $key -nodes -keyout "$1.key" -out "$1.pem" -days 2 -subj "/CN=$1"; }
sign() {
  name=$1 to=$2
  shift 2
  openssl x509 -req -in "$name.csr" -CA authority.pem -CAkey authority.key -CAcreateserial \
    "$@" -extfile "$name.names" -out "$to.pem"
}
root authority
root stranger
openssl req $key -nodes -keyout server.key -out server.csr -subj /CN=server
echo subjectAltName=DNS:localhost,IP:127.0.0.1 >server.names
sign server server -days 2
# OpenSSL 3.4 and newer refuse the first, and older ones do not know the second.
sign server expired -days -1 ||
  sign server expired -not_before 20200101000000Z -not_after 20200102000000Z
openssl req $key -nodes -keyout client.key -out client.csr -subj /CN=client
echo subjectAltName=DNS:client >client.names
sign client client -days 2
cat client.pem client.key >both.pem
openssl pkey -in client.key -aes256 -passout pass:secret -out locked.key
mkdir hashed
cp authority.pem hashed/
openssl rehash hashed
)";
  const std::string command = "cd '" + folder_.path().string() + "' && sh -c '" + script + "'";
  if (std::system(command.c_str()) == 0) return;
  std::fprintf(stderr, "certificates: openssl fails: see %s, or install openssl\n",
               (folder_ / "log").c_str());
  std::abort();
}

}  // namespace interlock::test
