#include <algorithm>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "migrator/match/matchers.h"
#include "migrator/pattern/write_match.h"

namespace migrator {
namespace {

// Each of them carries the edits of all; an import that more uses than this replace stays.
constexpr std::size_t kMaxDroppedUses = 64;

struct Found {
    const PatternMatch* match = nullptr;
    Finding finding;
};

class PatternFindings {
public:
    PatternFindings(const PythonFile& file, const PatternMatcher& matcher) : file_(file), matcher_(matcher) {}

    void add(const PatternMatch& match) {
        const CompiledPattern& pattern = *match.pattern;
        const Rule& rule = *pattern.row->rule;
        Certainty certainty = match.certainty;
        // What cannot be seen in the code is for a person to look at.
        if (!pattern.row->precondition.empty()) certainty = std::min(certainty, Certainty::likely);
        Finding finding =
            make_finding(rule, file_.tree().range(match.root), pattern.row->what, certainty, pattern.writes, {}, {});
        if (!pattern.row->precondition.empty())
            finding.message.add({"Check first: {precondition}.", {{"precondition", pattern.row->precondition}}});
        if (!pattern.row->fix.write.empty()) write(match, finding);
        found_.push_back({&match, std::move(finding)});
    }

    void finish(FindingSink& sink) {
        for (Found& one : found_) {
            const NodeId callee = file_.tree().child(one.match->root, Field::function);
            if (one.match->pattern->row->fix.drop_import && one.finding.fix && callee != kNoNode)
                user_at_.emplace(file_.chain_root(callee), &one);
        }
        drop_imports();
        for (Found& one : found_) sink.push_back(std::move(one.finding));
    }

private:
    void write(const PatternMatch& match, Finding& finding) const {
        const CompiledPattern& pattern = *match.pattern;
        if (!std::all_of(pattern.template_names.begin(), pattern.template_names.end(),
                         [&](const std::string& name) { return can_name(name, match); })) {
            finding.message.add("Not rewritten: a name that the new code needs means something else here.");
            return;
        }
        WrittenMatch written = write_match(file_.tree(), file_.bindings(), matcher_, match);
        if (written.why_not.empty()) finding.fix = Fix{std::move(written.edits), imports_of(*pattern.row->rule)};
        else finding.message.add({"Not rewritten: {reason}", {{"reason", written.why_not}}});
    }

    // Also in files that do not import what the new import would stand behind.
    static std::vector<ImportRequest> imports_of(const Rule& rule) {
        std::vector<ImportRequest> out = rule.imports;
        for (ImportRequest& request : out) request.when_named = true;
        return out;
    }

    // The module is imported under its own name, or will be, and nothing hides it.
    bool can_name(const std::string& module, const PatternMatch& match) const {
        const Bindings& bindings = file_.bindings();
        const auto& requests = match.pattern->row->rule->imports;
        const bool is_requested = std::any_of(requests.begin(), requests.end(),
                                              [&](const ImportRequest& request) { return request.module == module; });
        if (file_.import_index().binds_module(module)) return true;
        return is_requested && !bindings.is_name_taken(bindings.scope_at(match.root), module);
    }

    // Imports of names that only replaced code used go with it: all of these edits are made, or none.
    void drop_imports() {
        for (const ImportedName& import : file_.bindings().imports()) {
            if (import.name == "*" || import.conditional || import.scope != kModuleScope) continue;
            const std::vector<Found*> users = users_of(import);
            std::vector<Edit> group = users.empty() ? std::vector<Edit>{} : edits_without(import);
            if (group.empty()) continue;
            for (const Found* user : users) {
                for (const Edit& edit : user->finding.fix->edits) {
                    if (!base::contains(group, edit)) group.push_back(edit);
                }
            }
            for (Found* user : users) user->finding.fix->edits = group;
        }
    }

    // The matches that replace all uses of the name; empty when something else uses it.
    std::vector<Found*> users_of(const ImportedName& import) {
        const SyntaxTree& tree = file_.tree();
        std::vector<Found*> users;
        for (const NodeId use : file_.identifiers(import.bound_name)) {
            const bool is_member =
                tree.kind(tree.parent(use)) == NodeKind::attribute && tree.field(use) == Field::attribute;
            if (tree.is_ancestor(import.statement, use) || is_member) continue;
            const auto user = user_at_.find(use);
            // They are applied together, so they must be equally sure.
            if (user == user_at_.end() || users.size() == kMaxDroppedUses) return {};
            if (!users.empty() && is_sure(*user->second) != is_sure(*users.front())) return {};
            users.push_back(user->second);
        }
        return users;
    }

    static bool is_sure(const Found& one) { return one.finding.certainty >= one.match->pattern->row->rule->certainty; }

    std::vector<Edit> edits_without(const ImportedName& import) const {
        const SyntaxTree& tree = file_.tree();
        NodeList names = tree.named_children(import.statement);
        erase_if(names, [&](NodeId id) { return tree.field(id) != Field::name; });
        const auto at = std::find(names.begin(), names.end(), import.node);
        if (at == names.end()) return {};
        base::ByteRange range = tree.range(import.node);
        if (names.size() > 1) {
            if (at != names.begin()) range.begin = tree.range(*(at - 1)).end;
            else range.end = tree.range(*(at + 1)).begin;
            return {{range, ""}};
        }
        range = tree.range(import.statement);
        const std::string_view text = tree.source();
        const bool begins = range.begin == 0 || text[range.begin - 1] == '\n' || text[range.begin - 1] == '\r';
        if (range.end < text.size() && text[range.end] == '\r') ++range.end;
        const bool ends = range.end == text.size() || text[range.end] == '\n';
        if (!begins || !ends) return {};
        if (range.end < text.size()) ++range.end;
        return {{range, ""}};
    }

    const PythonFile& file_;
    const PatternMatcher& matcher_;
    std::vector<Found> found_;
    std::unordered_map<NodeId, Found*> user_at_;  // by the first name of what is called: matches that drop imports
};

}  // namespace

void match_patterns(const PythonFile& file, FindingSink& sink) {
    const PatternSet* patterns = file.context().patterns;
    if (patterns == nullptr || patterns->empty()) return;
    PatternMatcher matcher(file.tree(), file.bindings(), file.rules(), *patterns);
    const std::vector<PatternMatch> matches = matcher.run();
    PatternFindings findings(file, matcher);
    for (const PatternMatch& match : matches) findings.add(match);
    findings.finish(sink);
}

}  // namespace migrator
