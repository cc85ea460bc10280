// Files of programs that choose the device by themselves, the target among them: they run there as they are, but for what
// uses CUDA whatever was chosen.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "migrator/match/cuda_code.h"
#include "migrator/match/device_roles.h"
#include "migrator/match/guarded_code.h"
#include "migrator/match/matchers.h"
#include "migrator/match/text_file.h"
#include "migrator/ruleset/path_words.h"

namespace migrator {
namespace {

constexpr std::string_view kOwnNote = "The program chooses the device by itself, so it is left unchanged.";
constexpr std::string_view kSiblingNote = "What stands next to it is the same for the NPU, so this is for CUDA.";
constexpr std::string_view kApartNote = "This is for CUDA, or for tests, where the programs take an NPU by themselves.";
constexpr std::string_view kUnloadedNote =
    "No program is known to load this, and the programs take an NPU by themselves, so it is left unchanged.";
constexpr std::string_view kSharedNote =
    "Programs that take an NPU by themselves load this as well, so it is left unchanged.";
constexpr std::string_view kServesNote =
    "The program chooses the device by itself, and this does not follow that choice: use what it chose.";

// Of one statement: a longer chain of questions says nothing more, and each is followed to the end of the chain.
constexpr std::size_t kMostQuestions = 16;

// Tells code that runs whatever device the program has chosen from code that runs only for one of them, by the statements around it.
class CertainCode {
public:
    // `is_mixed`: a question where a tensor is counts as one for CUDA, and effects count.
    CertainCode(const PythonFile& file, const AdaptedCode& adapted, const FindingSink& findings, bool is_mixed)
        : file_(file), tree_(file.tree()), adapted_(adapted), is_mixed_(is_mixed) {
        std::vector<base::ByteRange> of_cuda;
        std::map<NodeId, std::size_t> asked;  // questions by their statement
        for (const Finding& finding : findings) {
            if (!asks_for_cuda(finding)) continue;
            const NodeId question = tree_.smallest_at(finding.range);
            if (asks_for_device(file, finding)) available_.insert(question);
            const NodeId statement = tree_.ancestor(question, NodeKind::if_statement);
            const NodeId around =
                statement == kNoNode ? tree_.ancestor(question, NodeKind::expression_statement) : statement;
            if (++asked[around] > kMostQuestions) continue;
            if (statement != kNoNode && demands_cuda(statement)) continue;
            std::ranges::move(guarded_by(file, question).code, std::back_inserter(of_cuda));
        }
        of_cuda_ = base::ByteRanges(std::move(of_cuda));
        for (const ImportedName& import : file.bindings().imports()) {
            if (import.conditional && !has(import.node, true)) tried_.insert(import.bound_name);
        }
    }

    bool is_mixed() const { return is_mixed_; }
    // A question whether CUDA is there, where nothing says what an NPU does: CUDA is asked for, or the host's processor is taken.
    bool demands_cuda(NodeId statement) const {
        const auto [known, is_new] = demands_.try_emplace(statement, false);
        if (is_new) known->second = find_demand(statement);
        return known->second;
    }
    // Of a name that an import binds below if or try.
    bool is_tried(NodeId name) const { return tried_.contains(tree_.text(name)); }
    bool is_for_cuda(NodeId node) const { return of_cuda_.contains(tree_.range(node).begin); }

    // Whether the node runs whatever device was chosen; `unless_asked`: and whatever else is asked.
    bool has(NodeId node, bool unless_asked = false) const {
        if (is_for_cuda(node)) return false;
        bool in_function = false;
        for (NodeId at = node, parent = tree_.parent(at); parent != kNoNode; at = parent, parent = tree_.parent(at)) {
            in_function |= tree_.kind(parent) == NodeKind::function_definition;
            if (depends(parent, at, in_function, unless_asked)) return false;
        }
        return true;
    }

private:
    bool depends(NodeId parent, NodeId child, bool in_function, bool unless_asked) const {
        switch (tree_.kind(parent)) {
            case NodeKind::if_statement:
                if (demands_cuda(parent) || is_main_guard(tree_, parent)) return false;
                return tree_.field(child) == Field::condition || unless_asked || asks(parent);
            case NodeKind::conditional_expression:
                return !demands_cuda(parent) && (child == condition_of(parent) || unless_asked || asks(parent));
            case NodeKind::match_statement:
            case NodeKind::boolean_operator: return unless_asked || asks(parent);
            case NodeKind::pair: return is_entry_of_cuda(parent);
            case NodeKind::except_clause:
            case NodeKind::decorator:
            case NodeKind::default_parameter:
            case NodeKind::typed_default_parameter: return true;
            case NodeKind::comparison_operator:
            case NodeKind::assert_statement: return tree_.kind(child) != NodeKind::call;
            case NodeKind::try_statement: return (unless_asked || asks(parent)) && !insists(tree_, parent);
            case NodeKind::argument_list: return is_default_of_lookup(parent, child);
            case NodeKind::class_definition: return !in_function;
            default: return false;
        }
    }

    // Whether a statement asks for a device: by a condition, what is matched, what is tried to be imported.
    bool asks(NodeId statement) const {
        const auto [known, is_new] = asks_.try_emplace(statement, false);
        if (is_new) known->second = find_question(statement);
        return known->second;
    }
    bool find_question(NodeId statement) const {
        const NodeKind kind = tree_.kind(statement);
        const NodeList parts = tree_.named_children(statement);
        if (kind == NodeKind::conditional_expression) {
            const NodeId condition = condition_of(statement);
            return condition != kNoNode && adapted_.names_device(condition);
        }
        if (kind == NodeKind::boolean_operator) return adapted_.names_device(tree_.child(statement, Field::left));
        if (kind == NodeKind::try_statement) return tries_import(parts.front());
        if (kind == NodeKind::match_statement && has_pattern_of_device(statement)) return true;
        return std::ranges::any_of(parts, [&](NodeId part) {
            const Field field = tree_.field(part);
            if (field == Field::condition || field == Field::subject) return adapted_.names_device(part);
            return tree_.kind(part) == NodeKind::elif_clause &&
                   adapted_.names_device(tree_.child(part, Field::condition));
        });
    }
    bool has_pattern_of_device(NodeId statement) const {
        for (NodeId id = statement; id < tree_.subtree_end(statement); ++id) {
            if (tree_.kind(id) == NodeKind::case_pattern && adapted_.names_device(id)) return true;
        }
        return false;
    }
    bool tries_import(NodeId block) const {
        return std::ranges::any_of(tree_.named_children(block), [&](NodeId statement) {
            return tree_.kind(statement) == NodeKind::import_statement ||
                   tree_.kind(statement) == NodeKind::import_from_statement;
        });
    }

    // {"cuda": torch.cuda.manual_seed}
    bool is_entry_of_cuda(NodeId pair) const {
        const NodeId key = tree_.child(pair, Field::key);
        return key != kNoNode && tree_.kind(key) == NodeKind::string && adapted_.names_source(key);
    }
    // getattr(torch, name, torch.cuda)
    bool is_default_of_lookup(NodeId list, NodeId argument) const {
        const NodeId function = tree_.child(tree_.parent(list), Field::function);
        return function != kNoNode && tree_.text(function) == "getattr" && file_.argument_position(argument) == 2;
    }

    bool find_demand(NodeId statement) const {
        const NodeId condition = condition_of(statement);
        if (condition == kNoNode || !asks_whether_there(condition)) return false;
        base::ByteRange range = tree_.range(statement);
        // What leaves the block has the rest of it as another way.
        const NodeId last = last_statement(tree_, tree_.child(statement, Field::consequence));
        if (last != kNoNode && tree_.kind(last) == NodeKind::return_statement)
            range.end = tree_.range(tree_.parent(statement)).end;
        return !adapted_.contains(condition) && !adapted_.mentions_target(range) && !follows_other_way(statement);
    }
    // A statement above it in the function returns what is for the target.
    bool follows_other_way(NodeId statement) const {
        for (NodeId at = statement; at != kNoNode && tree_.kind(at) != NodeKind::function_definition;
             at = tree_.parent(at)) {
            const NodeId block = tree_.parent(at);
            if (block == kNoNode || tree_.kind(block) != NodeKind::block) continue;
            if (!adapted_.mentions_target({tree_.range(block).begin, tree_.range(at).begin})) continue;
            for (NodeId above = tree_.first_child(block); above != at; above = tree_.next_sibling(above)) {
                if (adapted_.mentions_target(tree_.range(above)) && has_return(above)) return true;
            }
        }
        return false;
    }
    bool has_return(NodeId statement) const {
        for (NodeId id = statement; id < tree_.subtree_end(statement); ++id) {
            if (tree_.kind(id) == NodeKind::return_statement) return true;
        }
        return false;
    }
    NodeId condition_of(NodeId statement) const {
        if (tree_.kind(statement) != NodeKind::conditional_expression) return tree_.child(statement, Field::condition);
        const NodeList parts = tree_.named_children(statement);
        return parts.size() == 3 ? parts[1] : kNoNode;
    }
    bool asks_whether_there(NodeId condition) const {
        const auto first = available_.lower_bound(condition);
        if (first != available_.end() && *first < tree_.subtree_end(condition)) return true;
        const bool is_negated = tree_.kind(condition) == NodeKind::not_operator;
        const NodeId question = is_negated ? tree_.child(condition, Field::argument) : condition;
        return is_mixed_ && question != kNoNode && tree_.kind(question) == NodeKind::attribute;
    }

    const PythonFile& file_;
    const SyntaxTree& tree_;
    const AdaptedCode& adapted_;
    bool is_mixed_;
    base::ByteRanges of_cuda_;
    std::set<std::string_view> tried_;
    std::set<NodeId> available_;  // questions whether CUDA is there
    mutable std::unordered_map<NodeId, bool> asks_, demands_;
};

// Not the name of an import.
bool is_variable(const PythonFile& file, NodeId node) {
    return file.tree().kind(node) == NodeKind::identifier &&
           std::ranges::any_of(file.bindings().binding_sites(node),
                               [](const BindingSite& site) { return site.value != kNoNode; });
}

NodeId root_of(const PythonFile& file, NodeId use) {
    const SyntaxTree& tree = file.tree();
    return file.chain_root(tree.kind(use) == NodeKind::call ? tree.child(use, Field::function) : use);
}

// A call whose result nobody uses, below an if: a program does without torch.cuda.empty_cache().
bool is_mere_effect(const PythonFile& file, NodeId node) {
    const SyntaxTree& tree = file.tree();
    const NodeId call = tree.kind(node) == NodeKind::call ? node : tree.ancestor(node, NodeKind::call);
    if (call == kNoNode || tree.kind(tree.parent(call)) != NodeKind::expression_statement) return false;
    const NodeId condition = tree.ancestor(call, NodeKind::if_statement);
    return condition != kNoNode && !is_main_guard(tree, condition);
}

// Else it is about the NPU.
bool is_about_cuda(FindingKind kind) {
    return kind == FindingKind::cuda_api || kind == FindingKind::device_string || kind == FindingKind::backend ||
           kind == FindingKind::amp || kind == FindingKind::third_party || kind == FindingKind::cuda_extension ||
           kind == FindingKind::environment;
}

bool is_value(FindingKind kind) { return kind == FindingKind::device_string || kind == FindingKind::backend; }

bool is_compared(const SyntaxTree& tree, NodeId node) {
    return tree.ancestor(node, NodeKind::comparison_operator) != kNoNode;
}

// Of a program that runs on CUDA as well: whether it is no choice of a device, but a part, an effect, what is taken where nothing
// else is said.
bool is_unsettled(const PythonFile& file, const CertainCode& certain, const Finding& finding, NodeId node) {
    const SyntaxTree& tree = file.tree();
    if (finding.kind == FindingKind::environment) return true;
    if (finding.kind == FindingKind::third_party && certain.is_tried(root_of(file, node))) return true;
    if (asks_for_device(file, finding) && !is_asked(tree, whole_call(file, node))) return true;
    if (finding.kind != FindingKind::third_party && is_given_by_project(file, node)) return true;
    NodeId value = is_value(finding.kind) ? literal_at(tree, node) : kNoNode;
    // "cuda" if torch.cuda.is_available() else "cpu"
    while (value != kNoNode && tree.kind(tree.parent(value)) == NodeKind::conditional_expression &&
           certain.demands_cuda(tree.parent(value)))
        value = tree.parent(value);
    if (value != kNoNode && !is_handed_over(file, finding, value)) return true;
    if (file.rules().names.row(finding.subject) == nullptr) return false;
    return is_variable(file, node) || finding.certainty != Certainty::resolved ||
           (is_mere_effect(file, node) && !certain.is_mixed());
}

bool is_open(const PythonFile& file, const CertainCode& certain, const AdaptedCode& adapted, const Finding& finding) {
    if (finding.range.size() == 0) return true;
    const OwnChoice choice = file.context().own_choice;
    const NodeId node = file.tree().smallest_at(finding.range);
    if (finding.kind == FindingKind::advice && adapted.contains(node)) return false;
    if (finding.kind == FindingKind::affinity && certain.is_tried(root_of(file, node))) return false;
    if (!is_about_cuda(finding.kind)) return !certain.is_for_cuda(node);
    if (adapted.contains(node)) return false;
    if (choice == OwnChoice::redirected && finding.fix) return is_compared(file.tree(), node);
    if (choice != OwnChoice::needs && is_unsettled(file, certain, finding, node)) return false;
    const bool is_optional = finding.kind == FindingKind::third_party || finding.kind == FindingKind::cuda_extension;
    return certain.has(node, is_optional);
}

// A file that fails without CUDA at its first lines measures or serves CUDA: where other programs run on the NPU, it is not moved.
void leave_what_needs_cuda(const PythonFile& file, const AdaptedCode& adapted, FindingSink& findings) {
    const SyntaxTree& tree = file.tree();
    const CertainCode certain(file, adapted, findings, false);
    const auto needs = std::ranges::find_if(findings, [&](const Finding& finding) {
        const Rule* rule = file.rules().find_rule(finding.rule);
        const NodeId node = tree.smallest_at(finding.range);
        return finding.severity != Severity::info && !finding.fix && rule != nullptr && rule->cuda_only &&
               tree.ancestor(node, NodeKind::function_definition) == kNoNode && certain.has(node, true);
    });
    if (needs == findings.end()) return;
    const std::string line = std::to_string(file.line_of(tree.smallest_at(needs->range)));
    for (Finding& finding : findings) {
        if (!finding.fix) continue;
        finding.fix.reset();
        finding.message.add(
            {"This file does not run without CUDA (line {line}), so it is left unchanged.", {{"line", line}}});
    }
}

void tell_instead(const PythonFile& file, const AdaptedCode& adapted, Finding& finding) {
    std::string told = told_instead(file, adapted, finding);
    if (!told.empty()) finding.told = std::make_shared<const std::string>(std::move(told));
}

// Without an edit; `note`: empty for none.
void leave(Finding& finding, Severity severity, std::string_view note) {
    finding.fix.reset();
    finding.at_run_time = false;
    finding.severity = severity;
    if (!note.empty()) finding.message.add(note);
}

}  // namespace

void leave_unloaded(OwnChoice choice, FindingSink& findings) {
    const bool is_apart = choice == OwnChoice::apart;
    if (!is_apart && choice != OwnChoice::unloaded && choice != OwnChoice::shared) return;
    for (Finding& finding : findings) {
        if (finding.kind == FindingKind::file || (finding.severity == Severity::info && !finding.fix)) continue;
        if (is_apart) leave(finding, Severity::info, kApartNote);
        else if (choice == OwnChoice::shared) leave(finding, finding.severity, kSharedNote);
        else leave(finding, std::min(finding.severity, Severity::warning), kUnloadedNote);
    }
}

void leave_siblings(const TextFile& file, FindingSink& findings) {
    const TextContents& contents = file.contents;
    const AdaptedNames& words = file.rules->adapted;
    std::set<std::pair<KeyId, std::string>> of_target;
    for (const TextKey& key : contents.keys) {
        Stem stem = stem_of(key.name, words);
        if (stem.is_target) of_target.emplace(key.parent, std::move(stem.rest));
    }
    if (of_target.empty()) return;
    std::vector<char> is_for_source(contents.keys.size());
    for (KeyId id = 0; id < contents.keys.size(); ++id) {
        const TextKey& key = contents.keys[id];
        Stem stem = stem_of(key.name, words);
        const bool has_sibling = stem.is_source && !stem.is_target && of_target.contains({key.parent, stem.rest});
        is_for_source[id] = has_sibling || (key.parent != kNoKey && is_for_source[key.parent]);
    }
    std::vector<base::ByteRange> places;
    for (const TextSetting& setting : contents.settings) {
        if (setting.key != kNoKey && is_for_source[setting.key]) places.push_back(contents.place(setting.text));
    }
    std::ranges::sort(places, {}, &base::ByteRange::begin);
    for (Finding& finding : findings) {
        const auto after = std::ranges::upper_bound(places, finding.range.begin, {}, &base::ByteRange::begin);
        if (after == places.begin() || std::prev(after)->end < finding.range.end) continue;
        leave(finding, Severity::info, kSiblingNote);
    }
}

void leave_own_choice(const PythonFile& file, const AdaptedCode& adapted, FindingSink& findings) {
    const OwnChoice choice = file.context().own_choice;
    if (choice == OwnChoice::others) return leave_what_needs_cuda(file, adapted, findings);
    if (choice != OwnChoice::chooses && choice != OwnChoice::needs && choice != OwnChoice::redirected &&
        choice != OwnChoice::shared)
        return;
    std::optional<CertainCode> certain(std::in_place, file, adapted, findings, false);
    const bool is_mixed = std::ranges::any_of(findings, [&](const Finding& finding) {
        return is_about_cuda(finding.kind) && finding.severity != Severity::info &&
               is_open(file, *certain, adapted, finding);
    });
    // Where something else is to be settled, a lone `if x.is_cuda:` is to be looked at as well.
    if (is_mixed) certain.emplace(file, adapted, findings, true);
    for (Finding& finding : findings) {
        if (finding.is_needed) continue;
        if (is_value(finding.kind)) tell_instead(file, adapted, finding);
        if (finding.severity == Severity::info && !finding.fix) continue;
        const bool stays_open = is_open(file, *certain, adapted, finding);
        finding.is_only_named = is_only_named(file, finding);
        finding.is_left_to_choice = !stays_open;
        finding.is_assumed = !stays_open && !finding.told && is_value(finding.kind) &&
                             is_assumed(file.tree(), file.tree().smallest_at(finding.range));
        // What others load as well is left by leave_unloaded.
        if (choice == OwnChoice::shared) continue;
        if (!stays_open) leave(finding, Severity::info, kOwnNote);
        else if (choice != OwnChoice::needs)
            leave(finding, finding.severity, finding.fix && is_about_cuda(finding.kind) ? kServesNote : "");
    }
}

}  // namespace migrator
