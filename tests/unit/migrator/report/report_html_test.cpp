#include <doctest/doctest.h>

#include "base/compress.h"
#include "base/data_store.h"
#include "tests/unit/migrator/report/small_report.h"

using namespace migrator;

namespace {

std::string page_of(const Report& report) {
    return test::collected([&](const base::TextSink& out) { report_html(report, base::DataStore(), out); });
}

std::string packed(std::string_view text) { return base::base64(base::gzip(text)) + "\n"; }

}  // namespace

TEST_CASE("report html: the data is the report, and nothing of it can end its element") {
    FileOutcome file = test::train_outcome();
    file.findings[0].old_text = "s = '</script><script>alert(1)</script>{{script}}'";
    const Report report = make_report({"migrate", {"</title>"}, "out", "1"}, {test::file_of(file)}, 1, {}, {});
    const std::string page = page_of(report);
    CHECK(page.find(">" + packed(test::json_of(report, 0)) + "</script>") != std::string::npos);
    CHECK(page.find("alert(1)") == std::string::npos);
    CHECK(page.find("</title><") == page.rfind("</title><"));
}

TEST_CASE("report html: long data are packed in parts of 4 MiB, a line each") {
    constexpr std::size_t kPart = std::size_t{4} << 20;
    std::string json;
    for (int i = 0; json.size() < 2 * kPart + 100; ++i) json += std::to_string(i);
    const std::string lines =
        packed(json.substr(0, kPart)) + packed(json.substr(kPart, kPart)) + packed(json.substr(2 * kPart));
    for (const std::size_t piece : {kPart / 3, json.size()}) {
        const auto in_pieces = [&](const base::TextSink& out) {
            for (std::size_t at = 0; at < json.size(); at += piece) out(std::string_view(json).substr(at, piece));
        };
        const std::string page = test::collected(
            [&](const base::TextSink& out) { report_page(in_pieces, base::DataStore(), PageKind::file, out); });
        CHECK(page.find(">" + lines + "</script>") != std::string::npos);
    }
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
