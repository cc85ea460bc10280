// ValueFlow: which parameters take values of the domain, and which expressions have one.
#include <algorithm>

#include "migrator/python/call_arguments.h"
#include "migrator/semantic/project_index.h"
#include "migrator/values/value_flow.h"

#include "base/text.h"

namespace migrator {
namespace {

// Variables are looked through this many times.
constexpr int kMaxDepth = 4;

// "--device" -> "device"
std::string_view without_dashes(std::string_view option) {
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    return option;
}

}  // namespace

std::optional<Certainty> ValueFlow::parameter(NodeId call, NodeId argument, std::string_view keyword,
                                              ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    NodeId function = tree.child(call, Field::function);
    if (function == kNoNode) return std::nullopt;
    std::optional<std::size_t> position = keyword.empty() ? file_.argument_position(argument) : std::nullopt;
    // The first argument of a partial is the function of the others.
    const NodeId filled_in = function_of_partial(file_, call);
    if (filled_in == argument) return std::nullopt;
    if (filled_in != kNoNode) {
        function = filled_in;
        if (position) --*position;
    }
    auto references = file_.bindings().references(function);
    std::optional<Certainty> best;
    for (const Reference& reference : references) {
        auto rows = row_.parameters.find(reference.name);
        if (reference.origin != Origin::external || rows == row_.parameters.end()) continue;
        auto certainty = parameter_of(rows->second, position, keyword, reference.certainty, shape);
        if (certainty && (!best || *best < *certainty)) best = certainty;
    }
    if (best) return best;
    if (!keyword.empty() && declares_carrier_option(call, keyword)) return Certainty::likely;
    if (!keyword.empty() && row_.is_carrier(keyword) && counts_by_name(call)) {
        note_kept_key(keyword, shape);
        return Certainty::likely;
    }
    if (auto certainty = project_parameter(references, position, keyword, shape)) return certainty;
    bool unknown_object = references.empty() && tree.kind(function) == NodeKind::attribute;
    if (!unknown_object) return std::nullopt;
    auto rows = row_.methods.find(file_.last_name(function));
    if (rows == row_.methods.end()) return std::nullopt;
    NodeId object = tree.child(function, Field::object);
    if (file_.bindings().type_of(object)) return std::nullopt;
    return parameter_of(rows->second, position, keyword, Certainty::likely, shape);
}

std::optional<Certainty> ValueFlow::parameter_of(const std::vector<ParameterRow>& rows,
                                                 std::optional<std::size_t> position, std::string_view keyword,
                                                 Certainty certainty, ValueShape shape) {
    for (const ParameterRow& row : rows) {
        if (keyword.empty() ? !position || row.position != position : row.keyword != keyword) continue;
        note_kept_key(row.keyword, shape);
        return certainty;
    }
    return std::nullopt;
}

void ValueFlow::note_kept_key(std::string_view parameter, ValueShape shape) {
    keeps_key_ |= shape.top() == Level::key && base::contains(row_.kept_keys, parameter);
}

// Whether a keyword that is a carrier by its name counts in this call: in calls of the project's own functions and of
// unknown ones, and in those of the packages that speak of devices as the rule does.
bool ValueFlow::counts_by_name(NodeId call) const {
    NodeId function = file_.tree().child(call, Field::function);
    auto references = file_.bindings().references(function);
    return std::all_of(references.begin(), references.end(), [&](const Reference& reference) {
        if (reference.origin != Origin::external) return true;
        return base::contains(row_.packages, std::string_view(reference.name).substr(0, reference.name.find('.')));
    });
}

// to_device(batch, "cuda"): a function of the project, whose parameter is named like one that holds such values, or is
// used as one.
std::optional<Certainty> ValueFlow::project_parameter(std::span<const Reference> functions,
                                                      std::optional<std::size_t> position, std::string_view keyword,
                                                      ValueShape shape) {
    const ProjectIndex* index = file_.context().module.index;
    if (index == nullptr || (!position && keyword.empty()) || functions.empty()) return std::nullopt;
    bool by_name = true;
    for (const Reference& function : functions) {
        if (function.origin != Origin::project) return std::nullopt;
        const auto parameter =
            keyword.empty() ? index->parameter(function.name, *position) : index->parameter(function.name, keyword);
        by_name = by_name && parameter && row_.is_carrier(parameter->name);
        if (parameter) leaves_through_parameter(parameter->function, parameter->name, shape);
    }
    return by_name ? std::optional(Certainty::likely) : std::nullopt;
}

bool ValueFlow::declares_option(NodeId call) const {
    NodeId function = file_.tree().child(call, Field::function);
    auto references = file_.bindings().references(function);
    if (!references.empty()) {
        return std::any_of(references.begin(), references.end(),
                           [&](const Reference& reference) { return base::contains(row_.options, reference.name); });
    }
    // A parser of unknown class, say a parameter.
    return std::any_of(row_.options.begin(), row_.options.end(), [&](const std::string& option) {
        return option.substr(option.rfind('.') + 1) == file_.last_name(function);
    });
}

ValueFlow::OptionNames ValueFlow::option_names(NodeId call) const {
    const SyntaxTree& tree = file_.tree();
    OptionNames out;
    for (NodeId argument : tree.named_children(tree.child(call, Field::arguments))) {
        if (tree.kind(argument) == NodeKind::keyword_argument) {
            const NodeId name = tree.child(argument, Field::name);
            if (name != kNoNode && tree.text(name) == "dest")
                out.member = file_.bindings().constant_string(tree.child(argument, Field::value)).value_or("");
        } else if (auto text = file_.bindings().constant_string(argument)) {
            out.written.push_back(std::move(*text));
        }
    }
    return out;
}

// Where the value of an option is found: "save_dir" for "--save-dir", what `dest` says, "where" for DEFINE_string("where", ...).
// Empty where the declaration does not tell.
std::string ValueFlow::option_member(NodeId call) const {
    const OptionNames names = option_names(call);
    if (names.member) return *names.member;
    if (names.written.empty()) return {};
    // The first long name, or the first one.
    const auto is_long = [](const std::string& name) { return name.starts_with("--"); };
    const auto first = std::ranges::find_if(names.written, is_long);
    std::string out(without_dashes(first == names.written.end() ? names.written.front() : *first));
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

// add_argument("--device", default=...): the option's own name, and `dest`, tell what it holds.
bool ValueFlow::declares_carrier_option(NodeId call, std::string_view keyword) const {
    if (!declares_option(call)) return false;
    if (row_.is_carrier(keyword)) return true;  // set_defaults(device="cuda")
    if (!base::contains(row_.option_values, keyword)) return false;
    const OptionNames names = option_names(call);
    const auto is_carrier = [&](const std::string& name) { return row_.is_carrier(without_dashes(name)); };
    return std::ranges::any_of(names.written, is_carrier) || (names.member && is_carrier(*names.member));
}

bool ValueFlow::is_string_method(NodeId call, std::string_view name) const {
    const SyntaxTree& tree = file_.tree();
    NodeId function = tree.child(call, Field::function);
    if (function == kNoNode || tree.kind(function) != NodeKind::attribute || file_.last_name(function) != name)
        return false;
    NodeKind object = tree.kind(tree.child(function, Field::object));
    return object == NodeKind::string || object == NodeKind::concatenated_string;
}

std::optional<Certainty> ValueFlow::is_value(NodeId expression) { return is_value_at(expression, 0); }

std::optional<Certainty> ValueFlow::is_value_at(NodeId expression, int depth) {
    const SyntaxTree& tree = file_.tree();
    // Each turn goes down one operand; the loop ends because the tree does.
    while (file_.may_step()) {
        expression = file_.skip_parentheses(expression);
        for (const Reference& reference : file_.bindings().references(expression)) {
            if (base::contains(row_.results, reference.name)) return reference.certainty;
        }
        if (auto type = file_.bindings().type_of(expression); type && base::contains(row_.text_of, type->name))
            return type->certainty;
        switch (tree.kind(expression)) {
            case NodeKind::call: return is_value_call(expression, depth);
            case NodeKind::identifier:
            case NodeKind::attribute: return is_value_name(expression, depth);
            case NodeKind::subscript: {
                // cfg["device"]; device.split(":")[0]
                NodeId key = tree.child(expression, Field::subscript);
                if (key != kNoNode && is_carrier_key(key)) return Certainty::likely;
                if (const auto certainty = key == kNoNode ? std::nullopt : key_of_settings(key)) return certainty;
                expression = tree.child(expression, Field::value);
                if (expression == kNoNode || tree.kind(file_.skip_parentheses(expression)) != NodeKind::call)
                    return std::nullopt;
                continue;
            }
            case NodeKind::named_expression: expression = tree.child(expression, Field::value); continue;
            default: return std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<Certainty> ValueFlow::is_value_call(NodeId call, int depth) {
    const SyntaxTree& tree = file_.tree();
    NodeId function = tree.child(call, Field::function);
    if (function == kNoNode) return std::nullopt;
    for (const Reference& reference : file_.bindings().references(function)) {
        if (base::contains(row_.results, reference.name)) return reference.certainty;
    }
    if (depth >= kMaxDepth) return std::nullopt;
    NodeId list = tree.child(call, Field::arguments);
    NodeList arguments = list == kNoNode ? NodeList{} : tree.named_children(list);
    std::string_view name = file_.last_name(function);
    if (name == "str" && arguments.size() == 1) return is_value_at(arguments[0], depth + 1);
    bool by_key = reads_by_key(name) || name == "getattr";
    if (by_key &&
        std::any_of(arguments.begin(), arguments.end(), [&](NodeId argument) { return is_carrier_key(argument); })) {
        return Certainty::likely;
    }
    if (tree.kind(function) == NodeKind::attribute && (takes_text_apart(name) || name == "lower" || name == "strip")) {
        return is_value_at(tree.child(function, Field::object), depth + 1);
    }
    // get_device(): named after what it gives
    std::string_view given = name.starts_with("get_") ? name.substr(4) : name;
    if (row_.is_carrier(given)) return Certainty::likely;
    return std::nullopt;
}

// kind, _, number = device.partition(":"): the call that gives the target its part; kNoNode for other targets.
NodeId ValueFlow::text_taken_apart(NodeId target) const {
    const SyntaxTree& tree = file_.tree();
    const NodeId targets = tree.parent(target), assignment = targets == kNoNode ? kNoNode : tree.parent(targets);
    if (assignment == kNoNode || tree.kind(targets) != NodeKind::pattern_list ||
        tree.kind(assignment) != NodeKind::assignment)
        return kNoNode;
    const NodeId call = tree.child(assignment, Field::right);
    const NodeId function = call == kNoNode ? kNoNode : tree.child(call, Field::function);
    const bool is_method = function != kNoNode && tree.kind(function) == NodeKind::attribute;
    return is_method && takes_text_apart(file_.last_name(function)) ? call : kNoNode;
}

std::optional<Certainty> ValueFlow::is_value_name(NodeId name, int depth) {
    const SyntaxTree& tree = file_.tree();
    std::string_view last = file_.last_name(name);
    // An attribute of a module that is known is what it is, whatever it is called.
    if (file_.has_external_reference(name)) return std::nullopt;
    if (row_.is_carrier(last)) return Certainty::likely;
    if (tree.kind(name) == NodeKind::attribute) {
        if (!base::contains(row_.properties, last))
            return depth == 0 && follows_comparisons_ ? holds_value(name) : std::nullopt;
        NodeId object = file_.skip_parentheses(tree.child(name, Field::object));
        // devices[0].type
        if (tree.kind(object) == NodeKind::subscript) object = tree.child(object, Field::value);
        if (row_.is_carrier(file_.last_name(object))) return Certainty::likely;
        return depth < kMaxDepth ? is_value_at(object, depth + 1) : std::nullopt;
    }
    if (depth >= kMaxDepth) return std::nullopt;
    // kind = x.device.type ... if kind == "cuda"
    for (const BindingSite& site : file_.bindings().binding_sites(name)) {
        if (!file_.may_step()) break;
        const NodeId value = site.value == kNoNode ? text_taken_apart(site.target) : site.value;
        if (value == kNoNode) continue;
        if (auto certainty = is_value_at(value, depth + 1)) return certainty;
    }
    return depth == 0 && follows_comparisons_ ? holds_value(name) : std::nullopt;
}

}  // namespace migrator
