// Requests and responses of HTTP/1.1, as far as a server of one page needs them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace interlock::cli {

// The lines of a request up to the empty one. Views into the text that was parsed.
class HttpRequest {
 public:
  // None: this is no request of HTTP/1.x.
  static std::optional<HttpRequest> parse(std::string_view text);

  // What stands behind `Name:`, without the spaces around it. None: there is no such line, or more
  // than one, so that no two readers of the request can take different ones.
  std::optional<std::string_view> header(std::string_view name) const;

  std::string_view method;
  std::string_view path;  // without what follows a `?`

 private:
  std::string_view headers_;
};

// A whole response. `headers`: lines that end in \r\n; may be empty.
std::string http_response(std::string_view status,
                          std::string_view headers,
                          std::string_view body,
                          bool with_body = true);

// One that says in plain text why there is no page.
std::string http_refusal(std::string_view status, std::string_view headers, std::string_view why);

// The page for GET, its headers for HEAD, and a refusal for any other method. `page` is called only
// if the page is given.
template <class Page>
std::string http_page(const HttpRequest& request, std::string_view headers, const Page& page) {
  const bool is_head = request.method == "HEAD";
  if (!is_head && request.method != "GET") {
    return http_refusal("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "use GET\n");
  }
  return http_response("200 OK", headers, page(), !is_head);
}

}  // namespace interlock::cli
