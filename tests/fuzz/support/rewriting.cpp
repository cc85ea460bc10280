#include "tests/fuzz/support/rewriting.h"

#include <algorithm>

#include "migrator/source/discovery.h"
#include "migrator/syntax/syntax_tree.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/unit/migrator/rules/case_support.h"

namespace fuzz {
namespace {

using migrator::ApplyMode;
using migrator::FileOutcome;
using migrator::SourceFile;
using migrator::StyleKind;

struct Choice {
    StyleKind style;
    ApplyMode apply;
};

// Rules of a second style take seconds to load, and only Python is written in another way there.
Choice choice_for(migrator::FileType type, std::size_t size) {
    if (type != migrator::FileType::python) return {StyleKind::npu, ApplyMode::review};
    constexpr Choice kChoices[] = {
        {StyleKind::npu, ApplyMode::safe}, {StyleKind::portable, ApplyMode::safe}, {StyleKind::npu, ApplyMode::review}};
    return kChoices[size % std::size(kChoices)];
}

// As a program of one file.
FileOutcome rewritten(const SourceFile& file, Choice choice) {
    migrator::RewriteContext context;
    context.match.rules = &test::rules(choice.style);
    context.match.patterns = &test::patterns(choice.style);
    context.match.facts = &test::type_facts();
    context.match.loops = &test::loop_facts();
    context.match.told_names = &test::told_names();
    context.match.operator_schemas = &test::operator_schemas();
    context.match.is_program = true;
    context.apply = choice.apply;
    context.affinity = true;
    return migrator::rewrite(file, context);
}

bool is_applied(const FileOutcome& outcome, const migrator::OwnedEdit& edit) {
    return std::any_of(edit.owners.begin(), edit.owners.end(), [&](std::size_t owner) {
        return outcome.findings.at(owner).state == migrator::FixState::applied;
    });
}

// The edits are a list of replacements that make the result; so all other bytes are as they were.
void check_edits(const FileOutcome& outcome) {
    std::vector<migrator::OwnedEdit> made;
    std::uint64_t end = 0;
    for (const migrator::OwnedEdit& edit : outcome.edits) {
        if (!is_applied(outcome, edit)) continue;
        fuzz::require(edit.edit.range.begin >= end && edit.edit.range.begin <= edit.edit.range.end,
                      "edits are in order");
        end = edit.edit.range.end;
        made.push_back(edit);
    }
    fuzz::require(end <= outcome.original.size(), "edits lie in the text");
    fuzz::require(migrator::applied(made, outcome.original) == outcome.rewritten, "the edits make the result");
}

void check_places(const FileOutcome& outcome) {
    for (const migrator::FindingOutcome& finding : outcome.findings) {
        fuzz::require(finding.begin.line >= 1 && finding.begin.column >= 1, "a finding has a place");
        fuzz::require(finding.begin.line <= finding.end.line, "a finding ends behind its beginning");
        fuzz::require(finding.end.line <= outcome.lines + 1, "a finding lies in the file");
    }
}

}  // namespace

FileOutcome check_rewriting(const std::string& path, std::string_view bytes) {
    const migrator::FileType type = migrator::file_type_of(path);
    const SourceFile file = migrator::make_source_file(path, type, std::string(bytes));
    const Choice choice = choice_for(type, bytes.size());
    FileOutcome outcome = rewritten(file, choice);
    if (file.problem) {
        fuzz::require(!outcome.changed(), "a file that cannot be read is not changed");
        return outcome;
    }
    const auto same = migrator::encode(file, file.text);
    fuzz::require(same && *same == bytes, "a file without edits keeps its bytes");
    fuzz::require(outcome.original == file.text, "the outcome is that of the text");
    check_edits(outcome);
    check_places(outcome);
    if (!outcome.changed()) return outcome;
    auto encoded = migrator::encode(file, outcome.rewritten);
    if (!encoded) return outcome;
    const FileOutcome again = rewritten(migrator::make_source_file(path, type, std::move(*encoded)), choice);
    fuzz::require(!again.changed(), "a second run changes nothing");
    fuzz::require(again.parsed || !outcome.parsed, "what parsed parses again");
    return outcome;
}

}  // namespace fuzz
