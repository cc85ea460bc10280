#include "migrator/match/own_support.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "migrator/match/adapted_code.h"
#include "migrator/match/device_roles.h"
#include "migrator/match/guarded_code.h"
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
            if (tree_.kind(id) != NodeKind::string) continue;
            if (is_target_device(id)) add_value(id);
            out_.asks |= is_looked_for(id);
            add_option(id);
        }
        std::ranges::stable_sort(out_.signs, {}, &OwnSupport::Sign::line);
        return std::move(out_);
    }

private:
    void add(NodeId node, SignKind kind, std::uint64_t percent) {
        out_.signs.push_back({file_.line_of(node), kind, percent});
    }

    // Not a back end: another maker's has the same name.
    bool is_target_device(NodeId string) const {
        const auto word = adapted_.device_word(string);
        return word && std::ranges::any_of(file_.rules().values, [&](const ValueRow& row) {
                   return row.form == ValueForm::device &&
                          std::ranges::any_of(row.fix.replace, [&](const auto& pair) { return pair.second == *word; });
               });
    }

    // hasattr(torch, "npu"), importlib.util.find_spec("torch_npu")
    bool is_looked_for(NodeId string) const {
        if (tree_.kind(tree_.parent(string)) != NodeKind::argument_list) return false;
        const auto text = adapted_.device_word(string);
        if (!text || !(base::contains(known_.packages, *text) || is_target_device(string))) return false;
        const NodeId call = tree_.parent(tree_.parent(string));
        const NodeId function = tree_.child(call, Field::function);
        return function != kNoNode &&
               std::ranges::any_of(file_.bindings().references(function),
                                   [&](const Reference& one) { return base::contains(known_.questions, one.name); });
    }

    // add_argument("--use_npu", action="store_true")
    void add_option(NodeId string) {
        if (tree_.kind(tree_.parent(string)) != NodeKind::argument_list || file_.argument_position(string) != 0) return;
        const std::string_view text = unquoted(string);
        if (!text.starts_with("--") || !adapted_.has_target_word(text.substr(2))) return;
        const NodeList arguments = tree_.named_children(tree_.parent(string));
        const bool is_switch = std::ranges::any_of(arguments, [&](NodeId argument) {
            const NodeId value = tree_.child(argument, Field::value);
            return tree_.kind(argument) == NodeKind::keyword_argument && value != kNoNode &&
                   base::contains(known_.switches, unquoted(value));
        });
        if (is_switch) out_.options.emplace_back(text);
    }
    std::string_view unquoted(NodeId string) const { return base::trimmed(tree_.text(string), "\"'"); }

    void add_import(const ImportedName& import) {
        const std::string name = import.qualified();
        const auto is_of = [&](const std::string& package) { return is_within(name, package); };
        if (import.type_checking_only || std::ranges::none_of(known_.packages, is_of)) return;
        const SupportNames* names = best_of(name);
        const bool is_asked = adapted_.contains(import.node);
        const bool is_redirect = names != nullptr && names->redirects && (is_asked || import.scope == kModuleScope);
        const bool is_needed = tree_.parent(import.statement) == tree_.root();
        out_.redirects |= is_redirect;
        out_.needs_target |= is_needed;
        out_.asks |= is_redirect || is_needed || tree_.ancestor(import.statement, NodeKind::try_statement) != kNoNode;
        if (is_redirect) add(import.node, SignKind::name, names->percent);
        else add(import.node, SignKind::import, is_asked ? known_.forms.import_where_asked : known_.forms.import);
    }

    // A use of the name itself: not where it is only compared, or refused.
    void add_name(NodeId name) {
        const NodeId parent = tree_.parent(name);
        const bool is_prefix = tree_.kind(parent) == NodeKind::attribute && tree_.field(name) == Field::object;
        if (is_prefix || is_refused(name) || tree_.ancestor(name, NodeKind::comparison_operator) != kNoNode) return;
        if (is_called_with_source(name)) return;
        for (const Reference& reference : file_.bindings().references(name)) {
            const SupportNames* names = best_of(reference.name);
            const bool is_guard = base::contains(known_.guards, reference.name);
            out_.asks |= is_guard && tree_.ancestor(name, NodeKind::assert_statement) == kNoNode;
            if (reference.origin != Origin::external || names == nullptr || is_guard) continue;
            out_.asks |= names->asks;
            add(name, names->libraries ? SignKind::library : SignKind::name, names->percent);
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
        while (tree_.kind(parent) == NodeKind::parenthesized_expression || is_chosen_by(parent, node) ||
               is_each_of(parent, node)) {
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
                if (is_of_class(tree_, parent)) add(string, SignKind::listed, known_.forms.listed);
                else add(string, SignKind::value, known_.forms.value);
                return;
            case NodeKind::argument_list:
            case NodeKind::keyword_argument:
                if (takes_device(parent)) add(string, SignKind::value, known_.forms.value);
                return;
            // `return "npu", "hccl"`
            case NodeKind::expression_list:
            case NodeKind::return_statement:
            case NodeKind::default_parameter:
            case NodeKind::typed_default_parameter: add(string, SignKind::value, known_.forms.value); return;
            default: return;
        }
    }

    // [f"npu:{i}" for i in range(n)]
    bool is_each_of(NodeId parent, NodeId node) const {
        return tree_.kind(parent) == NodeKind::list_comprehension && tree_.field(node) == Field::body;
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
        const auto [known, is_new] = has_source_.try_emplace(display, false);
        for (NodeId id = display; is_new && !known->second && id < tree_.subtree_end(display); ++id)
            known->second = tree_.kind(id) == NodeKind::string && adapted_.names_source(id);
        const NodeId around = tree_.parent(display);  // none where the text does not parse
        const bool is_compared = around != kNoNode && tree_.kind(around) == NodeKind::comparison_operator;
        if (known->second && !is_compared) add(node, SignKind::listed, known_.forms.listed);
    }

    // device="npu", x.to("npu"), torch.device("npu"), register("npu", ...) of the project; not print("npu").
    bool takes_device(NodeId argument) const {
        const bool is_keyword = tree_.kind(argument) == NodeKind::keyword_argument;
        if (is_keyword) {
            const std::string_view keyword = tree_.text(tree_.child(argument, Field::name));
            return std::ranges::any_of(file_.rules().values,
                                       [&](const ValueRow& row) { return row.is_carrier(keyword); });
        }
        const NodeId call = tree_.parent(argument);
        const NodeId function = tree_.child(call, Field::function);
        if (function == kNoNode || is_asked(tree_, call)) return false;
        const auto references = file_.bindings().references(function);
        if (references.empty()) return file_.last_name(function) == "to";
        return std::ranges::any_of(references, [&](const Reference& reference) {
            const auto is_part = [&](const std::string& module) { return is_within(reference.name, module); };
            return reference.origin == Origin::project ||
                   std::ranges::any_of(file_.rules().framework.loaded_by, is_part);
        });
    }

    bool is_refused(NodeId node) const { return tree_.ancestor(node, NodeKind::raise_statement) != kNoNode; }

    const PythonFile& file_;
    const SyntaxTree& tree_;
    const AdaptedNames& known_;
    const AdaptedCode adapted_;
    std::unordered_map<NodeId, bool> has_source_;  // by list: asked once, however many items it has
    OwnSupport out_;
};

}  // namespace

OwnSupport own_support(std::string_view path, const ParsedText& parsed, const MatchContext& context) {
    return SignSearch(PythonFile(path, *parsed.tree, *parsed.bindings, context)).run();
}

}  // namespace migrator
