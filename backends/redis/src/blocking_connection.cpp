#include "blocking_connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>

namespace interlock::redis {
namespace {

timeval to_timeval(Duration duration) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(duration);
  timeval value{};
  value.tv_sec = static_cast<time_t>(seconds.count());
  value.tv_usec = static_cast<suseconds_t>((duration - seconds).count());
  return value;
}

std::string in_ms(Duration duration) {
  return std::to_string(std::chrono::ceil<milliseconds>(duration).count()) + " ms";
}

}  // namespace

void BlockingConnection::close() {
  socket_.reset();
  reader_.reset();
  greeted_ = false;
}

std::optional<Error> BlockingConnection::open() {
  if (socket_) {
    if (is_at_rest()) return {};
    close();
  }
  if (auto error = back_off_.pause(Clock::now())) return error;
  if (auto error = connect()) {
    close();
    back_off_.failed(*error, Clock::now());
    return error;
  }
  back_off_.succeeded();
  ++made_;
  return std::nullopt;
}

std::optional<Error> BlockingConnection::connect() {
  PatientWait wait(endpoint_->options().connect_timeout);
  const Addresses addresses = endpoint_->resolver().resolve(wait);
  if (!addresses) return endpoint_->cannot_connect(addresses.error());
  std::optional<Error> error;
  for (const Address& address : *addresses) {
    error = connect_to(address, wait);
    if (!error) return greet(wait);
  }
  return error;
}

std::optional<Error> BlockingConnection::connect_to(const Address& address, PatientWait& wait) {
  auto socket = start_connect(address);
  if (!socket) return endpoint_->cannot_connect(socket.error());
  if (!wait.ready(socket->get(), POLLOUT)) {
    return endpoint_->cannot_connect("no answer within " +
                                     in_ms(endpoint_->options().connect_timeout));
  }
  if (const int error = connect_error(*socket)) {
    return endpoint_->cannot_connect(system_text(error));
  }
  socket_ = std::move(*socket);
  reader_.emplace();
  wait_in_calls();
  return std::nullopt;
}

// From here on the kernel does the waiting: one call to send, one to receive, no poll(2) between.
// An answer that is not there after the first step of the wait for it is awaited by poll(2).
void BlockingConnection::wait_in_calls() {
  const int flags = fcntl(socket_.get(), F_GETFL);
  static_cast<void>(fcntl(socket_.get(), F_SETFL, flags & ~O_NONBLOCK));
  const Duration longest = endpoint_->options().command_timeout;
  const timeval step = to_timeval(PatientWait(longest).step());
  static_cast<void>(setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &step, sizeof step));
  const timeval limit = to_timeval(longest);
  static_cast<void>(setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
}

std::optional<Error> BlockingConnection::greet(PatientWait& wait) {
  int error_number = 0;
  const std::string& greeting = endpoint_->greeting();
  if (write(greeting, error_number) != greeting.size()) {
    return endpoint_->cannot_connect(system_text(error_number));
  }
  for (std::size_t index = 0; index < endpoint_->greeting_answers(); ++index) {
    const auto answer = receive(wait);
    if (!answer) return answer.error();
    if (!*answer) {
      return endpoint_->not_greeted("connected, but the server said nothing within " +
                                    in_ms(endpoint_->options().connect_timeout));
    }
    if (auto error = endpoint_->judge_greeting(index, **answer)) return error;
  }
  if (reader_->has_more()) return endpoint_->not_greeted(unasked_answer);
  greeted_ = true;
  return std::nullopt;
}

// Checked before each command. A server that was restarted meanwhile has closed the connection, and
// a command that is sent into it would have an unknown outcome for no reason. And an unread reply
// would be taken for the answer to the next command: for a grant, say.
bool BlockingConnection::is_at_rest() const {
  return !reader_->has_more() && has_nothing_to_read(socket_);
}

// How many bytes the kernel took.
std::size_t BlockingConnection::write(std::string_view command, int& error_number) {
  std::size_t written = 0;
  while (written < command.size()) {
    const ssize_t size =
        ::send(socket_.get(), command.data() + written, command.size() - written, MSG_NOSIGNAL);
    if (size >= 0) {
      written += static_cast<std::size_t>(size);
    } else if (errno != EINTR) {
      error_number = errno == EAGAIN ? ETIMEDOUT : errno;
      break;
    }
  }
  return written;
}

// A command without its last byte is never executed.
Error BlockingConnection::unsent(int error_number) {
  close();
  return {Errc::unavailable,
          "cannot send to " + endpoint_->name() + ": " + system_text(error_number) + ": try again"};
}

Error BlockingConnection::broken(const std::string& fact) {
  const bool greeted = greeted_;
  close();
  return greeted ? endpoint_->no_answer(fact) : endpoint_->not_greeted(fact);
}

std::optional<Error> BlockingConnection::send(std::string_view command) {
  int error_number = 0;
  if (write(command, error_number) == command.size()) return std::nullopt;
  return unsent(error_number);
}

Result<Answer> BlockingConnection::exchange(std::string_view command) {
  if (auto error = begin(command)) return *std::move(error);
  return await_answer();
}

std::optional<Error> BlockingConnection::begin(std::string_view command) {
  if (auto error = open()) return error;
  int error_number = 0;
  const std::size_t written = write(command, error_number);
  if (written == 0) {
    // The connection had broken without our noticing. Nothing was sent, so begin anew.
    close();
    if (auto error = open()) return error;
    return send(command);
  }
  if (written != command.size()) return unsent(error_number);
  return std::nullopt;
}

// Reads once what there is; waits for it as long as SO_RCVTIMEO says. False: nothing came.
Result<bool> BlockingConnection::read_some() {
  std::array<char, 16UL * 1024> buffer;
  const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (size > 0) {
    reader_->feed(std::string_view(buffer.data(), static_cast<std::size_t>(size)));
    return true;
  }
  if (size == 0) return broken("the server closed the connection");
  if (errno == EAGAIN || errno == EINTR) return false;
  return broken(system_text(errno));
}

Result<Answer> BlockingConnection::await_answer() {
  PatientWait wait(endpoint_->options().command_timeout);
  std::string_view fact = "silence for ";
  for (bool first = true;; first = false) {
    // The answer may have come together with the answer before.
    if (auto answer = reader_->next()) {
      if (!*answer) return broken(answer->error().detail());
      return std::move(*answer);
    }
    // An answer in pieces, or a signal, brings us here again; a server that sends a byte now and
    // then must not reset the limit each time.
    if (!first && !wait.ready(socket_.get(), POLLIN)) {
      return broken(std::string(fact) + in_ms(endpoint_->options().command_timeout));
    }
    const Result<bool> came = read_some();
    if (!came) return came.error();
    if (*came) {
      fact = "no whole answer within ";
    } else {
      wait.step_is_over();
    }
  }
}

Result<std::optional<Answer>> BlockingConnection::receive(PatientWait& wait) {
  for (;;) {
    if (auto answer = reader_->next()) {
      if (!*answer) return broken(answer->error().detail());
      return std::optional<Answer>(std::move(**answer));
    }
    if (!wait.ready(socket_.get(), POLLIN)) return std::optional<Answer>();
    if (const Result<bool> came = read_some(); !came) return came.error();
  }
}

}  // namespace interlock::redis
