// What may stand in a place of a command line, for the completion in a shell.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace interlock::cli {

class SuggestedWord {
 public:
  std::string word;
  std::string about;  // a few words, or empty
};

// What was typed before the word that is to be completed, without flags, and that word.
class TypedWords {
 public:
  std::vector<std::string> operands;
  std::string begun;
};

class Suggestions {
 public:
  using Ask = std::function<std::vector<SuggestedWord>(const TypedWords& typed)>;

  // Nothing is found.
  Suggestions() = default;
  Suggestions(std::initializer_list<const char*> words)
      : Suggestions(std::vector<std::string>(words.begin(), words.end())) {}
  explicit Suggestions(std::vector<std::string> words)
      : ask_([all = std::move(words)](const TypedWords&) {
          std::vector<SuggestedWord> found;
          for (const std::string& each : all) found.push_back({each, {}});
          return found;
        }) {}
  // What `ask` gives when the user asks for it; it need not begin as the word does.
  explicit Suggestions(Ask ask) : ask_(std::move(ask)) {}
  // The shell completes the name of a file.
  static Suggestions files() {
    Suggestions suggested;
    suggested.has_files_ = true;
    return suggested;
  }
  // The name of a file as well.
  Suggestions or_files() const {
    Suggestions suggested = *this;
    suggested.has_files_ = true;
    return suggested;
  }

  bool has_files() const { return has_files_; }
  std::vector<SuggestedWord> words(const TypedWords& typed) const {
    return ask_ ? ask_(typed) : std::vector<SuggestedWord>();
  }

 private:
  Ask ask_;
  bool has_files_ = false;
};

// For a value that is a list: `a,b`. Offers each of `all` behind what was typed up to the last one
// of `separators`.
std::vector<SuggestedWord> next_of_list(const std::string& begun,
                                        const std::string& separators,
                                        const std::vector<SuggestedWord>& all);

}  // namespace interlock::cli
