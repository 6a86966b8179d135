// Long answers page by page.
#pragma once

#include <string>

namespace interlock::cli {

// As answer(); but if standard output is a terminal with fewer rows, it is shown by $PAGER, which a
// shell executes, or by `less -FRX`. An empty PAGER, or `cat`, means none. A pager that cannot be
// started leaves the text to answer(). A reader who leaves the pager early has been answered: 0.
int answer_by_pages(const std::string& text);

}  // namespace interlock::cli
