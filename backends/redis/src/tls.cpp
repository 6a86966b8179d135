#include "tls.hpp"

#include <dirent.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

#include "interlock/posix/failure.hpp"

namespace interlock::redis {
namespace {

// --- the socket, as OpenSSL sees it --------------------------------------------------------------

// OpenSSL's own socket BIO would raise SIGPIPE when the server has closed the connection.
class Wire {
 public:
  int socket = -1;
  // Whether a read may wait, where the socket does. Only once in each call of OpenSSL: otherwise a
  // server that sends a byte now and then keeps that call for as long as a record has bytes.
  bool may_wait = true;
  bool was_answered = false;
  int error = 0;  // of the last call; 0: the other side has closed the connection
};

Wire& wire_of(BIO* bio) {
  return *static_cast<Wire*>(BIO_get_data(bio));
}

int note_failure(Wire& wire, int error) {
  wire.error = error;
  return -1;
}

int write_to_wire(BIO* bio, const char* bytes, int size) {
  Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  for (;;) {
    const ssize_t sent = ::send(wire.socket, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<int>(sent);
    if (errno == EAGAIN) BIO_set_retry_write(bio);
    if (errno != EINTR) return note_failure(wire, errno);
  }
}

int read_from_wire(BIO* bio, char* into, int size) {
  Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  const int flags = std::exchange(wire.may_wait, false) ? 0 : MSG_DONTWAIT;
  const ssize_t came = ::recv(wire.socket, into, static_cast<std::size_t>(size), flags);
  if (came > 0) {
    wire.was_answered = true;
    return static_cast<int>(came);
  }
  if (came == 0) {
    wire.error = 0;
    return 0;
  }
  if (errno == EAGAIN || errno == EINTR) BIO_set_retry_read(bio);
  return note_failure(wire, errno);
}

long control_wire(BIO*, int what, long, void*) {
  return what == BIO_CTRL_FLUSH ? 1 : 0;
}

struct FreeMethod {
  void operator()(BIO_METHOD* method) const noexcept { BIO_meth_free(method); }
};
using WireMethod = std::unique_ptr<BIO_METHOD, FreeMethod>;

// One for each stream: a static one might be half made in a child of fork().
WireMethod make_wire_method() {
  WireMethod made(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket"));
  if (!made) return made;
  BIO_meth_set_write(made.get(), write_to_wire);
  BIO_meth_set_read(made.get(), read_from_wire);
  BIO_meth_set_ctrl(made.get(), control_wire);
  return made;
}

// --- OpenSSL's objects and errors ----------------------------------------------------------------

struct FreeContext {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
struct FreeSession {
  void operator()(SSL* session) const noexcept { SSL_free(session); }
};
struct FreeNames {
  void operator()(GENERAL_NAMES* names) const noexcept { GENERAL_NAMES_free(names); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

// The reason of the oldest error, in OpenSSL's words.
std::string first_reason() {
  const unsigned long code = ERR_peek_error();
  if (ERR_GET_LIB(code) == ERR_LIB_SYS) return posix::system_text(ERR_GET_REASON(code));
  const char* const reason = ERR_reason_error_string(code);
  return reason == nullptr ? "no reason is known" : reason;
}

Error bad_file(const std::string& what, const std::string& path, const std::string& advice) {
  return {Errc::rejected, what + " " + path + " cannot be used: " + first_reason() + ": " + advice};
}

// Otherwise OpenSSL would ask for it at the terminal.
int no_password(char*, int, int, void*) {
  return 0;
}

// A folder whose names are hashes of the authorities, as c_rehash(1) makes it: OpenSSL then reads
// the one file that it needs. The system's one file with all of them takes 50 ms to read.
bool has_hashed_names(const char* folder) {
  constexpr std::size_t digits = 8;
  DIR* const all = ::opendir(folder);
  if (all == nullptr) return false;
  bool found = false;
  while (const dirent* const one = found ? nullptr : ::readdir(all)) {
    const std::string_view name(one->d_name);
    found = name.size() > digits && name[digits] == '.' &&
            name.find_first_not_of("0123456789abcdef") == digits;
  }
  ::closedir(all);
  return found;
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// What is opened must not wait: a pipe would, for its writer, and the loop with it.
std::optional<Error> check_kind(const std::string& what, const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return std::nullopt;
  return Error(Errc::rejected, what + " " + path + " is no regular file: name a PEM file");
}

std::optional<Error> trust_folder(SSL_CTX* context, const std::string& folder) {
  DIR* const readable = ::opendir(folder.c_str());
  if (readable == nullptr) {
    return Error(Errc::rejected, "the folder of authorities " + folder + " cannot be used: " +
                                     posix::system_text(errno) + ": name one that can be read");
  }
  ::closedir(readable);
  if (!has_hashed_names(folder.c_str())) {
    return Error(Errc::rejected, "the folder of authorities " + folder +
                                     " has no file with a hashed name: run openssl rehash " +
                                     folder);
  }
  if (SSL_CTX_load_verify_dir(context, folder.c_str()) == 1) return std::nullopt;
  return bad_file("the folder of authorities", folder, "name a PEM file with their certificates");
}

std::optional<Error> trust_authorities(SSL_CTX* context, const Tls& tls) {
  if (tls.authorities.empty()) {
    const bool file_is_chosen = std::getenv(X509_get_default_cert_file_env()) != nullptr;
    const char* const chosen = std::getenv(X509_get_default_cert_dir_env());
    const bool folder_will_do =
        !file_is_chosen &&
        has_hashed_names(chosen == nullptr ? X509_get_default_cert_dir() : chosen);
    const int found = folder_will_do ? SSL_CTX_set_default_verify_dir(context)
                                     : SSL_CTX_set_default_verify_paths(context);
    if (found == 1) return std::nullopt;
    return Error(Errc::rejected, "the system's certificates cannot be read: " + first_reason() +
                                     ": install them (ca-certificates), or name a file (?ca=FILE)");
  }
  if (is_folder(tls.authorities)) return trust_folder(context, tls.authorities);
  if (auto error = check_kind("the file of authorities", tls.authorities)) return error;
  if (SSL_CTX_load_verify_file(context, tls.authorities.c_str()) == 1) return std::nullopt;
  return bad_file("the file of authorities", tls.authorities,
                  "name a PEM file with their certificates");
}

std::optional<Error> use_own_certificate(SSL_CTX* context, const Tls& tls) {
  if (tls.certificate.empty()) return std::nullopt;
  if (auto error = check_kind("the client certificate", tls.certificate)) return error;
  if (SSL_CTX_use_certificate_chain_file(context, tls.certificate.c_str()) != 1) {
    return bad_file("the client certificate", tls.certificate,
                    "name a PEM file with it and its chain");
  }
  const std::string& key = tls.key.empty() ? tls.certificate : tls.key;
  if (auto error = check_kind("the key", key)) return error;
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return bad_file("the key", key,
                    "name a PEM file with the key of the client certificate, without a password");
  }
  return std::nullopt;
}

Result<Context> make_context(const Tls& tls) {
  // Threads that end after main() may still use a connection.
  if (OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr) != 1) {
    return Error(Errc::rejected,
                 "TLS needs OpenSSL 3, which cannot be loaded: install it (libssl3), or write "
                 "redis:// and the address of a TLS tunnel on this machine");
  }
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_client_method()));
  if (!context) return Error(Errc::unavailable, "TLS cannot begin: " + first_reason());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // An end without its notice is an end: answers say themselves where they end.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  if (auto error = trust_authorities(context.get(), tls)) return *error;
  if (auto error = use_own_certificate(context.get(), tls)) return *error;
  return context;
}

// --- a certificate that does not convince --------------------------------------------------------

std::string text_of(const GENERAL_NAME& name) {
  if (name.type == GEN_DNS) {
    const auto* const text = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name.d.dNSName));
    return {text, static_cast<std::size_t>(ASN1_STRING_length(name.d.dNSName))};
  }
  if (name.type == GEN_IPADD && ASN1_STRING_length(name.d.iPAddress) == 4) {
    const unsigned char* const part = ASN1_STRING_get0_data(name.d.iPAddress);
    return std::to_string(part[0]) + "." + std::to_string(part[1]) + "." + std::to_string(part[2]) +
           "." + std::to_string(part[3]);
  }
  return {};
}

// A certificate may contain anything, also what controls a terminal.
std::string printable(std::string text) {
  for (char& each : text) {
    if (std::isgraph(static_cast<unsigned char>(each)) == 0) each = '?';
  }
  return text;
}

// "a, b, c ..."; empty: none that can be told.
std::string names_in(X509* certificate) {
  constexpr int most = 3;
  const std::unique_ptr<GENERAL_NAMES, FreeNames> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::string all;
  int told = 0;
  for (int at = 0; names && at < sk_GENERAL_NAME_num(names.get()); ++at) {
    const std::string name = printable(text_of(*sk_GENERAL_NAME_value(names.get(), at)));
    if (name.empty()) continue;
    if (++told > most) return all + " ...";
    all += (all.empty() ? "" : ", ") + name;
  }
  return all;
}

std::string why_not_trusted(long verdict, const std::string& wanted, const std::string& names) {
  const std::string said = X509_verify_cert_error_string(verdict);
  switch (verdict) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "the server's certificate is not for '" + wanted + "'" +
             (names.empty() ? "" : " but for " + names) +
             (names == wanted ? " (a name, not an address)" : "") +
             ": write a name that it has as the host, or as ?server-name=NAME";
    case X509_V_ERR_INVALID_PURPOSE:
    case X509_V_ERR_INVALID_CA:
      return "the server's certificate is not trusted (" + said +
             "): give the server one that is made for servers, by an authority";
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the server's " + said +
             ": renew the server's certificate, or correct the clock of this machine";
    default:
      return "the server's certificate is not trusted (" + said +
             "): name the file of the authority that has signed it: ?ca=FILE";
  }
}

// A refusal by the other side, or an answer that is not TLS.
std::string why_refused(unsigned long code) {
  const std::string said = first_reason();
  switch (ERR_GET_REASON(code)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
      return "what answers there does not speak TLS (" + said +
             "): write redis:// for a port without TLS, or the port of TLS";
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_UNSUPPORTED_PROTOCOL:
      return "the server refuses TLS (" + said + "): let it speak TLS 1.2 or 1.3";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return "the server refuses TLS (" + said +
             "): give the client certificate that it asks for: ?cert=FILE&key=FILE";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
      return "the server refuses the client certificate (" + said +
             "): give one that it accepts: ?cert=FILE&key=FILE";
    default:
      return {};
  }
}

}  // namespace

class TlsStream::Parts {
 public:
  Wire wire;
  std::string wanted;       // the name that the certificate must have
  std::string other_names;  // that it has instead
  WireMethod method;        // outlives the session
  std::unique_ptr<SSL, FreeSession> session;
};

namespace {

// Notes the names of a certificate that was refused: OpenSSL keeps the certificate only if all is
// well. Changes no verdict.
int note_names(int verdict, X509_STORE_CTX* check) {
  void* const session = X509_STORE_CTX_get_ex_data(check, SSL_get_ex_data_X509_STORE_CTX_idx());
  X509* const certificate = X509_STORE_CTX_get_current_cert(check);
  if (verdict == 0 && session != nullptr && certificate != nullptr) {
    *static_cast<std::string*>(SSL_get_app_data(static_cast<SSL*>(session))) =
        names_in(certificate);
  }
  return verdict;
}

}  // namespace

TlsStream::TlsStream(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TlsStream::~TlsStream() = default;

Result<std::unique_ptr<TlsStream>> TlsStream::over(int socket, const Tls& tls, std::string name) {
  auto context = make_context(tls);
  if (!context) return std::move(context).error();
  auto parts = std::make_unique<Parts>();
  parts->wire.socket = socket;
  parts->wanted = std::move(name);
  parts->session.reset(SSL_new(context->get()));
  parts->method = make_wire_method();
  BIO* const bio = parts->method ? BIO_new(parts->method.get()) : nullptr;
  if (!parts->session || bio == nullptr) {
    return Error(Errc::unavailable, "TLS cannot begin: " + first_reason());
  }
  BIO_set_data(bio, &parts->wire);
  BIO_set_init(bio, 1);
  SSL* const session = parts->session.get();
  SSL_set_bio(session, bio, bio);
  SSL_set_app_data(session, &parts->other_names);
  SSL_set_verify(session, SSL_VERIFY_PEER, note_names);
  SSL_set_connect_state(session);
  // An address is compared with the addresses in the certificate, and is not sent as a name:
  // RFC 6066, section 3.
  X509_VERIFY_PARAM* const checks = SSL_get0_param(session);
  // An authority that is named is trusted, also if another one has signed it.
  X509_VERIFY_PARAM_set_flags(checks, X509_V_FLAG_PARTIAL_CHAIN);
  if (X509_VERIFY_PARAM_set1_ip_asc(checks, parts->wanted.c_str()) != 1) {
    ERR_clear_error();
    X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    // OpenSSL takes a name that begins with a period for all names under it.
    const bool is_pattern =
        parts->wanted.starts_with('.') || parts->wanted.find('*') != std::string::npos;
    if (is_pattern || X509_VERIFY_PARAM_set1_host(checks, parts->wanted.c_str(), 0) != 1 ||
        SSL_set_tlsext_host_name(session, parts->wanted.c_str()) != 1) {
      return Error(Errc::rejected, "no certificate can have the name '" + parts->wanted +
                                       "': write the name of one server");
    }
  }
  return std::unique_ptr<TlsStream>(new TlsStream(std::move(parts)));
}

Transfer TlsStream::why_failed() {
  const unsigned long code = ERR_peek_error();
  if (ERR_GET_LIB(code) == ERR_LIB_SSL) {
    if (ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
      return Transfer::refused(why_not_trusted(SSL_get_verify_result(parts_->session.get()),
                                               parts_->wanted, parts_->other_names));
    }
    if (std::string why = why_refused(code); !why.empty()) return Transfer::refused(std::move(why));
  }
  if (code != 0) return Transfer::broken("TLS: " + first_reason());
  if (parts_->wire.error == 0) return Transfer::broken("the server closed the connection");
  return Transfer::broken(posix::system_text(parts_->wire.error));
}

Transfer TlsStream::result_of(int result) {
  if (result > 0) return Transfer::of(static_cast<std::size_t>(result));
  switch (SSL_get_error(parts_->session.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Transfer::must_wait(POLLIN);
    case SSL_ERROR_WANT_WRITE:
      return Transfer::must_wait(POLLOUT);
    case SSL_ERROR_ZERO_RETURN:
      return Transfer::broken("the server closed the connection");
    default:
      return why_failed();
  }
}

Transfer TlsStream::shake_hands() {
  ERR_clear_error();
  return result_of(SSL_do_handshake(parts_->session.get()));
}

Transfer TlsStream::read(char* into, std::size_t size, bool now) {
  ERR_clear_error();
  parts_->wire.may_wait = !now;
  const auto most = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
  return result_of(SSL_read(parts_->session.get(), into, most));
}

Transfer TlsStream::write(std::string_view bytes) {
  ERR_clear_error();
  const auto most = static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX));
  return result_of(SSL_write(parts_->session.get(), bytes.data(), most));
}

bool TlsStream::is_at_rest() {
  ERR_clear_error();
  char byte = 0;
  parts_->wire.may_wait = false;
  // This also takes the tickets in, which a server of TLS 1.3 sends unasked.
  const int result = SSL_peek(parts_->session.get(), &byte, 1);
  return result <= 0 && SSL_get_error(parts_->session.get(), result) == SSL_ERROR_WANT_READ;
}

bool TlsStream::has_buffered() const noexcept {
  return SSL_has_pending(parts_->session.get()) == 1;
}

bool TlsStream::was_answered() const noexcept {
  return parts_->wire.was_answered;
}

}  // namespace interlock::redis
