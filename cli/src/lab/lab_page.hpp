// The laboratory as a page: the file, and how it is served.
#pragma once

#include <string>

#include "console/failure.hpp"
#include "http/http_message.hpp"

namespace interlock::cli {

// The whole page: the file that $INTERLOCK_LAB_PAGE names, else the one that was installed with
// this program or built beside it. `bad_configuration`: there is none, or it is no page.
Fallible<std::string> read_lab_page();

// Answers for the page alone, and only if the request names this machine by a loopback address or
// as localhost: a page of another site can give its own name our address (DNS rebinding), and its
// requests then name that site. Browsers keep no copy, because the next program at this port may
// serve another page.
std::string respond_with_lab(const HttpRequest& request, const std::string& page);

// What follows the address of the page to open this run (its short form) there: `#NAME:11t2`.
std::string lab_fragment(const std::string& run);

}  // namespace interlock::cli
