# Clients in Java: interlock explore -- java. Each search starts a hundred runtimes or more, so there
# are few of them.
source "$(dirname "$0")/workers.bash"

command -v javac >/dev/null || { echo "skipped: no javac" && exit 77; }

# java_worker NAME: a client in Java; the body of its main() comes from standard input.
java_worker() {
  cat >"$1.java" <<END
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.locks.LockSupport;

public class $1 {
  static InputStream in;
  static OutputStream out;

  static String ask(String... words) throws IOException {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) text.append("\$" + word.length() + "\r\n" + word + "\r\n");
    out.write(text.toString().getBytes());
    String head = line();
    if (head.charAt(0) != '\$') return head.substring(1);
    int size = Integer.parseInt(head.substring(1));
    return size < 0 ? null : line();
  }

  static String line() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) throw new EOFException();
      text.append((char) c);
    }
    in.read();
    return text.toString();
  }

  public static void main(String[] words) throws Exception {
    int port = Integer.parseInt(System.getenv("REDIS_PORT"));
    Socket socket = new Socket("127.0.0.1", port);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
$(cat)
  }
}
END
  javac "$1.java" || fail "$1.java is wrong"
}

test_java_in_a_section_that_outlasts_its_lock() {
  java_worker Lock <<'END'
    String token = ask("INTERLOCK", "TOKEN");
    if ("OK".equals(ask("SET", "lock.foo", token, "NX", "PX", "1000"))) {
      ask("INTERLOCK", "ENTER", "lock.foo");
      ask("INTERLOCK", "LEAVE", "lock.foo");
      ask("DEL", "lock.foo");
    }
END
  explore 1 --instants 3 -f short -- java Lock
  says out "command,instants=3:1tt2 -- java Lock"
  expect 1 interlock replay "$(cat out)"
}

# The clocks of the program are those of the search, in all ways to read them and to wait. The search
# begins 100 s after the clocks' zero, and each wait is as long as it was told to be.
test_java_reads_clocks_and_waits_as_the_search_says() {
  java_worker Clocks <<'END'
    long at = System.nanoTime();
    ask("INTERLOCK", "ENTER", "lock");
    ask("SET", "a", at / 1_000_000 + " " + System.currentTimeMillis() + " " + java.time.Instant.now());
    Thread.sleep(1000);
    long slept = System.nanoTime() - at;
    long end = System.nanoTime() + 2_000_000_000L;
    for (long left; (left = end - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
    long parked = System.nanoTime() - at - slept;
    synchronized (in) {
      in.wait(1000);
    }
    ask("SET", "b", slept + " " + parked + " " + (System.nanoTime() - at - slept - parked));
    ask("INTERLOCK", "NEVER", "everything");
END
  explore 1 --clients 1 --instants 5 --faults pause:0 -f json -- java Clocks
  says out '100000 100000 1970-01-01T00:01:40Z'
  says out '1000000000 2000000000 1000000000'
}

test_java_draws_from_the_search_and_reads_with_a_limit() {
  java_worker Draws <<'END'
    socket.setSoTimeout(500);
    String token = UUID.randomUUID().toString();
    String seen = ask("SET", "lock.foo", token, "NX", "GET");
    if (seen == null) {
      ask("INTERLOCK", "ENTER", "lock.foo");
      ask("INTERLOCK", "LEAVE", "lock.foo");
    } else if (seen.equals(token)) {
      ask("INTERLOCK", "NEVER", "the same token");
    }
    ask("DEL", "lock.foo");
END
  explore 0 -- java Draws
  says out "random bytes: only one draw for each client was searched"
  says out "trusts  the order of Set.of and Map.of is the same in all clients"
}

test_threads_of_java_that_ask_redis_read_a_clock_or_wait_with_a_limit_are_refused() {
  java_worker Asks <<'END'
    Thread asks = new Thread(() -> { try { ask("SET", "a", "b"); } catch (IOException e) { } });
    asks.start();
    asks.join();
    ask("INTERLOCK", "ENTER", "lock");
END
  explore 2 -- java Asks
  says err "a client asks Redis in a thread, and the threads of a client are not modelled"
  lines err 1
  java_worker Reads <<'END'
    new java.util.Timer().schedule(new TimerTask() { public void run() { } }, 1000);
    ask("INTERLOCK", "ENTER", "lock");
END
  explore 2 -- java Reads
  says err "a client reads a clock in a thread, and the threads of a client are not modelled"
  java_worker Renews <<'END'
    Thread renews = new Thread(() -> {
      try { Thread.sleep(1000); } catch (InterruptedException e) { }
    });
    renews.start();
    renews.join();
    ask("INTERLOCK", "ENTER", "lock");
END
  explore 2 -- java Renews
  says err "a client waits with a limit in a thread, and the threads of a client are not modelled"
  lines err 1
}

run_tests
