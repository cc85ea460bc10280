#include <doctest/doctest.h>

#include "base/compress.h"
#include "base/data_store.h"
#include "tests/unit/migrator/report/small_report.h"

using namespace migrator;

namespace {

std::string page_of(const Report& report) { return report_html(report, base::DataStore()); }

}  // namespace

TEST_CASE("report html: the data is the report, and nothing of it can end its element") {
    FileOutcome file = test::train_outcome();
    file.findings[0].old_text = "s = '</script><script>alert(1)</script>{{script}}'";
    const Report report = make_report({"migrate", {"</title>"}, "out", "1"}, {test::file_of(file)}, 1, {}, {});
    const std::string page = page_of(report);
    CHECK(page.find(">" + base::base64(base::gzip(report_json(report, 0))) + "</script>") != std::string::npos);
    CHECK(page.find("alert(1)") == std::string::npos);
    CHECK(page.find("</title><") == page.rfind("</title><"));
}

TEST_CASE("report html: one file that asks nothing of the network and parses no text as HTML") {
    const std::string page = page_of(test::small_report());
    for (std::string_view forbidden : {"{{", "http://", "https://", "innerHTML", "outerHTML", "insertAdjacent",
                                       "document.write", "eval(", "new Function", "srcdoc", " style="}) {
        CAPTURE(forbidden);
        CHECK(page.find(forbidden) == std::string::npos);
    }
    CHECK(page.find("default-src 'none'; style-src 'sha256-") != std::string::npos);
}
