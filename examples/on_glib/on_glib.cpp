// A program on GLib's main loop (GTK, GStreamer, D-Bus) that turns the client's loop: a source
// waits for the client's descriptor, and the callbacks run on the thread of the main loop.
#include <glib-unix.h>
#include <glib.h>

#include <cstdio>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"

using interlock::AcquireResult;
using interlock::Client;

gboolean turn(gint /*descriptor*/, GIOCondition /*condition*/, gpointer locks) {
  static_cast<Client*>(locks)->loop().turn();
  return G_SOURCE_CONTINUE;
}

void handle(Client& locks, GMainLoop* loop) {
  static int left = 3;
  for (int number = 1; number <= 3; ++number) {
    locks.acquire_then("orders/42", {}, [loop, number](AcquireResult lock) {
      std::printf("request %d: %s\n", number, lock ? "held" : lock.why_not().c_str());
      if (--left == 0) g_main_loop_quit(loop);
    });  // the guard ends with the callback: the release is sent, and nothing waits for it
  }
}

int main() {
  interlock::ClientOptions options;
  options.own_thread = false;
  Client locks(interlock::memory::backend(), options);

  GMainLoop* const loop = g_main_loop_new(nullptr, FALSE);
  const guint source = g_unix_fd_add(locks.loop().descriptor(), G_IO_IN, turn, &locks);
  handle(locks, loop);
  g_main_loop_run(loop);

  g_source_remove(source);  // before the client ends, which closes the descriptor
  g_main_loop_unref(loop);
}
