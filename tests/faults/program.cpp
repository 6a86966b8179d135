#include "program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "interlock/local_clock.hpp"

namespace interlock::test {
namespace {

[[noreturn]] void become(const std::string& folder,
                         std::vector<std::string> arguments,
                         const std::string& out,
                         const std::string& err) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto put = [](const std::string& path, int flags, int descriptor) {
    const int file = ::open(path.c_str(), flags, 0600);
    if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(125);
    ::close(file);
  };
  put("/dev/null", O_RDONLY, STDIN_FILENO);
  put(out, O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO);
  put(err, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(125);
  ::setenv("HOME", folder.c_str(), 1);
  ::setenv("INTERLOCK_STORE", ("sqlite:" + folder + "/default.sqlite3").c_str(), 1);
  for (const char* name : {"INTERLOCK_TTL", "INTERLOCK_WAIT"}) ::unsetenv(name);
  arguments.insert(arguments.begin(), INTERLOCK_TEST_PROGRAM);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  ::_exit(125);
}

}  // namespace

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool comes_true(const std::function<bool()>& condition, Duration limit) {
  const TimePoint give_up = local_now() + limit;
  while (!condition()) {
    if (local_now() >= give_up) return false;
    std::this_thread::sleep_for(milliseconds{3});
  }
  return true;
}

Program::Program(const ScratchFolder& folder, std::vector<std::string> arguments) {
  static int count = 0;
  const std::string number = std::to_string(++count);
  out_path_ = folder / ("out-" + number);
  err_path_ = folder / ("err-" + number);
  pid_ = ::fork();
  if (pid_ < 0) {
    std::perror("fork");
    std::abort();
  }
  if (pid_ == 0) become(folder.path().string(), std::move(arguments), out_path_, err_path_);
}

Program::~Program() {
  if (reap()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Program::signal(int number) const {
  if (!code_) ::kill(pid_, number);
}

bool Program::reap() {
  if (code_) return true;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

std::optional<int> Program::wait(Duration limit) {
  comes_true([this] { return reap(); }, limit);
  return code_;
}

}  // namespace interlock::test
