#include "migrator/app/rule_pages.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

RulePages pages_of(Command command, base::FileSystem& fs, const base::Path& path, bool json = false) {
    Options options;
    options.command = command;
    (command == Command::rules_new ? options.paths.emplace_back() : options.rules) = path;
    options.json = json;
    auto pages = rule_pages(options, fs);
    REQUIRE(pages);
    return *pages;
}

}  // namespace

TEST_CASE("rules: one line for each, sorted") {
    Options options;
    options.command = Command::rules_list;
    const auto list = rule_pages(options, base::real_file_system());
    REQUIRE(list);
    CHECK(list->text.find("\nmethod.cuda  warning  cuda_api\n") != std::string::npos);
    CHECK(list->text.find("amp.") < list->text.find("method.cuda"));
    options.json = true;
    const auto json = base::parse_json(rule_pages(options, base::real_file_system())->text, "list");
    REQUIRE(json);
    REQUIRE(json->root.array() != nullptr);
    CHECK(json->root.array()->front().find("id")->string()->starts_with("advice."));
}

TEST_CASE("rules new: a rule and its case that pass check and test") {
    test::MemoryFileSystem fs;
    const RulePages written = pages_of(Command::rules_new, fs, "own/house.json");
    CHECK(written.text ==
          "Written: own/house.json, own/cases/house.py, own/cases/house.expected.py\n"
          "Next     migrator rules test own\n");
    CHECK(fs.content("own/house.json").find("\"house.example\"") != std::string::npos);
    const RulePages checked = pages_of(Command::rules_check, fs, "own");
    CHECK(checked.text == "1 file, 0 problems\n");
    CHECK(!checked.failed);
    const RulePages tested = pages_of(Command::rules_test, fs, "own");
    CHECK(tested.text == "1 case, 0 problems\n");
    CHECK(!tested.failed);
    Options again;
    again.command = Command::rules_new;
    again.paths = {"own/house.json"};
    CHECK(rule_pages(again, fs).error().kind == base::ErrorKind::usage);
    again.paths = {"own/house.txt"};
    CHECK(rule_pages(again, fs).error().kind == base::ErrorKind::usage);
}

TEST_CASE("rules check: every file with a mistake is named, with the place") {
    test::MemoryFileSystem fs;
    fs.add("own/a.json", "{\"schema\": 1,\n \"rulez\": []}");
    fs.add("own/rewrite/b.json", "{\"schema\": 2}");
    fs.add("own/elsewhere/c.json", "{\"schema\": 1}");
    fs.add("own/rewrite/good.json", "{\"schema\": 1}");
    fs.add("own/cases/data.json", "{");
    const RulePages checked = pages_of(Command::rules_check, fs, "own");
    CHECK(checked.failed);
    CHECK(checked.text.find("own/a.json:2:") != std::string::npos);
    CHECK(checked.text.find("own/rewrite/b.json:1:1: schema 2") != std::string::npos);
    CHECK(checked.text.find("own/elsewhere/c.json: rules are read from") != std::string::npos);
    CHECK(checked.text.ends_with("4 files, 3 problems\n"));
    const auto json = base::parse_json(pages_of(Command::rules_check, fs, "own", true).text, "check");
    REQUIRE(json);
    CHECK(json->root.find("problems")->array()->size() == 3);
    CHECK(*json->root.find("files")->integer() == 4);
}

TEST_CASE("rules test: what a case does not say, and a rule without one") {
    test::MemoryFileSystem fs;
    pages_of(Command::rules_new, fs, "own/house.json");
    fs.add("own/cases/house.py", "import our_package\nprint(our_package.gpu_count())\n");
    const RulePages tested = pages_of(Command::rules_test, fs, "own");
    CHECK(tested.failed);
    CHECK(tested.text ==
          "own/cases/house.py: line 2: house.example is not expected\n"
          "own/cases/house.py: line 1 of the output is not that of own/cases/house.expected.py: import our_package\n"
          "house.example: no case expects a finding of this rule\n"
          "1 case, 3 problems\n");
}

TEST_CASE("rules test: the helper module that a style writes is not a part of the case") {
    test::MemoryFileSystem fs;
    pages_of(Command::rules_new, fs, "own/house.json");
    fs.add("own/cases/house.py", "import our_package\nprint(our_package.gpu_count())  # expect: house.example\n");
    fs.add("own/cases/house.expected.py",
           "import our_package\nprint(our_package.npu_count())  # expect: house.example\n");
    fs.add("own/cases/portable/device.py", "import torch\nd = torch.device(\"cuda:0\")  # expect: device.string\n");
    fs.add("own/cases/portable/device.expected.py",
           "import torch\nimport any_device\n"
           "d = torch.device(f\"{any_device.device_type}:0\")  # expect: device.string\n");
    const RulePages tested = pages_of(Command::rules_test, fs, "own");
    CHECK(tested.text == "2 cases, 0 problems\n");
    CHECK_FALSE(tested.failed);
}
