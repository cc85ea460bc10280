// Questions for CUDA in front of code that only CUDA has: on the NPU they have to keep saying no.
#include <algorithm>
#include <set>

#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// Code of the file that runs CUDA kernels: what findings say is to be ported, the names that such imports bind, and calls
// of functions of the file that lead there.
class CudaOnlyCode {
public:
    CudaOnlyCode(const PythonFile& file, const FindingSink& findings) : file_(file), tree_(file.tree()) {
        for (const Finding& finding : findings) {
            const bool is_to_port = finding.severity == Severity::error || finding.effort >= Effort::port;
            if (finding.kind == FindingKind::cuda_extension && is_to_port && !finding.fix)
                add(tree_.smallest_at(finding.range));
        }
        if (pending_.empty()) return;
        add_imported_names();
        while (!pending_.empty() && file_.may_step()) {
            const NodeId use = pending_.back();
            pending_.pop_back();
            add_calls_of(tree_.ancestor(use, NodeKind::function_definition));
        }
        std::ranges::sort(uses_);
    }

    bool empty() const { return uses_.empty(); }
    // The first use in the range, or kNoNode.
    NodeId in(base::ByteRange range) const {
        const auto at =
            std::ranges::lower_bound(uses_, range.begin, {}, [&](NodeId use) { return tree_.range(use).begin; });
        return at != uses_.end() && tree_.range(*at).begin < range.end ? *at : kNoNode;
    }

private:
    void add(NodeId use) {
        if (use == kNoNode || !known_.insert(use).second) return;
        uses_.push_back(use);
        pending_.push_back(use);
    }

    void add_imported_names() {
        std::set<NodeId> statements;
        for (const NodeId use : uses_) {
            for (const NodeKind kind : {NodeKind::import_statement, NodeKind::import_from_statement})
                statements.insert(tree_.kind(use) == kind ? use : tree_.ancestor(use, kind));
        }
        for (const ImportedName& import : file_.bindings().imports()) {
            if (!statements.contains(import.statement)) continue;
            for (const NodeId name : file_.identifiers(import.bound_name)) {
                if (!tree_.is_ancestor(import.statement, name)) add(name);
            }
        }
    }

    void add_calls_of(NodeId function) {
        if (function == kNoNode || !functions_.insert(function).second) return;
        const NodeId name = tree_.child(function, Field::name);
        if (name == kNoNode || tree_.ancestor(function, NodeKind::class_definition) != kNoNode) return;
        for (const NodeId use : file_.identifiers(tree_.text(name))) {
            if (use != name && file_.call_of(file_.whole_name(use)) != kNoNode) add(use);
        }
    }

    const PythonFile& file_;
    const SyntaxTree& tree_;
    std::vector<NodeId> uses_;  // sorted
    std::vector<NodeId> pending_;
    std::set<NodeId> known_;
    std::set<NodeId> functions_;
};

bool leaves(const SyntaxTree& tree, NodeId block) {
    if (block == kNoNode) return false;
    const NodeList statements = tree.named_children(block);
    return std::ranges::any_of(statements, [&](NodeId statement) {
        const NodeKind kind = tree.kind(statement);
        return kind == NodeKind::return_statement || kind == NodeKind::raise_statement;
    });
}

// What follows in the function or file.
base::ByteRange behind(const SyntaxTree& tree, NodeId statement) {
    const NodeId function = tree.ancestor(statement, NodeKind::function_definition);
    return {tree.range(statement).end, tree.range(function == kNoNode ? tree.root() : function).end};
}

// The code that runs, or goes on, only where the condition around the node holds; empty when it is in none.
base::ByteRange guarded_by(const SyntaxTree& tree, NodeId node) {
    for (NodeId at = node, parent = tree.parent(at); parent != kNoNode; at = parent, parent = tree.parent(at)) {
        switch (tree.kind(parent)) {
            case NodeKind::if_statement:
            case NodeKind::elif_clause: {
                if (tree.field(at) != Field::condition) return {};
                const NodeId consequence = tree.child(parent, Field::consequence);
                if (consequence == kNoNode) return {};
                return leaves(tree, consequence) && tree.kind(parent) == NodeKind::if_statement &&
                               tree.kind(at) != NodeKind::boolean_operator
                           ? base::ByteRange{tree.range(consequence).begin, behind(tree, parent).end}
                           : tree.range(consequence);
            }
            case NodeKind::assert_statement: return behind(tree, parent);
            case NodeKind::conditional_expression: {
                const NodeList parts = tree.named_children(parent);
                return parts.size() == 3 && parts[1] == at ? tree.range(parts[0]) : base::ByteRange{};
            }
            case NodeKind::block:
            case NodeKind::module: return {};
            default: break;
        }
    }
    return {};
}

}  // namespace

void leave_guards_of_cuda_code(const PythonFile& file, FindingSink& findings) {
    const CudaOnlyCode cuda(file, findings);
    if (cuda.empty()) return;
    const SyntaxTree& tree = file.tree();
    for (Finding& finding : findings) {
        const bool asks = finding.kind == FindingKind::cuda_api || finding.kind == FindingKind::device_string;
        if (!asks || !finding.fix) continue;
        const NodeId use = cuda.in(guarded_by(tree, tree.smallest_at(finding.range)));
        if (use == kNoNode) continue;
        finding.fix.reset();
        finding.message.add(
            {"It stands in front of CUDA code (line {line}), which must not run on the NPU: leave it until that is "
             "ported.",
             {{"line", std::to_string(file.line_of(use))}}});
    }
}

}  // namespace migrator
