// exec("import torch ..."): Python code that is written as a text. It is looked through, and changed only where it
// is run on the spot.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

constexpr std::array<std::string_view, 3> kCodeFunctions{"eval", "exec", "compile"};

bool is_run(const PythonFile& file, NodeId literal) {
    const SyntaxTree& tree = file.tree();
    const NodeId list = tree.parent(literal);
    if (tree.kind(list) != NodeKind::argument_list || file.argument_position(literal) != 0) return false;
    const NodeId function = tree.child(tree.parent(list), Field::function);
    if (function == kNoNode || tree.kind(function) != NodeKind::identifier) return false;
    for (const Reference& reference : file.bindings().references(function)) {
        if (reference.origin != Origin::builtin) return false;
    }
    return base::contains(kCodeFunctions, tree.text(function));
}

// A line that begins like an import; prose hardly ever has one.
bool has_import(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (line.starts_with("import ") || (line.starts_with("from ") && line.find(" import ") != line.npos))
            return true;
        begin = end + 1;
    }
    return false;
}

// Code that is run on the spot sees what the file around it has imported at the top.
bool sees_module(const PythonFile& file, std::string_view name) {
    const auto imports = file.bindings().imports();
    return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& import) {
        return import.name.empty() && import.bound_name == name && import.scope == kModuleScope && !import.conditional;
    });
}

// The fix of a finding inside the literal, for the file around it.
std::optional<Fix> fix_around(const PythonFile& file, const Literal& literal, const Finding& finding) {
    const std::string_view root = std::string_view(finding.subject).substr(0, finding.subject.find('.'));
    if (!finding.fix || finding.fix->edits.empty() || !sees_module(file, root)) return std::nullopt;
    Fix out{{}, finding.fix->imports};
    for (const Edit& edit : finding.fix->edits) {
        const auto range = literal.range_of(edit.range.begin, edit.range.end);
        if (!range) return std::nullopt;
        out.edits.push_back({*range, edit.replacement});
    }
    return out;
}

}  // namespace

void leave_in_text(Finding& finding) {
    finding.fix.reset();
    finding.message.add("It is in code inside a string, so it is left unchanged.");
}

void match_code_strings(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    for (const Literal& literal : literals) {
        if (literal.text.find(kHole) != literal.text.npos) continue;
        const bool run = is_run(file, literal.node);
        if (!run && !has_import(literal.text)) continue;
        const SyntaxTree tree = SyntaxTree::parse(literal.text);
        if (tree.has_errors()) continue;
        ModuleContext context = file.context().module;
        const Bindings bindings = Bindings::analyse(tree, *file.context().facts, context);
        FindingSink found;
        match_code({&tree, &bindings}, file, found);
        for (Finding& finding : found) {
            std::optional<Fix> fix = run ? fix_around(file, literal, finding) : std::nullopt;
            finding.range =
                literal.range_of(finding.range.begin, finding.range.end).value_or(file.tree().range(literal.node));
            finding.certainty = fix ? Certainty::resolved : Certainty::textual;
            finding.fix = std::move(fix);
            if (!finding.fix) leave_in_text(finding);
            sink.push_back(std::move(finding));
        }
    }
}

}  // namespace migrator
