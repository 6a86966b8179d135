// Clients in Java, by the runtime HotSpot.
#pragma once

namespace interlock_preload {

// Whether this process is such a client.
bool is_java();

// Whether the thread that is being made is the first of the launcher `java`. It calls main(), while
// the launcher's own thread waits for its end.
bool begins_java();
// Puts a function in front of this one, which makes its thread the main one.
void make_main_thread(void* (*&begin)(void*));

// Whether this is a thread of the runtime, and not of the program.
bool is_thread_of_java();

}  // namespace interlock_preload
