// The cases beside the rules: rules/**/cases/*, as migrator/app/rule_cases.h describes them, and what holds for all of
// them: with other line ends, tabs and a byte order mark the result is the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/file_system.h"
#include "base/format.h"
#include "migrator/app/rule_cases.h"
#include "migrator/edit/line_diff.h"
#include "tests/unit/migrator/rules/case_support.h"

namespace {

using migrator::FileOutcome;
using migrator::FixState;
using migrator::StyleKind;

constexpr std::array kStyles{StyleKind::npu, StyleKind::portable, StyleKind::automatic};

struct Case {
    std::string path;  // "rewrite/cases/device.py"
    std::string text;
    std::string expected;  // output path on the disk
    StyleKind style = StyleKind::npu;
    migrator::ApplyMode apply = migrator::ApplyMode::safe;
    std::optional<migrator::Version> version{};
};

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    std::string root = test::source_dir() + "/rules";
    for (const test::CaseFile& file : test::read_files(root)) {
        if (!migrator::is_case(file.path) || file.path.starts_with("models/")) continue;
        for (const auto apply : {migrator::ApplyMode::safe, migrator::ApplyMode::review}) {
            const std::string output = migrator::output_of_case(root + "/" + file.path, apply);
            if (apply == migrator::ApplyMode::review && !base::real_file_system().exists(output)) continue;
            cases.push_back({file.path, file.bytes, output, migrator::style_of_case(file.path), apply,
                             migrator::version_of_case(file.path)});
        }
    }
    return cases;
}

void check_expectations(const Case& item, const FileOutcome& outcome) {
    std::vector<migrator::LineRule> found;
    for (const auto& finding : outcome.findings) found.emplace_back(finding.begin.line, finding.finding.rule);
    const std::vector<std::string> unmet = migrator::unmet_expectations(item.text, found);
    for (const std::string& one : unmet) MESSAGE(one);
    CHECK(unmet.empty());
}

void check_output(const Case& item, const FileOutcome& outcome) {
    if (test::update_cases()) {
        if (outcome.changed()) test::write_file(item.expected, outcome.rewritten);
        return;
    }
    auto expected = base::read_file(base::real_file_system(), item.expected);
    if (!expected) {
        CHECK_MESSAGE(!outcome.changed(), "the case changes, but has no expected output");
        return;
    }
    CHECK(outcome.rewritten == *expected);
}

// A line changes only where a fix on it was applied, or where an import is put.
void check_untouched_lines(const FileOutcome& outcome) {
    base::LineIndex lines(outcome.original);
    std::set<std::uint32_t> touched;
    for (const auto& finding : outcome.findings) {
        if (finding.state != FixState::applied || !finding.finding.fix) continue;
        for (const migrator::Edit& edit : finding.finding.fix->edits) {
            for (std::uint32_t line = lines.position(edit.range.begin).line;
                 line <= lines.position(edit.range.end).line; ++line)
                touched.insert(line);
        }
    }
    auto old_lines = migrator::split_lines(outcome.original);
    auto new_lines = migrator::split_lines(outcome.rewritten);
    for (const migrator::LineChange& change : migrator::diff_lines(old_lines, new_lines)) {
        for (std::size_t i = 0; i < change.old_count; ++i) {
            bool import = new_lines[change.new_begin].find("import ") != std::string_view::npos;
            CHECK_MESSAGE((touched.contains(static_cast<std::uint32_t>(change.old_begin + i + 1)) || import),
                          base::format("line {} changed without a fix", change.old_begin + i + 1));
        }
    }
}

std::string with_line_ends(std::string_view text, std::string_view end) {
    std::string out;
    for (char c : text) {
        if (c == '\n') out += end;
        else out += c;
    }
    return out;
}

std::string with_tabs(std::string_view text) {
    std::string out;
    for (std::string_view line : migrator::split_lines(text)) {
        while (line.starts_with("    ")) {
            out += '\t';
            line.remove_prefix(4);
        }
        out += line;
    }
    return out;
}

FileOutcome migrate_in(StyleKind style, const Case& item, std::string_view text) {
    return test::migrate_one(item.path, text, item.apply, style, item.version);
}

void check_variants(StyleKind style, const Case& item, const FileOutcome& outcome) {
    CHECK(migrate_in(style, item, with_line_ends(item.text, "\r\n")).rewritten ==
          with_line_ends(outcome.rewritten, "\r\n"));
    FileOutcome marked = migrate_in(style, item, "\xEF\xBB\xBF" + item.text);
    CHECK(marked.rewritten == outcome.rewritten);
    if (outcome.type != migrator::FileType::python) return;
    CHECK(migrate_in(style, item, with_tabs(item.text)).rewritten == with_tabs(outcome.rewritten));
}

void check_syntax(const FileOutcome& outcome) {
    if (outcome.type != migrator::FileType::python) return;
    auto before = migrator::SyntaxTree::parse(outcome.original).error_ranges().size();
    CHECK(migrator::SyntaxTree::parse(outcome.rewritten).error_ranges().size() <= before);
}

}  // namespace

TEST_CASE("rule cases: findings and outputs") {
    std::vector<Case> cases = all_cases();
    REQUIRE(cases.size() >= 10);
    for (const Case& item : cases) {
        CAPTURE(item.path);
        FileOutcome outcome = migrate_in(item.style, item, item.text);
        check_expectations(item, outcome);
        check_output(item, outcome);
        CHECK_FALSE(test::migrate_one(item.path, item.text, migrator::ApplyMode::none, item.style).changed());
    }
}

TEST_CASE("rule cases: what holds for every case in every style") {
    for (const Case& item : all_cases()) {
        for (StyleKind style : kStyles) {
            CAPTURE(item.path);
            CAPTURE(name(style));
            FileOutcome outcome = migrate_in(style, item, item.text);
            check_syntax(outcome);
            CHECK_FALSE(migrate_in(style, item, outcome.rewritten).changed());
            check_untouched_lines(outcome);
            check_variants(style, item, outcome);
        }
    }
}

TEST_CASE("every rule has a case, or rows that make their own") {
    std::set<std::string> expected;
    for (const Case& item : all_cases()) {
        for (std::string_view line : migrator::split_lines(item.text)) {
            for (std::string& id : migrator::ids_behind(line, "expect")) expected.insert(std::move(id));
        }
    }
    for (const auto& rule : test::rules().rules) {
        bool in_rows = std::any_of(test::rules().names.all().begin(), test::rules().names.all().end(),
                                   [&](const auto& row) { return row.second.rule == rule.get(); });
        // A case is one file; library_test.cpp has a project and a library.
        const bool is_of_libraries = rule.get() == test::rules().library_rule;
        CHECK_MESSAGE((expected.contains(rule->id) || in_rows || is_of_libraries), rule->id);
    }
}
