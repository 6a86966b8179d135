// What the program needs that contains the C library and OpenSSL, and meets systems that it was not
// built for: cmake/interlock_static_program.cmake.
#include <nss.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <array>

namespace {

// The C library would load modules for the sources that /etc/nsswitch.conf names, LDAP for example.
// They belong to the system's own C library, and a second one in this process may crash it. The
// sources below are a part of the program.
[[gnu::constructor]] void look_names_up_without_modules() {
  struct Sources {
    const char* database;
    const char* sources;
  };
  constexpr std::array<Sources, 4> each{{
      {"hosts", "files dns"},
      {"services", "files"},
      {"passwd", "files"},
      {"group", "files"},
  }};
  for (const auto& [database, sources] : each) __nss_configure_lookup(database, sources);
}

template <std::size_t count>
const char* first_readable(const std::array<const char*, count>& paths) {
  for (const char* const path : paths) {
    if (::access(path, R_OK) == 0) return path;
  }
  return paths.front();
}

}  // namespace

// OpenSSL knows one place of the authorities' certificates, that of the system which it was built
// on. These functions replace its own; it asks them all.
extern "C" {

const char* X509_get_default_cert_file(void) {
  return first_readable(std::array{
      "/etc/ssl/certs/ca-certificates.crt",  // Debian, Arch
      "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora
      "/etc/ssl/ca-bundle.pem",              // SUSE
      "/etc/ssl/cert.pem",                   // Alpine
  });
}
const char* X509_get_default_cert_dir(void) {
  return first_readable(std::array{"/etc/ssl/certs", "/etc/pki/tls/certs"});
}
const char* X509_get_default_cert_area(void) {
  return "/etc/ssl";
}
const char* X509_get_default_private_dir(void) {
  return "/etc/ssl/private";
}
const char* X509_get_default_cert_file_env(void) {
  return "SSL_CERT_FILE";
}
const char* X509_get_default_cert_dir_env(void) {
  return "SSL_CERT_DIR";
}

}  // extern "C"
