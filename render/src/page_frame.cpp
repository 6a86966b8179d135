#include "page_frame.hpp"

#include "assets.hpp"
#include "svg_writer.hpp"

namespace interlock::sim::draw {

const std::string_view page_end = "</body>\n</html>\n";

std::string page_beginning(const std::string& title,
                           std::string_view style,
                           const std::string& attributes) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         xml(title) + "</title>\n<style>\n" + std::string(page_style) + std::string(style) +
         "</style>\n</head>\n<body>\n<main" + attributes + ">\n";
}

std::string page_paragraph(const char* kind, const std::string& words) {
  if (words.empty()) return {};
  return "<p class=\"" + std::string(kind) + "\">" + xml(words) + "</p>\n";
}

std::string verdict_paragraph(const Verdict& verdict) {
  std::string text = std::string(to_string(verdict.outcome)) + " for " + verdict.bounds + "; " +
                     std::to_string(verdict.states) + (verdict.states == 1 ? " state" : " states");
  for (const std::string& promise : verdict.trusts) text += "; trusts " + promise;
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  return page_paragraph("small", text);
}

}  // namespace interlock::sim::draw
