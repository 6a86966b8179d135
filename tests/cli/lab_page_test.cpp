#include "lab/lab_page.hpp"

#include <gtest/gtest.h>

namespace interlock::cli {
namespace {

TEST(LabFragment, KeepsWhatAnAddressMayHave) {
  EXPECT_EQ(lab_fragment("lease-lock,clients=3,faults=crash+restart:1x2^t(12)"),
            "#lease-lock,clients=3,faults=crash+restart:1x2^t(12)");
}

TEST(LabFragment, EscapesAnythingElse) {
  EXPECT_EQ(lab_fragment("a:1 %\"<\xc3\xa4"), "#a:1%20%25%22%3C%C3%A4");
}

std::string answer_for(const std::string& host) {
  const std::string text = "GET / HTTP/1.1\r\n" + host;
  return respond_with_lab(*HttpRequest::parse(text), "<!doctype html>");
}

TEST(LabPage, IsForRequestsThatNameThisMachineAlone) {
  for (const char* host : {"Host: 127.0.0.1:80", "host: LocalHost", "Host: [::1]:65535"}) {
    EXPECT_TRUE(answer_for(host).starts_with("HTTP/1.1 200 OK\r\n")) << host;
  }
  for (const char* host : {"", "Host: evil.example", "Host: localhost.evil", "Host: 127.0.0.1:x",
                           "Host: localhost\r\nHost: localhost"}) {
    EXPECT_TRUE(answer_for(host).starts_with("HTTP/1.1 421 ")) << host;
  }
}

}  // namespace
}  // namespace interlock::cli
