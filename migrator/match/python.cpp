#include <algorithm>

#include "base/format.h"
#include "base/text_position.h"
#include "migrator/match/ignore_comments.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

constexpr std::string_view kRunTimeNote = "In this style that is redirected when the program runs.";
constexpr std::string_view kAdaptedNote = "The code around it already asks for the NPU, so it is left unchanged.";

// What is redirected when the program runs is only worth knowing.
void leave_to_run_time(FindingSink& sink) {
    for (Finding& finding : sink) {
        if (!finding.at_run_time) continue;
        finding.severity = Severity::info;
        finding.message.add(kRunTimeNote);
    }
}

// Code that chooses between devices by itself is the project's own work.
void leave_adapted_code(const PythonFile& file, const AdaptedCode& adapted, FindingSink& sink) {
    for (Finding& finding : sink) {
        if (!finding.fix || !adapted.contains(file.tree().smallest_at(finding.range))) continue;
        finding.fix.reset();
        finding.severity = Severity::info;
        finding.message.add(kAdaptedNote);
    }
}

// The parser takes the statements of Python 2 as well.
NodeId python2_statement(const SyntaxTree& tree) {
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) == NodeKind::print_statement || tree.kind(id) == NodeKind::exec_statement) return id;
    }
    return kNoNode;
}

void report_python2(const PythonFile& file, FindingSink& sink) {
    const NodeId statement = python2_statement(file.tree());
    if (statement == kNoNode) return;
    Finding finding;
    finding.rule = "file.not_parsed";
    finding.kind = FindingKind::file;
    finding.severity = Severity::warning;
    finding.range = file.tree().range(statement);
    finding.subject = "Python 2";
    finding.message =
        "This is a statement of Python 2. The file is handled as usual, but it has to become Python 3 before it can "
        "run on the NPU.";
    finding.source = "parser";
    sink.push_back(std::move(finding));
}

void report_given_up(FindingSink& sink) {
    Finding finding;
    finding.rule = "file.not_parsed";
    finding.kind = FindingKind::file;
    finding.severity = Severity::error;
    finding.subject = "not parsed";
    finding.message =
        "The parser needs more work for this file than for any Python of its size, so the file was not analysed and "
        "stays as it is. Look at it by hand: it may not be Python at all, or it may be cut off or damaged.";
    finding.source = "parser";
    sink.push_back(std::move(finding));
}

void report_parse_errors(const PythonFile& file, FindingSink& sink) {
    if (file.tree().gave_up()) return report_given_up(sink);
    if (!file.tree().has_errors()) return report_python2(file, sink);
    Finding finding;
    finding.rule = "file.not_parsed";
    finding.kind = FindingKind::file;
    finding.severity = Severity::warning;
    finding.range = file.tree().error_ranges().front();
    finding.subject = "syntax error";
    const std::size_t count = file.tree().error_ranges().size();
    finding.message = {
        "This is not Python 3 as the parser knows it ({places} in the file). The rest of the file is handled as usual; "
        "nothing is changed in or next to the parts that do not parse. Check them by hand.",
        {{"places", count == 1 ? base::Message("one place")
                               : base::Message("{count} places", {{"count", std::to_string(count)}})}}};
    finding.source = "parser";
    sink.push_back(std::move(finding));
}

}  // namespace

void match_python(std::string_view path, std::string_view text, const MatchContext& context, bool whole_file,
                  FindingSink& sink) {
    SyntaxTree tree = SyntaxTree::parse(text);
    Bindings bindings = Bindings::analyse(tree, *context.facts, context.module);
    match_python(path, {&tree, &bindings}, context, whole_file, sink);
}

void match_python(std::string_view path, const ParsedText& parsed, const MatchContext& context, bool whole_file,
                  FindingSink& sink) {
    const SyntaxTree& tree = *parsed.tree;
    PythonFile file(path, tree, *parsed.bindings, context);
    const AdaptedCode adapted(file);
    ImportPlan plan(file);
    std::vector<Literal> literals = read_literals(tree);
    FindingSink found;
    match_names(file, plan, found);
    match_methods(file, found);
    match_arguments(file, found);
    match_calls(file, found);
    match_indexes(file, found);
    match_taken_apart(file, found);
    match_training(file, found);
    match_attribute_strings(file, literals, found);
    match_strings(file, literals, found);
    match_code_strings(file, literals, found);
    match_values(file, adapted, literals, found);
    match_environment(file, literals, found);
    match_embedded_texts(file, found);
    match_packages(file, literals, found);
    match_api_support(file, literals, found);
    match_operator_arguments(file, found);
    match_libraries(file, found);
    match_inline_operators(file, parsed, found);
    match_patterns(file, found);
    match_definitions(file, found);
    match_program(file, found);
    match_processes(file, found);
    keep_in_place(file, found);
    leave_guards_of_cuda_code(file, found);
    leave_to_run_time(found);
    leave_adapted_code(file, adapted, found);
    leave_own_choice(file, adapted, found);
    leave_foreign_code(file, parsed, found);
    apply_ignore_comments(tree, found);
    if (whole_file) report_parse_errors(file, found);
    sink.insert(sink.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

void match_code(const ParsedText& code, const PythonFile& around, FindingSink& sink) {
    const PythonFile file(around.path(), *code.tree, *code.bindings, around.context());
    const ImportPlan plan(file);
    match_names(file, plan, sink);
    match_methods(file, sink);
}

}  // namespace migrator
