#include "interlock/posix/failure.hpp"

#include <cerrno>
#include <system_error>

namespace interlock::posix {
namespace {

const char* advice(int error_number) {
  switch (error_number) {
    case EMFILE:
      return ": close some descriptors, or raise this process's limit (ulimit -n)";
    case ENFILE:
      return ": the whole machine has no descriptor left: raise fs.file-max";
    case EAGAIN:
      // The system says this also if there is no memory for a new thread's stack.
      return ": end some threads or processes, or raise the limit (ulimit -u, ulimit -v)";
    case ENOMEM:
    case ENOBUFS:
      return ": free some memory, or raise the limit (ulimit -v)";
    case ENOSPC:
      return ": raise the limit of fs.epoll.max_user_watches";
    default:
      return "";
  }
}

}  // namespace

std::string system_text(int error_number) {
  return std::generic_category().message(error_number);
}

Error failure(const std::string& what, int error_number) {
  return {Errc::unavailable, what + ": " + system_text(error_number) + advice(error_number)};
}

}  // namespace interlock::posix
