#include "base/csv.h"

#include <doctest/doctest.h>

TEST_CASE("csv: no cell can become a formula, and a line has all its cells") {
    for (const char* text : {"=1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "%a",
                             "\xEF\xBC\x9D"
                             "1"}) {
        CAPTURE(text);
        CHECK(base::csv_cell(text).substr(0, 2).find('\'') != std::string::npos);
    }
    CHECK(base::csv_cell("a,\"b\"\n") == "\"a,\"\"b\"\"\n\"");
    CHECK(base::csv_cell("torch.cuda") == "torch.cuda");
    CHECK(base::csv_line({"", "a", "", "b;c"}) == ",a,,\"b;c\"\r\n");
}
