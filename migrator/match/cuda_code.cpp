#include "migrator/match/cuda_code.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "migrator/match/guarded_code.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// Of a rule or a finding.
bool is_to_port(const auto& item) {
    return item.kind == FindingKind::cuda_extension &&
           (item.severity == Severity::error || item.effort >= Effort::port);
}

bool is_cuda_only(const PythonFile& file, const Finding& finding) {
    if (is_to_port(finding) && !finding.fix) return true;
    const Rule* rule = file.rules().find_rule(finding.rule);
    return rule != nullptr && rule->cuda_only;
}

// The class that a method makes unusable on the NPU with itself, since to make or to call its objects runs it.
NodeId class_run_by(const PythonFile& file, NodeId function, NodeId name) {
    const SyntaxTree& tree = file.tree();
    const NodeId around = tree.ancestor(function, NodeKind::class_definition);
    if (around == kNoNode) return kNoNode;
    const LoopFacts* loops = file.context().loops;
    const std::string_view method = tree.text(name);
    const bool runs = method == "__init__" || method == "__call__" ||
                      (loops != nullptr && base::contains(loops->module_methods, method));
    return runs ? tree.child(around, Field::name) : kNoNode;
}

}  // namespace

bool CudaNames::add(std::string name) {
    last_parts_.emplace(last_part(name));
    return names_.insert(std::move(name)).second;
}

void CudaNames::add_flag(CudaFlag flag) {
    if (!flag.has_other_way) needed_.insert(flag.name);
    flags_[flag.holds].insert(std::move(flag.name));
}

CudaCodeWords::CudaCodeWords(const RuleSet& rules) {
    for (const auto& [name, row] : rules.names.all()) {
        if (is_to_port(*row.rule) && !row.to) words_.emplace(last_part(name));
    }
    const auto add = [&](const auto& rows) {
        for (const auto& row : rows) {
            if (!is_to_port(*row.rule)) continue;
            for (const std::string& pattern : row.all) {
                const std::size_t star = pattern.find('*');
                if (star == pattern.npos) words_.insert(pattern);
                else patterns_.emplace_back(pattern.substr(0, star), pattern.substr(star + 1));
            }
        }
    };
    add(rules.imports);
    add(rules.own_imports);
}

bool CudaCodeWords::any_in(std::string_view text) const {
    return base::any_word(text, [&](std::string_view word) {
        return words_.contains(word) || std::ranges::any_of(patterns_, [&](const auto& pattern) {
                   return word.ends_with(pattern.second) && word.starts_with(pattern.first);
               });
    });
}

CudaOnlyCode::CudaOnlyCode(const PythonFile& file, const FindingSink& findings) : file_(file), tree_(file.tree()) {
    for (const Finding& finding : findings) {
        if (is_cuda_only(file_, finding)) add(tree_.smallest_at(finding.range));
    }
    add_imported_names();
    add_known_names();
    if (pending_.empty()) return;
    std::vector<base::ByteRange> guarded;
    for (const Finding& finding : findings) {
        if (asks_for_cuda(finding))
            std::ranges::move(guarded_by(file_, tree_.smallest_at(finding.range)).code, std::back_inserter(guarded));
    }
    guarded_ = base::ByteRanges(std::move(guarded));
    while (!pending_.empty() && file_.may_step()) {
        const NodeId use = pending_.back();
        pending_.pop_back();
        follow(use);
    }
    std::ranges::sort(uses_);
}

NodeId CudaOnlyCode::in(base::ByteRange range) const {
    const auto at =
        std::ranges::lower_bound(uses_, range.begin, {}, [&](NodeId use) { return tree_.range(use).begin; });
    return at != uses_.end() && tree_.range(*at).begin < range.end ? *at : kNoNode;
}

void CudaOnlyCode::add(NodeId use) {
    if (use == kNoNode || !known_.insert(use).second) return;
    uses_.push_back(use);
    pending_.push_back(use);
}

// Whoever reads a function, class or variable that leads to CUDA-only code.
void CudaOnlyCode::add_reads(NodeId name) {
    if (!followed_.insert(name).second) return;
    if (std::string shared = file_.bindings().shared_name(name); !shared.empty()) names_.push_back(std::move(shared));
    for (const NodeId read : file_.bindings().reads(name)) add(read);
}

void CudaOnlyCode::add_imported_names() {
    std::set<NodeId> statements;
    for (const NodeId use : uses_) {
        for (const NodeKind kind : {NodeKind::import_statement, NodeKind::import_from_statement})
            statements.insert(tree_.kind(use) == kind ? use : tree_.ancestor(use, kind));
    }
    std::set<std::string_view> bound;
    for (const ImportedName& import : file_.bindings().imports()) {
        if (statements.contains(import.statement)) bound.insert(import.bound_name);
    }
    const auto is_in_import = [&](NodeId name) {
        const auto next = statements.upper_bound(name);
        return next != statements.begin() && tree_.is_ancestor(*std::prev(next), name);
    };
    for (const std::string_view word : bound) {
        for (const NodeId name : file_.identifiers(word)) {
            if (!is_in_import(name)) add(name);
        }
    }
}

void CudaOnlyCode::add_known_names() {
    const CudaNames* known = file_.context().cuda_names;
    if (known == nullptr || known->empty()) return;
    std::set<std::string_view> words;
    for (const ImportedName& import : file_.bindings().imports()) {
        if (known->has_last_part(import.name)) words.insert(import.bound_name);
        // A module that does not load without CUDA.
        if (known->contains(import.module) || known->contains(import.qualified())) add(import.node);
    }
    for (const auto& [word, nodes] : file_.identifiers()) {
        if (!known->has_last_part(word) && !words.contains(word)) continue;
        for (const NodeId node : nodes) {
            const auto references = file_.bindings().references(file_.whole_name(node));
            if (std::ranges::any_of(references, [&](const Reference& reference) {
                    return reference.origin != Origin::external && known->contains(reference.name);
                }))
                add(node);
        }
    }
}

// What is called leads there with its function; what is only named, or kept for later, with its variable too.
void CudaOnlyCode::follow(NodeId use) {
    if (guarded_.contains(tree_.range(use).begin)) return;
    const NodeId call = whole_call(file_, use);
    for (const NodeId target : targets_of(tree_, call)) {
        if (call == use || !file_.bindings().shared_name(target).empty()) add_reads(target);
    }
    const NodeId decorator = tree_.ancestor(use, NodeKind::decorator);
    const NodeId function = decorator == kNoNode ? tree_.ancestor(use, NodeKind::function_definition)
                                                 : tree_.child(tree_.parent(decorator), Field::definition);
    const NodeId name = function == kNoNode ? kNoNode : tree_.child(function, Field::name);
    if (name == kNoNode) return;
    add_reads(name);
    if (const NodeId owner = class_run_by(file_, function, name); owner != kNoNode) add_reads(owner);
}

bool asks_for_cuda(const Finding& finding) {
    return finding.kind == FindingKind::cuda_api || finding.kind == FindingKind::device_string;
}

// Whether an import of CUDA-only code stands at its module level, below nothing.
bool CudaOnlyCode::is_needed_to_load() const {
    return !file_.context().module.module_name.empty() && std::ranges::any_of(uses_, [&](NodeId use) {
        for (const NodeKind kind : {NodeKind::import_statement, NodeKind::import_from_statement}) {
            const NodeId statement = tree_.kind(use) == kind ? use : tree_.ancestor(use, kind);
            if (statement != kNoNode && tree_.parent(statement) == tree_.root()) return true;
        }
        return false;
    });
}

// The names that other files share are followed there, with what their values decide here.
CudaLeads CudaOnlyCode::leads() const {
    CudaLeads out{names_, {}};
    if (empty()) return out;
    if (is_needed_to_load()) out.names.push_back(file_.context().module.module_name);
    std::map<std::pair<std::string, bool>, Guarded> flags;
    for (const auto& [word, nodes] : file_.identifiers()) {
        for (const NodeId read : nodes) {
            const NodeId asked = whole_call(file_, file_.whole_name(read));
            if (!is_asked(tree_, asked) || !file_.may_step()) continue;
            for (const Reference& reference : file_.bindings().references(file_.whole_name(read))) {
                if (reference.origin == Origin::external) continue;
                for (const bool holds : {true, false})
                    flags[{reference.name, holds}].add(guarded_by(file_, asked, holds));
            }
        }
    }
    for (const auto& [flag, guarded] : flags) {
        if (std::ranges::any_of(guarded.code, [&](base::ByteRange code) { return in(code) != kNoNode; }))
            out.flags.push_back({flag.first, flag.second, has_other_way(file_, guarded)});
    }
    return out;
}

CudaLeads cuda_leads(std::string_view path, const ParsedText& parsed, const MatchContext& context) {
    const PythonFile file(path, *parsed.tree, *parsed.bindings, context);
    FindingSink findings;
    // Most files only have a word in common with it, which these tell without all the rest.
    match_names(file, ImportPlan(file), findings);
    match_arguments(file, findings);
    match_packages(file, read_literals(*parsed.tree), findings);
    if (CudaOnlyCode(file, findings).empty()) return {};
    findings.clear();
    match_python(path, parsed, context, false, findings);
    return CudaOnlyCode(file, findings).leads();
}

}  // namespace migrator
