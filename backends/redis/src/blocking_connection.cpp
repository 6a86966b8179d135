#include "blocking_connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace interlock::redis {
namespace {

timeval to_timeval(Duration duration) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(duration);
  timeval value{};
  value.tv_sec = static_cast<time_t>(seconds.count());
  value.tv_usec = static_cast<suseconds_t>((duration - seconds).count());
  return value;
}

}  // namespace

void BlockingConnection::close() {
  transport_ = Transport();
  reader_.reset();
  greeted_ = false;
}

std::optional<Error> BlockingConnection::open() {
  if (transport_) {
    const Result<bool> is_usable = is_at_rest() ? leads_to_primary() : Result<bool>(false);
    if (is_usable && *is_usable) return {};
    close();
    if (!is_usable) return is_usable.error();
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
    if (error) continue;
    error = begin_session(address, wait);
    if (!error) return error;
    if (error_needs_probe_) {
      const auto found = probe(address, endpoint_->suspected(), endpoint_->longest_probe());
      error = endpoint_->judge_dialect(*error, found);
    }
    break;
  }
  return error ? endpoint_->of_address(*error, addresses->front()) : error;
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
  transport_ = Transport(*std::move(socket));
  reader_.emplace();
  if (endpoint_->resolver().sentinels()) {
    server_ = address.text_with_port();
    last_use_ = Clock::now();
  }
  return std::nullopt;
}

std::optional<Error> BlockingConnection::begin_session(const Address& address, PatientWait& wait) {
  error_needs_probe_ = false;
  if (endpoint_->options().tls) {
    if (auto error = shake_hands(address, wait)) return error;
  }
  wait_in_calls();
  return greet(wait);
}

// From here on the kernel does the waiting: one call to send, one to receive, no poll(2) between.
// An answer that is not there after the first step of the wait for it is awaited by poll(2).
void BlockingConnection::wait_in_calls() {
  const int flags = fcntl(transport_.descriptor(), F_GETFL);
  static_cast<void>(fcntl(transport_.descriptor(), F_SETFL, flags & ~O_NONBLOCK));
  const Duration longest = endpoint_->options().command_timeout;
  const timeval step = to_timeval(PatientWait(longest).step());
  static_cast<void>(
      setsockopt(transport_.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &step, sizeof step));
  const timeval limit = to_timeval(longest);
  static_cast<void>(
      setsockopt(transport_.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
}

std::optional<Error> BlockingConnection::shake_hands(const Address& address, PatientWait& wait) {
  if (auto error =
          transport_.begin_tls(*endpoint_->options().tls, endpoint_->certificate_name(address))) {
    return endpoint_->cannot_connect(*error);
  }
  for (;;) {
    const Transfer step = transport_.shake_hands();
    if (step.is_broken()) return broken(step);
    if (step.wait_for == 0) return std::nullopt;
    if (wait.ready(transport_.descriptor(), step.wait_for)) continue;
    error_needs_probe_ = !transport_.was_answered();
    return endpoint_->not_greeted(endpoint_->silence());
  }
}

std::optional<Error> BlockingConnection::greet(PatientWait& wait) {
  const std::string& greeting = endpoint_->greeting();
  std::string fact;
  if (write(greeting, fact) != greeting.size()) {
    // The server may have said why it does not listen.
    const Result<bool> came = read_some();
    return came ? endpoint_->cannot_connect(fact) : came.error();
  }
  for (std::size_t index = 0; index < endpoint_->greeting_answers(); ++index) {
    const auto answer = receive(wait);
    if (!answer) return answer.error();
    if (!*answer) return endpoint_->not_greeted(endpoint_->silence());
    if (auto error = endpoint_->judge_greeting(index, **answer)) return error;
  }
  if (reader_->has_more()) return endpoint_->not_greeted(unasked_answer);
  if (endpoint_->is_replaced(server_)) return endpoint_->replaced();
  greeted_ = true;
  return std::nullopt;
}

// Checked before each command. A server that was restarted meanwhile has closed the connection, and
// a command that is sent into it would have an unknown outcome for no reason. And an unread reply
// would be taken for the answer to the next command: for a grant, say.
bool BlockingConnection::is_at_rest() const {
  return !reader_->has_more() && transport_.is_at_rest();
}

// A primary that stood still, and was replaced meanwhile, takes itself for the primary when it goes
// on. A connection that was in use has broken by its silence. One that was idle may still lead
// there. If no Sentinel says where the primary is, such a connection is not used: the machine that
// was cut off may be this one.
Result<bool> BlockingConnection::leads_to_primary() {
  if (!endpoint_->resolver().sentinels()) return true;
  if (endpoint_->is_replaced(server_)) return false;
  const Clock::time_point now = Clock::now();
  const Clock::time_point before = std::exchange(last_use_, now);
  if (now - before < endpoint_->options().command_timeout) return true;
  PatientWait wait(endpoint_->options().connect_timeout);
  const Addresses primary = endpoint_->resolver().resolve(wait);
  if (!primary) return endpoint_->cannot_connect(primary.error());
  return std::any_of(primary->begin(), primary->end(),
                     [this](const Address& each) { return each.text_with_port() == server_; });
}

// How many bytes the kernel took. `fact`: why not all of them.
std::size_t BlockingConnection::write(std::string_view command, std::string& fact) {
  std::size_t written = 0;
  while (written < command.size()) {
    const Transfer sent = transport_.write(command.substr(written));
    if (sent.size == 0) {
      fact = sent.is_broken() ? sent.fact : system_text(ETIMEDOUT);
      break;
    }
    written += sent.size;
  }
  return written;
}

// A command without its last byte is never executed.
Error BlockingConnection::unsent(const std::string& fact) {
  close();
  return {Errc::unavailable, "cannot send to " + endpoint_->name() + ": " + fact + ": try again"};
}

Error BlockingConnection::broken(const Transfer& transfer) {
  const bool greeted = greeted_;
  // This is what servers of TLS do to those who speak without.
  error_needs_probe_ = !transport_.has_tls();
  close();
  if (transfer.is_refusal) return endpoint_->refused(transfer.fact);
  return greeted ? endpoint_->no_answer(transfer.fact) : endpoint_->not_greeted(transfer.fact);
}

std::optional<Error> BlockingConnection::send(std::string_view command) {
  std::string fact;
  if (write(command, fact) == command.size()) return std::nullopt;
  return unsent(fact);
}

Result<Answer> BlockingConnection::exchange(std::string_view command) {
  if (auto error = begin(command)) return *std::move(error);
  return await_answer();
}

std::optional<Error> BlockingConnection::begin(std::string_view command) {
  if (auto error = open()) return error;
  std::string fact;
  const std::size_t written = write(command, fact);
  if (written == 0) {
    // The connection had broken without our noticing. Nothing was sent, so begin anew.
    close();
    if (auto error = open()) return error;
    return send(command);
  }
  if (written != command.size()) return unsent(fact);
  return std::nullopt;
}

// Reads what there is; waits for it as long as SO_RCVTIMEO says. False: nothing came.
Result<bool> BlockingConnection::read_some() {
  std::array<char, 16UL * 1024> buffer;
  Transfer came = transport_.read(buffer.data(), buffer.size());
  if (came.size == 0 && !came.is_broken()) return false;
  for (;;) {
    if (came.is_broken()) return broken(came);
    reader_->feed(std::string_view(buffer.data(), came.size));
    // Without TLS the rest is left to the next call: the kernel still has it.
    if (!transport_.has_tls() || !transport_.may_have_more(came.size, buffer.size())) return true;
    came = transport_.read_now(buffer.data(), buffer.size());
    if (came.size == 0 && !came.is_broken()) return true;
  }
}

Result<Answer> BlockingConnection::await_answer() {
  PatientWait wait(endpoint_->options().command_timeout);
  std::string_view fact = "silence for ";
  for (bool first = true;; first = false) {
    // The answer may have come together with the answer before.
    if (auto answer = reader_->next()) {
      if (!*answer) return broken(Transfer::broken(answer->error().detail()));
      return std::move(*answer);
    }
    // An answer in pieces, or a signal, brings us here again; a server that sends a byte now and
    // then must not reset the limit each time.
    if (!first && !wait.ready(transport_.descriptor(), POLLIN)) {
      return broken(
          Transfer::broken(std::string(fact) + in_ms(endpoint_->options().command_timeout)));
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
      if (!*answer) return broken(Transfer::broken(answer->error().detail()));
      return std::optional<Answer>(std::move(**answer));
    }
    if (!wait.ready(transport_.descriptor(), POLLIN)) return std::optional<Answer>();
    if (const Result<bool> came = read_some(); !came) return came.error();
  }
}

}  // namespace interlock::redis
