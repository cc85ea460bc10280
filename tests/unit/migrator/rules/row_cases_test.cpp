// A case made of every row of names: found through a plain import, an alias and `from`, renamed where the row has a new
// name, and silent where the name is shadowed.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/format.h"
#include "tests/unit/migrator/rules/case_support.h"

namespace {

using migrator::FileOutcome;
using migrator::NameRow;

struct Row {
    std::string name;
    std::string top;     // "torch"
    std::string rest;    // "cuda.empty_cache"
    std::string module;  // "torch.cuda"
    std::string member;  // "empty_cache"
    const NameRow* row;
};

// A member is renamed together with its class.
std::string new_name(const Row& row) {
    const std::string& to = *row.row->to;
    if (test::rules().methods.of(row.member).empty()) return to;
    return test::rules().names.renamed(row.module) + to.substr(to.rfind('.'));
}

Row split(const std::string& name, const NameRow& row) {
    std::size_t first = name.find('.');
    std::size_t last = name.rfind('.');
    return {name, name.substr(0, first), name.substr(first + 1), name.substr(0, last), name.substr(last + 1), &row};
}

const migrator::FindingOutcome* find(const FileOutcome& outcome, const Row& row) {
    for (const auto& finding : outcome.findings) {
        if (finding.finding.rule == row.row->rule->id && finding.finding.subject == row.name) return &finding;
    }
    return nullptr;
}

// The last line of the output.
std::string use_line(const FileOutcome& outcome) {
    std::string text = outcome.rewritten.substr(0, outcome.rewritten.size() - 1);
    return text.substr(text.rfind('\n') + 1);
}

void check_plain(const Row& row) {
    FileOutcome outcome = test::migrate_one("a.py", base::format("import {}\nuse({})\n", row.top, row.name));
    const auto* finding = find(outcome, row);
    REQUIRE(finding != nullptr);
    CHECK_FALSE(finding->finding.message.empty());
    CHECK(finding->finding.message.text().find('{') == std::string::npos);
    CHECK_FALSE(finding->finding.source.empty());
    CHECK(outcome.changed() == row.row->to.has_value());
    if (row.row->to) CHECK(use_line(outcome) == base::format("use({})", new_name(row)));
}

void check_alias(const Row& row) {
    FileOutcome outcome = test::migrate_one("a.py", base::format("import {} as zz\nuse(zz.{})\n", row.top, row.rest));
    REQUIRE(find(outcome, row) != nullptr);
    if (!row.row->to) return;
    std::string to = new_name(row);
    bool same_top = to.starts_with(row.top + ".");
    CHECK(use_line(outcome) == base::format("use({})", same_top ? "zz" + to.substr(row.top.size()) : to));
}

void check_from(const Row& row) {
    FileOutcome outcome =
        test::migrate_one("a.py", base::format("from {} import {} as zz\nuse(zz)\n", row.module, row.member));
    REQUIRE(find(outcome, row) != nullptr);
    CHECK(use_line(outcome) == "use(zz)");
    if (!row.row->to) return;
    std::size_t dot = row.row->to->rfind('.');
    std::string import =
        base::format("from {} import {} as zz\n", row.row->to->substr(0, dot), row.row->to->substr(dot + 1));
    CHECK(outcome.rewritten.find(import) != std::string::npos);
    // Without an alias the bound name stays, or all its uses follow.
    FileOutcome bare =
        test::migrate_one("a.py", base::format("from {} import {}\nuse({})\n", row.module, row.member, row.member));
    CHECK(use_line(bare) == base::format("use({})", row.row->to->substr(dot + 1)));
    CHECK_FALSE(test::migrate_one("a.py", bare.rewritten).changed());
}

void check_shadowed(const Row& row) {
    FileOutcome outcome =
        test::migrate_one("a.py", base::format("import {0}\ndef f({0}):\n    return {1}\n", row.top, row.name));
    CHECK(find(outcome, row) == nullptr);
    CHECK_FALSE(outcome.changed());
}

// A member of a class is imported with its class.
bool is_method(const Row& row) { return !test::rules().methods.of(row.member).empty(); }

// What is said of the support of interfaces: subject -> rule.
std::map<std::string, std::string> interfaces_said(const std::string& text, migrator::Version version) {
    static const base::DataStore store;
    auto rules = migrator::RuleSet::load(store);
    REQUIRE(rules);
    rules->restrict_to(version);
    migrator::MatchContext context;
    context.rules = &*rules;
    context.facts = &test::type_facts();
    const auto source = migrator::make_source_file("a.py", migrator::FileType::python, text);
    std::map<std::string, std::string> out;
    for (const migrator::Finding& finding : migrator::match(source, context)) {
        if (finding.kind == migrator::FindingKind::api_support) out.emplace(finding.subject, finding.rule);
    }
    return out;
}

}  // namespace

TEST_CASE("rows of names: plain, alias, from, shadowed") {
    for (const auto& entry : test::rules().names.all()) {
        const auto& name = entry.first;
        const auto& name_row = entry.second;
        CAPTURE(name);
        if (!name_row.rule->if_mentioned.empty()) continue;  // what the project mentions has its own cases
        Row row = split(name, name_row);
        check_plain(row);
        check_alias(row);
        // A member of something unknown may be what it looks like; that has its own cases.
        if (is_method(row)) continue;
        check_from(row);
        check_shadowed(row);
    }
}

TEST_CASE("rows of packages: found in imports and requirements, quiet ones not") {
    auto status = test::rules().packages.status();
    REQUIRE(status.size() > 200);
    for (const auto& entry : status) {
        if (test::rules().find_rule(entry.first) != nullptr) continue;
        // Of packages that begin or end so, one.
        std::string package = entry.first;
        if (package.ends_with('*')) package.replace(package.size() - 1, 1, "9x");
        if (package.starts_with('*')) package = "any" + package.substr(1, package.size() - 2) + "118";
        CAPTURE(package);
        const migrator::PackageRow* row = test::rules().packages.find(package);
        REQUIRE(row != nullptr);
        FileOutcome outcome = test::migrate_one("requirements.txt", package + ">=1.0  # why\n");
        REQUIRE(outcome.findings.size() == (row->quiet ? 0 : 1));
        if (row->quiet) continue;
        CHECK(outcome.findings[0].finding.subject == package);
        CHECK(outcome.findings[0].finding.rule == row->rule->id);
    }
}

TEST_CASE("rows of variables: rewritten where the values stay, reported where not") {
    for (const migrator::EnvironmentRow& row : test::rules().environment.rows()) {
        if (row.name.ends_with('*')) continue;
        CAPTURE(row.name);
        FileOutcome python =
            test::migrate_one("a.py", base::format("import os\nos.environ[\"{}\"] = value\n", row.name));
        REQUIRE(python.findings.size() == 1);
        CHECK(python.rewritten ==
              base::format("import os\nos.environ[\"{}\"] = value\n", row.same_values ? *row.to : row.name));
        FileOutcome shell = test::migrate_one("a.sh", base::format("export {0}=$V # {0}\necho ${{{0}}}\n", row.name));
        REQUIRE(shell.findings.size() == (row.rule->once == migrator::Once::project ? 1 : 2));
        std::string name = row.same_values ? *row.to : row.name;
        CHECK(shell.rewritten == base::format("export {}=$V # {}\necho ${{{}}}\n", name, row.name, name));
    }
}

TEST_CASE("rows of symbols: found in sources, by their whole name and without its namespace") {
    for (const auto& entry : test::rules().symbols) {
        const auto& name = entry.first;
        const auto& row = entry.second;
        CAPTURE(name);
        const std::string spelled = name.ends_with('*') ? name.substr(0, name.size() - 1) + "X" : name;
        const std::string last = spelled.substr(spelled.rfind(':') + 1);
        for (const std::string& use : {spelled, last}) {
            if (use == last && use != spelled && name.ends_with('*')) continue;
            const FileOutcome outcome = test::migrate_one("a.cu", base::format("void f() {{ {}(1); }}\n", use));
            REQUIRE(outcome.findings.size() == 1);
            CHECK(outcome.findings[0].finding.rule == row.rule->id);
            CHECK(outcome.findings[0].finding.message.text().find('{') == std::string::npos);
        }
    }
}

TEST_CASE("rows of values: what a variable does not take is an error, in Python and in scripts") {
    for (const auto& entry : test::rules().variable_values) {
        const auto& name = entry.first;
        const auto& row = entry.second;
        if (row.takes("nonsense") && row.options.empty()) continue;  // whatever it is
        CAPTURE(name);
        const FileOutcome python =
            test::migrate_one("a.py", base::format("import os\nos.environ[\"{}\"] = \"no such value\"\n", name));
        REQUIRE(python.findings.size() == 1);
        CHECK(python.findings[0].finding.rule == row.rule->id);
        const FileOutcome shell = test::migrate_one("a.sh", base::format("export {}=nonsense\n", name));
        REQUIRE(shell.findings.size() == 1);
        CHECK(shell.findings[0].finding.subject == name);
    }
}

TEST_CASE("rows of remarks: the value is spoken of, another is not") {
    for (const auto& row : test::rules().value_remarks) {
        // clang 14 does not let a lambda use the parts of a structured binding.
        const std::string& name = row.first;
        for (const auto& remark : row.second) {
            CAPTURE(name);
            CAPTURE(remark.value);
            const auto said = [&](std::string_view value) {
                const FileOutcome outcome = test::migrate_one("a.sh", base::format("export {}={}\n", name, value));
                return std::any_of(outcome.findings.begin(), outcome.findings.end(),
                                   [&](const auto& finding) { return finding.finding.rule == remark.rule->id; });
            };
            CHECK(said(remark.value));
            CHECK_FALSE(said("nonsense"));
        }
    }
}

TEST_CASE("rows of values: options that exclude each other, and names that must not stand together") {
    const auto* values = test::rules().values_of("PYTORCH_NPU_ALLOC_CONF");
    REQUIRE(values != nullptr);
    CHECK(values->problem_of("expandable_segments:True,max_split_size_mb:64"));
    CHECK(values->problem_of("max_split_size_mb:64, expandable_segments:true"));
    CHECK_FALSE(values->problem_of("expandable_segments:False,max_split_size_mb:64"));
    CHECK_FALSE(values->problem_of("max_split_size_mb:64,garbage_collection_threshold:0.8"));
    const std::string both = "export PYTORCH_ALLOC_CONF=a\nexport PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n";
    CHECK_FALSE(test::migrate_one("a.sh", both).changed());
    CHECK(test::migrate_one("a.sh", both.substr(both.find('\n') + 1)).changed());
}

TEST_CASE("rows of interfaces: a use says what the row says, in every version of its own") {
    for (const migrator::Version version : test::rules().apis.versions()) {
        CAPTURE(version.text());
        std::string text = "import torch\n";
        std::map<std::string, std::string> expected;  // subject -> rule
        for (const std::string_view name : test::rules().apis.names()) {
            if (test::rules().names.row(name) != nullptr || test::rules().names.prefix(name) != nullptr) continue;
            const auto facts = test::rules().apis.find(name, version);
            text += base::format("use({})\n", name);
            if (facts->quiet) continue;
            const bool says_limits = std::any_of(facts->limits.begin(), facts->limits.end(),
                                                 [](const auto* limit) { return !limit->minor && !limit->optional; });
            if (facts->support == migrator::ApiSupport::no) expected.emplace(name, "api.unsupported");
            if (facts->support == migrator::ApiSupport::partly && says_limits) expected.emplace(name, "api.limited");
        }
        CHECK(interfaces_said(text, version) == expected);
    }
}
