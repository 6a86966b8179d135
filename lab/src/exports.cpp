// What the page calls. A text comes as its address, in memory of lab_alloc(), and its length; an
// answer is returned as its length, and lies at lab_answer() until the next call.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lab.hpp"

#define LAB_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace {

using interlock::lab::Lab;

// The page's: how far a search has come. 0 ends the search.
extern "C" __attribute__((import_module("lab"), import_name("progress"))) int lab_progress(
    double states, double transitions, int depth);

Lab& lab() {
  static Lab& one = *new Lab([](const interlock::sim::Progress& progress) {
    return lab_progress(static_cast<double>(progress.states),
                        static_cast<double>(progress.transitions),
                        static_cast<int>(progress.depth)) != 0;
  });
  return one;
}

std::string& answer() {
  static std::string& last = *new std::string();
  return last;
}

int give(std::string text) {
  answer() = std::move(text);
  return static_cast<int>(answer().size());
}

std::string_view view(const char* text, int size) {
  return {text, static_cast<std::size_t>(size)};
}

std::uint64_t number(double value) {
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace

// Debian's C++ library for WASI has none. The one thread never ends, so nothing is ever called.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*);
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) {
  return 0;
}

LAB_EXPORT(lab_alloc) void* lab_alloc(int size) {
  return std::malloc(static_cast<std::size_t>(size) + 1);
}
LAB_EXPORT(lab_free) void lab_free(void* text) {
  std::free(text);
}
LAB_EXPORT(lab_answer) const char* lab_answer() {
  return answer().data();
}

LAB_EXPORT(lab_scenarios) int lab_scenarios() {
  return give(Lab::scenarios());
}
LAB_EXPORT(lab_open) int lab_open(const char* run, int size) {
  return give(lab().open(view(run, size)));
}
LAB_EXPORT(lab_fitting) int lab_fitting(const char* run, int size) {
  return give(Lab::fitting(view(run, size)));
}
LAB_EXPORT(lab_compare)
int lab_compare(const char* one, int size, const char* other, int other_size) {
  return give(Lab::compare(view(one, size), view(other, other_size)));
}
LAB_EXPORT(lab_state) int lab_state() {
  return give(lab().state());
}
LAB_EXPORT(lab_lines) int lab_lines() {
  return give(lab().lines());
}
LAB_EXPORT(lab_play) int lab_play(const char* key, int size) {
  return give(lab().play(view(key, size)));
}
LAB_EXPORT(lab_undo) int lab_undo() {
  return give(lab().undo());
}
LAB_EXPORT(lab_restart) int lab_restart() {
  return give(lab().restart());
}
LAB_EXPORT(lab_advice) int lab_advice(double states) {
  return give(lab().advice(number(states)));
}
LAB_EXPORT(lab_explore) int lab_explore(double states) {
  return give(lab().explore(number(states)));
}
LAB_EXPORT(lab_random) int lab_random(double runs, double seed) {
  return give(lab().random(number(runs), number(seed)));
}
LAB_EXPORT(lab_draw) int lab_draw(double which, const char* format, int size) {
  return give(lab().draw(which == 0 ? Lab::Of::game : Lab::Of::found, view(format, size)));
}
