// The manual pages: of each command, from its table of flags, and of what commands have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "console/flags.hpp"

namespace interlock::cli {

// interlock-NAME(1).
std::string command_page(std::string_view name,
                         std::string_view summary,
                         std::string_view version,
                         const Flags& flags);

// A command's place in interlock(1).
class ListedCommand {
 public:
  std::string_view name;
  std::string_view synopsis;
  std::string_view summary;
};

// interlock(1).
std::string main_page(std::string_view version,
                      std::span<const ListedCommand> commands,
                      std::span<const Example> examples);

// A page that is a text, with marks as of blocks_of(): its headings are those of the page.
class TextPage {
 public:
  std::string_view name;  // `interlock-stores`
  int section;
  std::string_view summary;
  std::string_view text;
  std::string_view see_also;
};
std::span<const TextPage> text_pages();
std::string text_page(const TextPage& page, std::string_view version);

}  // namespace interlock::cli
