// What crosses the border of a shared library: exceptions, types, and what there is once in a
// process.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "interlock/client.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"

namespace {

int failures = 0;

void expect(bool is, const char* what) {
  if (is) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}

// Thrown in the library, caught by its type here.
void exceptions_of_the_library() {
  try {
    interlock::Client client(nullptr);
    expect(false, "a client without a store throws");
  } catch (const interlock::LockFailure& failure) {
    expect(failure.error().code() == interlock::Errc::invalid_argument,
           "the error of a LockFailure");
  } catch (...) {
    expect(false, "a LockFailure is one here, too");
  }
}

// Thrown here, passed through the library.
void exceptions_of_the_program() {
  interlock::Client locks(interlock::memory::backend());
  try {
    (void)locks.with_lock("orders/42", [](interlock::Guard&) { throw std::out_of_range("mine"); });
    expect(false, "the exception of a section passes on");
  } catch (const std::out_of_range&) {
    expect(static_cast<bool>(locks.try_acquire("orders/42")), "the lock was released");
  }
}

interlock::Task<int> fails() {
  throw std::length_error("in a task");
  co_return 1;
}
void exceptions_of_a_task() {
  interlock::Client locks(interlock::memory::backend());
  try {
    (void)locks.wait_for(fails());
    expect(false, "the exception of a task passes on");
  } catch (const std::length_error&) {
  }
}

void fork_is_noticed() {
  interlock::Client locks(interlock::memory::backend());
  const pid_t child = ::fork();
  if (child == 0) {
    const auto result = locks.try_acquire("orders/42");
    ::_exit(!result && result.error() && result.error()->code() == interlock::Errc::forked ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  expect(status == 0, "a client in a child of fork() says so");
}

#ifdef SHARED_CONSUMER_PLUG_IN
template <class Function>
Function* function_of(void* plug_in, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(plug_in, name));
}

void with_a_plug_in(const char* file) {
  void* const plug_in = ::dlopen(SHARED_CONSUMER_PLUG_IN, RTLD_NOW | RTLD_LOCAL);
  if (plug_in == nullptr) return expect(false, ::dlerror());
  std::shared_ptr<interlock::Backend> store;
  function_of<void(std::shared_ptr<interlock::Backend>*)>(plug_in, "make_store")(&store);
  interlock::Client locks(store);
  expect(static_cast<bool>(locks.try_acquire("orders/42")), "a store of the plug-in");
  try {
    function_of<void()>(plug_in, "throw_failure")();
  } catch (const interlock::LockFailure& failure) {
    expect(std::string(failure.what()) == "thrown by the plug-in", "the words of the plug-in");
  } catch (...) {
    expect(false, "a LockFailure of the plug-in is one here, too");
  }
  // SQLite's files are a state of the process: closing one drops the locks of all descriptors of
  // it.
  const auto own = interlock::sqlite::backend(file);
  if (!own) return expect(false, own.error().detail().c_str());
  interlock::Client mine(*own);
  const auto held = mine.try_acquire("orders/42");
  const auto can_lock = function_of<bool(const char*)>(plug_in, "can_lock");
  expect(held && !can_lock(file), "the plug-in is excluded");
  expect(!can_lock(file), "and again, when it has closed the file once");
}
#else
void with_a_plug_in(const char*) {}
#endif

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 64;
  exceptions_of_the_library();
  exceptions_of_the_program();
  exceptions_of_a_task();
  fork_is_noticed();
  with_a_plug_in(arguments[1]);
  expect(interlock::redis::backend("redis://127.0.0.1:1/0").has_value(), "a store on Redis");
  return failures == 0 ? 0 : 1;
}
