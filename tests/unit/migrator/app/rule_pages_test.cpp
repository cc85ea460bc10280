#include "migrator/app/rule_pages.h"

#include <doctest/doctest.h>

using namespace migrator;

namespace {

base::Result<std::string> explained(std::string rule) {
    Options options;
    options.command = Command::explain;
    options.rule = std::move(rule);
    return rule_pages(options, base::real_file_system());
}

}  // namespace

TEST_CASE("explain: what a rule means, what its fix needs, and the names of a table") {
    const auto method = explained("method.cuda");
    REQUIRE(method);
    CHECK(method->starts_with("method.cuda (warning, cuda_api)\n\n"));
    CHECK(method->find("A fix needs: likely\n") != std::string::npos);
    CHECK(method->find("A fix imports: torch_npu, behind the import of torch\n") != std::string::npos);
    const auto table = explained("cuda.renamed");
    REQUIRE(table);
    CHECK(table->find("-> torch.npu.") != std::string::npos);
    CHECK(table->find("... and ") != std::string::npos);
}

TEST_CASE("explain: a wrong id is answered with those that are alike") {
    const auto wrong = explained("method.cudda");
    REQUIRE(!wrong);
    CHECK(wrong.error().kind == base::ErrorKind::usage);
    CHECK(wrong.error().text().find("method.cuda,") != std::string::npos);
}

TEST_CASE("rules: one line for each, sorted") {
    Options options;
    options.command = Command::rules_list;
    const auto list = rule_pages(options, base::real_file_system());
    REQUIRE(list);
    CHECK(list->find("\nmethod.cuda  warning  cuda_api\n") != std::string::npos);
    CHECK(list->find("amp.") < list->find("method.cuda"));
}
