#include <doctest/doctest.h>

#include "base/data_store.h"
#include "base/json.h"
#include "tests/unit/migrator/report/small_report.h"

using namespace migrator;

namespace {

constexpr std::string_view kTemplate = "<script id=\"report-data\">{{report_data}}</script>";

std::string data_of(const std::string& page) {
    std::string_view text = page;
    text.remove_prefix(std::string_view("<script id=\"report-data\">").size());
    text.remove_suffix(std::string_view("</script>").size());
    return std::string(text);
}

}  // namespace

TEST_CASE("report html: the data is JSON that cannot end its script element") {
    FileOutcome file = test::train_outcome();
    file.findings[0].old_text = "s = '</script><script>alert(1)</script><!-- & \xE2\x80\xA8 \xE2\x80\xA9'";
    Report report = make_report({"migrate", {"</title>"}, "out", "1"}, {test::file_of(file)}, 1, {}, {});
    std::string data = data_of(report_html(report, kTemplate));
    for (std::string_view forbidden : {"<", ">", "&", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
        CHECK(data.find(forbidden) == std::string::npos);
    }
    auto parsed = base::parse_json(data, "data");
    REQUIRE(parsed);
    CHECK(*(*parsed->root.find("paths")->array())[0].string() == "</title>");
    const base::Json& finding = (*(*parsed->root.find("files")->array())[0].find("findings")->array())[0];
    CHECK(*finding.find("old_text")->string() == file.findings[0].old_text);
}

TEST_CASE("report html: the data has the report, the titles and the diffs") {
    auto parsed = base::parse_json(data_of(report_html(test::small_report(), kTemplate)), "data");
    REQUIRE(parsed);
    CHECK(*parsed->root.find("schema")->string() == kReportSchema);
    CHECK(*parsed->root.find_path("titles.kind.cuda_api")->string() == "CUDA API");
    CHECK(!(*parsed->root.find("files")->array())[0].find("diff")->string()->empty());
}

TEST_CASE("report html: the built-in page takes the data and asks nothing of the network") {
    base::DataStore store;
    const std::string_view* page_template = store.find("templates/report/report.html");
    REQUIRE(page_template != nullptr);
    std::string page = report_html(test::small_report(), *page_template);
    CHECK(page.find("{{") == std::string::npos);
    CHECK(page.find("http://") == std::string::npos);
    CHECK(page.find("https://") == std::string::npos);
    CHECK(page.find("default-src 'none'") != std::string::npos);
    CHECK(page.find("innerHTML") == std::string::npos);
}
