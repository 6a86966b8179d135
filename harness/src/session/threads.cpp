// A client with several threads. Each asks before it waits: `B` when it begins, `K` for a lock, and
// what a single thread asks. It also asks where it may be preempted: `F` when it has released a
// lock, `Y` when it has started a thread. When all threads wait for an answer, the search answers
// one of them, which goes on alone.
#include "session/threads.hpp"

#include <algorithm>

#include "interlock/detail/number.hpp"
#include "server/notes.hpp"
#include "session/session.hpp"

namespace interlock::harness {

// Takes what a thread tells: `C` it starts another, `E` it ends, `F LOCK` and `G LOCK` it has
// released a lock. False: the thread waits for its turn, as after `F`.
bool ClientSession::answer_thread(char what, const std::string& rest) {
  if (what == 'C') {
    threads_.begin();
    notes().trusts.insert(
        "the threads of a client switch where they wait, and one is preempted once at most, where "
        "it has released a lock or started another");
    if (expects_messages()) {
      notes().stop("a client starts a thread while it waits for messages, which is not modelled");
    }
  } else if (what == 'E') {
    threads_.end();
  } else if (what == 'F' || what == 'G') {
    for (Question& question : questions_) {
      if (question.text.starts_with("K " + rest + " ")) question.is_woken = true;
    }
    return what == 'G';
  } else {
    return false;
  }
  return true;
}

bool ClientSession::all_threads_wait() {
  const auto asking =
      std::count_if(questions_.begin(), questions_.end(),
                    [](const Question& question) { return !question.text.empty(); });
  return static_cast<std::size_t>(asking) >= threads_.alive();
}

std::optional<std::vector<ClientRequest>> ClientSession::next_of_threads() {
  if (!ended_ && !all_threads_wait()) return std::nullopt;
  pump(0);
  int at_once = 0;
  for (Link* const link : links_in_order()) take_requests_of(*link, at_once);
  if (!ended_ && wake_a_thread()) return std::nullopt;
  if (ended_) sleeps.cancel_all(client_.time());
  std::vector<ClientRequest> requests = take_requests_of_threads();
  if (!requests.empty()) return requests;
  if (ended_) return std::nullopt;
  const bool may_go_on =
      !sleeps.empty() ||
      std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.is_in_flight; });
  if (!notes().problem.empty()) return std::nullopt;
  if (!may_go_on) requests.emplace_back(ClientRequest::Kind::sleep);  // without an end
  return requests;
}

// The threads that may go on. If the one that ran last is among them, it is the first.
std::vector<ClientSession::Question*> ClientSession::runnable() {
  std::vector<Question*> all;
  for (Question& question : questions_) {
    if (question.text.empty()) continue;
    constexpr std::string_view no_waits = "BFQY";
    if (question.is_woken || no_waits.find(question.text.front()) != std::string_view::npos) {
      all.push_back(&question);
    }
  }
  std::sort(all.begin(), all.end(), [this](const Question* one, const Question* other) {
    const auto place = [this](const Question* of) {
      return std::pair(of->thread != threads_.running, of->thread);
    };
    return place(one) < place(other);
  });
  return all;
}

// Lets one of the threads go on that may. The search tries each of them. But a thread that need not
// wait is preempted only as often as Threads allows. False: no thread may go on.
bool ClientSession::wake_a_thread() {
  const std::vector<Question*> all = runnable();
  if (all.empty()) return false;
  const char first = all.front()->text.front();
  const bool need_not_wait =
      all.front()->thread == threads_.running && (first == 'F' || first == 'Y');
  const bool chooses = all.size() > 1 && (!need_not_wait || threads_.may_preempt());
  Question& chosen = *all[chooses ? client_.choose(all.size()) : 0];
  if (need_not_wait && &chosen != all.front()) threads_.note_preemption();
  threads_.running = chosen.thread;
  sleeps.cancel(chosen.number, client_.time());
  const char what = chosen.text.front();
  reply_to(chosen, what == 'Q'                  ? "nothing\n"
                   : what == 'W' || what == 'P' ? "look again\n"
                                                : "ok\n");
  return true;
}

void ClientSession::wake_those_who_wait_for(const Link& link) {
  for (Question& question : questions_) {
    if (question.is_for(link)) question.is_woken = true;
  }
}

std::vector<ClientRequest> ClientSession::take_requests_of_threads() {
  std::vector<ClientRequest> all;
  for (Link* const link : links_in_order()) {
    if (link->request) all.push_back(link->take());
  }
  std::vector<Question*> asking;
  for (Question& question : questions_) {
    if (!question.text.empty() && !question.is_asleep) asking.push_back(&question);
  }
  std::sort(asking.begin(), asking.end(),
            [](const Question* one, const Question* other) { return one->thread < other->thread; });
  for (Question* const question : asking) {
    if (auto request = take_question_of_thread(*question)) all.push_back(std::move(*request));
  }
  return all;
}

std::optional<ClientRequest> ClientSession::take_question_of_thread(Question& question) {
  if (question.is_woken) return std::nullopt;
  if (question.text.starts_with("K ")) return take_lock_wait(question);
  const bool is_answered_later = std::any_of(
      links_.begin(), links_.end(),
      [&question](const Link& link) { return question.is_for(link) && link.is_in_flight; });
  if (is_answered_later) return std::nullopt;
  if (!question.text.starts_with("W")) return take_sleep(question, question.length());
  notes().stop("a thread of a client waits at Redis, and has asked for nothing there");
  return std::nullopt;
}

// `K LOCK WAIT LIMIT`; the limit is one in nanoseconds, or -1.
std::optional<ClientRequest> ClientSession::take_lock_wait(Question& question) {
  const std::string wait = question.text.substr(2, question.text.rfind(' ') - 2);
  const auto limit =
      detail::parse_number<std::int64_t>(question.text.substr(question.text.rfind(' ') + 1));
  if (limit.value_or(-1) < 0) {
    if (threads_.were_several()) return std::nullopt;
    return ClientRequest(ClientRequest::Kind::sleep);  // nobody will release it
  }
  const TimePoint now = client_.time().now();
  const TimePoint end = threads_.end_of(
      wait, now + std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(*limit)));
  return take_sleep(question, std::max(end - now, Duration(0)));
}

}  // namespace interlock::harness
