#include "migrator/match/own_support.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/match/adapted_code.h"
#include "migrator/match/cuda_code.h"
#include "migrator/python/python_file.h"

namespace migrator {
namespace {

class SignSearch {
public:
    explicit SignSearch(const PythonFile& file)
        : file_(file), tree_(file.tree()), known_(file.rules().adapted), adapted_(file) {}

    OwnSupport run() {
        for (const ImportedName& import : file_.bindings().imports()) add_import(import);
        for (const NodeId name : file_.bindings().external_expressions()) add_name(name);
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::string && adapted_.names_target(id)) add_value(id);
        }
        std::ranges::stable_sort(out_.signs, {}, &OwnSupport::Sign::line);
        return std::move(out_);
    }

private:
    void add(NodeId node, std::uint64_t percent) { out_.signs.push_back({file_.line_of(node), percent}); }

    void add_import(const ImportedName& import) {
        const std::string name = import.qualified();
        const auto is_of = [&](const std::string& package) { return is_within(name, package); };
        if (import.type_checking_only || std::ranges::none_of(known_.packages, is_of)) return;
        const SupportNames* names = best_of(name);
        out_.redirects |= names != nullptr && names->redirects;
        out_.needs_target |= !import.conditional && import.scope == kModuleScope;
        if (names != nullptr && names->redirects) add(import.node, names->percent);
        else add(import.node, adapted_.contains(import.node) ? known_.forms.import_where_asked : known_.forms.import);
    }

    // A use of the name itself: not where it is only compared, or refused.
    void add_name(NodeId name) {
        const NodeId parent = tree_.parent(name);
        const bool is_prefix = tree_.kind(parent) == NodeKind::attribute && tree_.field(name) == Field::object;
        if (is_prefix || is_refused(name) || tree_.ancestor(name, NodeKind::comparison_operator) != kNoNode) return;
        if (is_called_with_source(name)) return;
        for (const Reference& reference : file_.bindings().references(name)) {
            const SupportNames* names = best_of(reference.name);
            if (reference.origin != Origin::external || names == nullptr) continue;
            if (base::contains(known_.guards, reference.name)) continue;
            add(name, names->percent);
            return;
        }
    }

    // torch.get_device_module("cuda")
    bool is_called_with_source(NodeId name) const {
        const NodeId call = file_.call_of(name);
        const NodeList arguments =
            call == kNoNode ? NodeList{} : tree_.named_children(tree_.child(call, Field::arguments));
        return std::ranges::any_of(arguments, [&](NodeId argument) {
            return tree_.kind(argument) == NodeKind::string && adapted_.names_source(argument);
        });
    }

    const SupportNames* best_of(std::string_view name) const {
        const SupportNames* best = nullptr;
        for (const SupportNames& names : known_.support) {
            const bool is_one =
                std::ranges::any_of(names.names, [&](const std::string& known) { return is_within(name, known); });
            if (is_one && (best == nullptr || best->percent < names.percent)) best = &names;
        }
        return best;
    }

    void add_value(NodeId string) {
        if (is_refused(string)) return;
        NodeId node = string;
        NodeId parent = tree_.parent(node);
        while (tree_.kind(parent) == NodeKind::parenthesized_expression || is_chosen_by(parent, node)) {
            node = parent;
            parent = tree_.parent(node);
        }
        switch (tree_.kind(parent)) {
            case NodeKind::list:
            case NodeKind::tuple:
            case NodeKind::set:
            case NodeKind::type_parameter:
            case NodeKind::subscript:
            case NodeKind::dictionary:
            case NodeKind::pair: add_listed(parent, node); return;
            case NodeKind::assignment:
                add(string, is_of_class(parent) ? known_.forms.listed : known_.forms.value);
                return;
            case NodeKind::argument_list:
            case NodeKind::keyword_argument:
                if (!is_asked_by_call(node)) add(string, known_.forms.value);
                return;
            case NodeKind::return_statement:
            case NodeKind::default_parameter:
            case NodeKind::typed_default_parameter: add(string, known_.forms.value); return;
            default: return;
        }
    }

    // `value if condition else value`, `value or value`
    bool is_chosen_by(NodeId parent, NodeId node) const {
        if (tree_.kind(parent) == NodeKind::boolean_operator) return true;
        if (tree_.kind(parent) != NodeKind::conditional_expression) return false;
        const NodeList parts = tree_.named_children(parent);
        return parts.size() == 3 && parts[1] != node;
    }

    // A member of a list says something only beside the other device: what is poor in something is listed as well.
    void add_listed(NodeId parent, NodeId node) {
        const NodeId display = tree_.kind(parent) == NodeKind::pair ? tree_.parent(parent) : parent;
        for (NodeId id = display; id < tree_.subtree_end(display); ++id) {
            if (tree_.kind(id) == NodeKind::string && adapted_.names_source(id)) return add(node, known_.forms.listed);
        }
    }

    // if name.startswith("npu"):
    bool is_asked_by_call(NodeId argument) const {
        const NodeId call = tree_.ancestor(argument, NodeKind::call);
        return call != kNoNode && is_asked(tree_, call);
    }

    // An attribute of a class, or a member of an enumeration.
    bool is_of_class(NodeId assignment) const {
        const NodeId around = tree_.ancestor(assignment, NodeKind::class_definition);
        const NodeId function = tree_.ancestor(assignment, NodeKind::function_definition);
        return around != kNoNode && (function == kNoNode || function < around);
    }

    bool is_refused(NodeId node) const { return tree_.ancestor(node, NodeKind::raise_statement) != kNoNode; }

    const PythonFile& file_;
    const SyntaxTree& tree_;
    const AdaptedNames& known_;
    const AdaptedCode adapted_;
    OwnSupport out_;
};

}  // namespace

OwnSupport own_support(std::string_view path, const ParsedText& parsed, const MatchContext& context) {
    return SignSearch(PythonFile(path, *parsed.tree, *parsed.bindings, context)).run();
}

}  // namespace migrator
