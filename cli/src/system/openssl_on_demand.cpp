// OpenSSL, loaded by the first connection with TLS. The loader needs 3 ms for it, half of an
// uncontended `interlock run`; linked into the program it needs 0.7 ms and 1.8 MB in each waiting
// process; and a security update of OpenSSL would need a new program. So this file defines the
// functions that the Redis store calls, and each of them calls the one of the shared library.
#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <cstdlib>

#define INTERLOCK_TEXT_OF(number) #number
#define INTERLOCK_LIBRARY(number) "libssl.so." INTERLOCK_TEXT_OF(number)

namespace {

// Null: it is not installed, or it lacks a function of this version.
void* library() {
  static void* const loaded =
      ::dlopen(INTERLOCK_LIBRARY(OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);
  return loaded;
}

// Called only after OPENSSL_init_ssl() has found the library.
template <class Function>
Function* find(const char* name) {
  void* const found = ::dlsym(library(), name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

}  // namespace

// The functions have C linkage and the types of OpenSSL's headers.
#define ON_DEMAND(result, name, parameters, arguments)     \
  result name parameters {                                 \
    static auto* const real = find<decltype(name)>(#name); \
    return real arguments;                                 \
  }

extern "C" {

int OPENSSL_init_ssl(uint64_t options, const OPENSSL_INIT_SETTINGS* settings) {
  if (library() == nullptr) return 0;
  static auto* const real = find<decltype(OPENSSL_init_ssl)>("OPENSSL_init_ssl");
  return real(options, settings);
}

ON_DEMAND(const unsigned char*, ASN1_STRING_get0_data, (const ASN1_STRING* text), (text))
ON_DEMAND(int, ASN1_STRING_length, (const ASN1_STRING* text), (text))
ON_DEMAND(void, BIO_clear_flags, (BIO * bio, int flags), (bio, flags))
ON_DEMAND(void*, BIO_get_data, (BIO * bio), (bio))
ON_DEMAND(void, BIO_meth_free, (BIO_METHOD * method), (method))
ON_DEMAND(BIO_METHOD*, BIO_meth_new, (int type, const char* name), (type, name))
ON_DEMAND(int,
          BIO_meth_set_ctrl,
          (BIO_METHOD * method, long (*call)(BIO*, int, long, void*)),
          (method, call))
ON_DEMAND(int,
          BIO_meth_set_read,
          (BIO_METHOD * method, int (*call)(BIO*, char*, int)),
          (method, call))
ON_DEMAND(int,
          BIO_meth_set_write,
          (BIO_METHOD * method, int (*call)(BIO*, const char*, int)),
          (method, call))
ON_DEMAND(BIO*, BIO_new, (const BIO_METHOD* method), (method))
ON_DEMAND(void, BIO_set_data, (BIO * bio, void* data), (bio, data))
ON_DEMAND(void, BIO_set_flags, (BIO * bio, int flags), (bio, flags))
ON_DEMAND(void, BIO_set_init, (BIO * bio, int init), (bio, init))
ON_DEMAND(void, ERR_clear_error, (), ())
ON_DEMAND(unsigned long, ERR_peek_error, (), ())
ON_DEMAND(const char*, ERR_reason_error_string, (unsigned long code), (code))
ON_DEMAND(void, GENERAL_NAMES_free, (GENERAL_NAMES * names), (names))
ON_DEMAND(int, OPENSSL_sk_num, (const OPENSSL_STACK* stack), (stack))
ON_DEMAND(void*, OPENSSL_sk_value, (const OPENSSL_STACK* stack, int at), (stack, at))
ON_DEMAND(long,
          SSL_CTX_ctrl,
          (SSL_CTX * context, int what, long number, void* data),
          (context, what, number, data))
ON_DEMAND(void, SSL_CTX_free, (SSL_CTX * context), (context))
ON_DEMAND(int, SSL_CTX_load_verify_dir, (SSL_CTX * context, const char* path), (context, path))
ON_DEMAND(int, SSL_CTX_load_verify_file, (SSL_CTX * context, const char* path), (context, path))
ON_DEMAND(SSL_CTX*, SSL_CTX_new, (const SSL_METHOD* method), (method))
ON_DEMAND(void,
          SSL_CTX_set_default_passwd_cb,
          (SSL_CTX * context, pem_password_cb* call),
          (context, call))
ON_DEMAND(int, SSL_CTX_set_default_verify_dir, (SSL_CTX * context), (context))
ON_DEMAND(int, SSL_CTX_set_default_verify_paths, (SSL_CTX * context), (context))
ON_DEMAND(uint64_t, SSL_CTX_set_options, (SSL_CTX * context, uint64_t options), (context, options))
ON_DEMAND(int,
          SSL_CTX_use_PrivateKey_file,
          (SSL_CTX * context, const char* path, int type),
          (context, path, type))
ON_DEMAND(int,
          SSL_CTX_use_certificate_chain_file,
          (SSL_CTX * context, const char* path),
          (context, path))
ON_DEMAND(long,
          SSL_ctrl,
          (SSL * session, int what, long number, void* data),
          (session, what, number, data))
ON_DEMAND(int, SSL_do_handshake, (SSL * session), (session))
ON_DEMAND(void, SSL_free, (SSL * session), (session))
ON_DEMAND(X509_VERIFY_PARAM*, SSL_get0_param, (SSL * session), (session))
ON_DEMAND(int, SSL_get_error, (const SSL* session, int result), (session, result))
ON_DEMAND(void*, SSL_get_ex_data, (const SSL* session, int at), (session, at))
ON_DEMAND(int, SSL_get_ex_data_X509_STORE_CTX_idx, (), ())
ON_DEMAND(long, SSL_get_verify_result, (const SSL* session), (session))
ON_DEMAND(int, SSL_has_pending, (const SSL* session), (session))
ON_DEMAND(SSL*, SSL_new, (SSL_CTX * context), (context))
ON_DEMAND(int, SSL_peek, (SSL * session, void* into, int size), (session, into, size))
ON_DEMAND(int, SSL_read, (SSL * session, void* into, int size), (session, into, size))
ON_DEMAND(void, SSL_set_bio, (SSL * session, BIO* in, BIO* out), (session, in, out))
ON_DEMAND(void, SSL_set_connect_state, (SSL * session), (session))
ON_DEMAND(int, SSL_set_ex_data, (SSL * session, int at, void* data), (session, at, data))
ON_DEMAND(void,
          SSL_set_verify,
          (SSL * session, int mode, SSL_verify_cb call),
          (session, mode, call))
ON_DEMAND(int, SSL_write, (SSL * session, const void* from, int size), (session, from, size))
ON_DEMAND(const SSL_METHOD*, TLS_client_method, (), ())
ON_DEMAND(X509*, X509_STORE_CTX_get_current_cert, (const X509_STORE_CTX* check), (check))
ON_DEMAND(void*, X509_STORE_CTX_get_ex_data, (const X509_STORE_CTX* check, int at), (check, at))
ON_DEMAND(int,
          X509_VERIFY_PARAM_set1_host,
          (X509_VERIFY_PARAM * checks, const char* name, size_t size),
          (checks, name, size))
ON_DEMAND(int,
          X509_VERIFY_PARAM_set1_ip_asc,
          (X509_VERIFY_PARAM * checks, const char* address),
          (checks, address))
ON_DEMAND(int,
          X509_VERIFY_PARAM_set_flags,
          (X509_VERIFY_PARAM * checks, unsigned long flags),
          (checks, flags))
ON_DEMAND(void,
          X509_VERIFY_PARAM_set_hostflags,
          (X509_VERIFY_PARAM * checks, unsigned flags),
          (checks, flags))
ON_DEMAND(const char*, X509_get_default_cert_dir, (), ())
ON_DEMAND(const char*, X509_get_default_cert_dir_env, (), ())
ON_DEMAND(const char*, X509_get_default_cert_file_env, (), ())
ON_DEMAND(void*,
          X509_get_ext_d2i,
          (const X509* certificate, int what, int* critical, int* at),
          (certificate, what, critical, at))
ON_DEMAND(const char*, X509_verify_cert_error_string, (long code), (code))

}  // extern "C"
