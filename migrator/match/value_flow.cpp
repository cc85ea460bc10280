#include "migrator/match/value_flow.h"

#include <algorithm>
#include <array>

#include "migrator/match/literal.h"

namespace migrator {
namespace {

// A constant that travels further than this is not followed to its end.
constexpr std::size_t kMaxFlowNodes = 512;

constexpr std::array<std::string_view, 3> kTypeForms{"Literal", "Optional", "Union"};
constexpr std::array<std::string_view, 4> kKeyedReads{"get", "pop", "setdefault", "getattr"};

// kNoNode for those that there are not.
std::pair<NodeId, NodeId> first_arguments(const SyntaxTree& tree, NodeId list) {
    const auto next_named = [&](NodeId at) {
        while (at != kNoNode && !tree.named(at)) at = tree.next_sibling(at);
        return at;
    };
    const NodeId first = next_named(tree.first_child(list));
    return {first, first == kNoNode ? kNoNode : next_named(tree.next_sibling(first))};
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void ValueFlow::found(std::optional<Certainty> certainty) {
    if (certainty && (!best_ || *best_ < *certainty)) best_ = certainty;
}

void ValueFlow::push(NodeId node, Role role) {
    if (seen_.size() < kMaxFlowNodes && seen_.emplace(node, role).second) pending_.push_back({node, role});
}

void ValueFlow::push_reads(NodeId variable, Role role) {
    for (NodeId read : file_.bindings().reads(variable)) {
        if (seen_.size() >= kMaxFlowNodes || !file_.may_step()) return;
        push(read, role);
    }
}

std::optional<Certainty> ValueFlow::destination(NodeId expression) {
    start();
    push(expression);
    return follow();
}

void ValueFlow::start() {
    best_.reset();
    users_name_ = false;
    ends_.clear();
    seen_.clear();
    pending_.clear();
}

std::optional<Certainty> ValueFlow::follow() {
    while (!pending_.empty() && best_ != Certainty::resolved) {
        Step step = pending_.back();
        pending_.pop_back();
        climb(step);
    }
    return best_;
}

void ValueFlow::climb(Step step) {
    NodeId node = step.node;
    Role role = step.role;
    while (node != kNoNode && best_ != Certainty::resolved && file_.may_step()) node = above(node, role);
}

NodeId ValueFlow::above(NodeId node, Role& role) {
    const SyntaxTree& tree = file_.tree();
    NodeId parent = tree.parent(node);
    if (parent == kNoNode) return kNoNode;
    Field field = tree.field(node);
    switch (tree.kind(parent)) {
        case NodeKind::parenthesized_expression:
        case NodeKind::boolean_operator:
        case NodeKind::expression_list:
        case NodeKind::await: return parent;
        case NodeKind::list:
        case NodeKind::tuple:
        case NodeKind::set: return parent;
        case NodeKind::conditional_expression: {
            // value if condition else value
            NodeList parts = tree.named_children(parent);
            return parts.size() == 3 && parts[1] == node ? kNoNode : parent;
        }
        case NodeKind::binary_operator: {
            // "cuda:" + str(i), "cuda:%d" % i, "%s:%d" % ("cuda", 0)
            if (field == Field::left) return parent;
            NodeId left = tree.child(parent, Field::left);
            return left != kNoNode && tree.text(left).substr(1).starts_with("%s") ? parent : kNoNode;
        }
        case NodeKind::attribute: {
            // "cuda:{}".format(i), "cuda:0,cuda:1".split(",")
            NodeId call = file_.call_of(parent);
            if (call == kNoNode) return kNoNode;
            if (tree.kind(node) == NodeKind::string || tree.kind(node) == NodeKind::concatenated_string) return call;
            if (role == Role::value) return kNoNode;
            NodeId read = above_mapping_read(call, role);
            role = Role::value;  // what was asked for is no mapping any more
            return read;
        }
        case NodeKind::interpolation: {
            // f"{'cuda'}:{i}": a device only when the text begins with it
            NodeId string = tree.parent(parent);
            NodeId start = tree.first_child(string);
            return start != kNoNode && tree.next_sibling(start) == parent ? string : kNoNode;
        }
        case NodeKind::argument_list: return above_argument(node, role);
        case NodeKind::keyword_argument: return field == Field::value ? above_keyword(parent) : kNoNode;
        case NodeKind::pair: return above_pair(parent, node, role);
        case NodeKind::subscript: return above_subscript(parent, node, role);
        case NodeKind::assignment: return field == Field::right ? above_assignment(parent, role) : kNoNode;
        case NodeKind::generic_type:
        case NodeKind::type_parameter:
        case NodeKind::union_type: return parent;
        case NodeKind::type: return above_type(parent);
        case NodeKind::named_expression: bind(tree.child(parent, Field::name), role); return parent;
        case NodeKind::default_parameter:
        case NodeKind::typed_default_parameter:
            if (field == Field::value) bind(tree.child(parent, Field::name), role);
            return kNoNode;
        case NodeKind::for_statement:
        case NodeKind::for_in_clause:
            if (field == Field::right) bind(tree.child(parent, Field::left), role);
            return kNoNode;
        case NodeKind::return_statement:
        case NodeKind::lambda: returned(parent, role); return kNoNode;
        case NodeKind::comparison_operator: compared(parent, node); return kNoNode;
        case NodeKind::case_pattern:
        case NodeKind::union_pattern: matched(parent); return kNoNode;
        case NodeKind::keyword_pattern: matched_keyword(parent); return kNoNode;
        default: return kNoNode;
    }
}

// {"cuda": ...}.get(device): what is asked for decides about the keys; a value is what the call gives.
NodeId ValueFlow::above_mapping_read(NodeId call, Role role) {
    const SyntaxTree& tree = file_.tree();
    NodeId list = tree.child(call, Field::arguments);
    NodeList arguments = list == kNoNode ? NodeList{} : tree.named_children(list);
    if (arguments.empty() || !is_one_of(file_.last_name(tree.child(call, Field::function)), kKeyedReads))
        return kNoNode;
    if (role == Role::dict_value) return call;
    found(is_value(arguments.front()));
    return kNoNode;
}

NodeId ValueFlow::above_argument(NodeId argument, Role role) {
    const SyntaxTree& tree = file_.tree();
    NodeId call = tree.parent(tree.parent(argument));
    if (tree.kind(call) != NodeKind::call) return kNoNode;
    NodeId function = tree.child(call, Field::function);
    if (function == kNoNode) return kNoNode;
    std::string_view name = file_.last_name(function);
    std::optional<std::size_t> position = file_.argument_position(argument);
    const auto [first, second] = first_arguments(tree, tree.parent(argument));
    if (role == Role::value && is_string_method(call, "format")) {
        // "{}:{}".format("cuda", i)
        std::string_view format = tree.text(tree.child(function, Field::object));
        return position == 0 && format.size() > 2 && format[format.find_first_of("'\"") + 1] == '{' ? call : kNoNode;
    }
    if (role == Role::value && is_string_method(call, "join")) return call;
    if (role == Role::value && (name == "startswith" || name == "endswith") &&
        tree.kind(function) == NodeKind::attribute) {
        found(is_value(tree.child(function, Field::object)));
        return kNoNode;
    }
    if (is_one_of(name, kKeyedReads) || name == "setattr") {
        // getattr(args, "device", "cuda"), cfg.get("device", "cuda"): the default of a carrier
        std::size_t key = tree.kind(function) == NodeKind::identifier ? 1 : 0;
        if (position && *position == key + 1 && is_carrier_key(key == 0 ? first : second)) {
            found(Certainty::likely);
            return call;
        }
        if (position == key) {
            users_name_ = true;
            if (key == 1 && role == Role::value) names_member_of(first);
        }
    }
    if (name == "str" && position == 0) return call;
    found(parameter(call, argument, {}));
    if (role == Role::value && !best_ && declares_option(call)) users_name_ = true;
    return kNoNode;
}

NodeId ValueFlow::above_keyword(NodeId keyword) {
    const SyntaxTree& tree = file_.tree();
    NodeId name = tree.child(keyword, Field::name);
    NodeId call = tree.parent(tree.parent(keyword));
    if (name == kNoNode || call == kNoNode || tree.kind(call) != NodeKind::call) return kNoNode;
    found(parameter(call, keyword, tree.text(name)));
    // device: str = field(default="cuda")
    const bool is_default = std::ranges::find(row_.option_values, tree.text(name)) != row_.option_values.end();
    return is_default && declares_option(call) ? call : kNoNode;
}

NodeId ValueFlow::above_assignment(NodeId assignment, Role role) {
    const SyntaxTree& tree = file_.tree();
    NodeId left = tree.child(assignment, Field::left);
    if (left == kNoNode) return kNoNode;
    NodeKind kind = tree.kind(left);
    bool unpacks = kind == NodeKind::pattern_list || kind == NodeKind::tuple_pattern || kind == NodeKind::list_pattern;
    if (!unpacks) bind(left, role);
    return tree.kind(tree.parent(assignment)) == NodeKind::assignment ? assignment : kNoNode;
}

void ValueFlow::bind(NodeId target, Role role) {
    if (target == kNoNode) return;
    const SyntaxTree& tree = file_.tree();
    if (tree.kind(target) == NodeKind::subscript) {
        NodeId key = tree.child(target, Field::subscript);
        if (role == Role::value && key != kNoNode && is_carrier_key(key)) found(Certainty::likely);
        return;
    }
    if (role == Role::value && row_.is_carrier(file_.last_name(target))) found(Certainty::likely);
    if (file_.last_name(target) == "__all__") users_name_ = true;
    leaves_through_variable(target, role);
    push_reads(target, role);
}

NodeId ValueFlow::above_pair(NodeId pair, NodeId side, Role& role) {
    const SyntaxTree& tree = file_.tree();
    if (role != Role::value) return kNoNode;
    if (tree.field(side) == Field::key) {
        role = Role::dict_key;
        users_name_ = !is_renamed_alike(tree.child(pair, Field::value));
    } else {
        NodeId key = tree.child(pair, Field::key);
        if (key != kNoNode && is_carrier_key(key)) found(Certainty::likely);
        role = Role::dict_value;
    }
    return tree.parent(pair);
}

// {"cuda": torch.cuda.synchronize}: the key goes with a name that gets a new one in the same way.
bool ValueFlow::is_renamed_alike(NodeId value) const {
    if (value == kNoNode) return false;
    for (const Reference& reference : file_.bindings().references(value)) {
        const NameRow* row = file_.rules().name_row(reference.name);
        if (row == nullptr || !row->on_npu) continue;
        for (const auto& [from, to] : row_.replace) {
            const bool alike = (reference.name + ".").find("." + from + ".") != std::string::npos &&
                               (*row->on_npu + ".").find("." + to + ".") != std::string::npos;
            if (alike) return true;
        }
    }
    return false;
}

// kind: Literal["cuda", "cpu"] = "cuda": what a variable may hold changes with what it holds.
NodeId ValueFlow::above_type(NodeId type) {
    const SyntaxTree& tree = file_.tree();
    const NodeId around = tree.parent(type);
    switch (tree.kind(around)) {
        case NodeKind::assignment: bind(tree.child(around, Field::left), Role::value); return kNoNode;
        case NodeKind::typed_default_parameter: bind(tree.child(around, Field::name), Role::value); return kNoNode;
        case NodeKind::typed_parameter: bind(tree.first_child(around), Role::value); return kNoNode;
        case NodeKind::type_parameter:
        case NodeKind::union_type: return around;
        default: return kNoNode;
    }
}

NodeId ValueFlow::above_subscript(NodeId subscript, NodeId side, Role& role) {
    const SyntaxTree& tree = file_.tree();
    bool is_object = tree.field(side) == Field::value;
    if (!is_object) {
        // table["cuda"]: the user's key; Literal["cuda", "cpu"] says what a parameter may be.
        NodeId object = tree.child(subscript, Field::value);
        if (object != kNoNode && is_one_of(file_.last_name(object), kTypeForms)) return subscript;
        users_name_ = true;
        if (object != kNoNode && file_.last_name(object) == "__dict__")
            names_member_of(tree.child(object, Field::object));
        return kNoNode;
    }
    if (role == Role::dict_key) {
        // {"cuda": ...}[device.type]
        NodeId key = tree.child(subscript, Field::subscript);
        if (key != kNoNode) found(is_value(key));
        return kNoNode;
    }
    role = Role::value;  // an element of what it was
    return subscript;
}

// What a function returns is the value of its calls.
void ValueFlow::returned(NodeId statement, Role role) {
    const SyntaxTree& tree = file_.tree();
    if (tree.kind(statement) == NodeKind::lambda) return;
    NodeId function = tree.ancestor(statement, NodeKind::function_definition);
    if (function == kNoNode) return;
    NodeId name = tree.child(function, Field::name);
    if (name == kNoNode) return;
    if (role == Role::value && row_.is_carrier(tree.text(name))) found(Certainty::likely);
    if (role == Role::value) leaves_through_result(name);
    for (NodeId read : file_.bindings().reads(name)) {
        if (seen_.size() >= kMaxFlowNodes || !file_.may_step()) return;
        NodeId call = file_.call_of(read);
        if (call != kNoNode) push(call, role);
    }
}

void ValueFlow::compared(NodeId comparison, NodeId operand) {
    if (!follows_comparisons_) return;
    const SyntaxTree& tree = file_.tree();
    for (NodeId other = tree.first_child(comparison); other != kNoNode; other = tree.next_sibling(other)) {
        if (!file_.may_step()) return;
        if (other != operand && tree.named(other)) found(is_value(other));
    }
}

// getattr(torch, kind): the value is a part of a name, and what names that part is renamed in the same way.
void ValueFlow::names_member_of(NodeId object) {
    for (const Reference& owner : file_.bindings().references(object)) {
        if (owner.origin != Origin::external) continue;
        for (const auto& [from, to] : row_.replace) {
            const NameRow* row = file_.rules().name_row(owner.name + "." + from);
            if (row != nullptr && row->on_npu == owner.name + "." + to) found(owner.certainty);
        }
    }
}

// case torch.device(type="cuda"):
void ValueFlow::matched_keyword(NodeId pattern) {
    const SyntaxTree& tree = file_.tree();
    NodeId class_pattern = tree.ancestor(pattern, NodeKind::class_pattern);
    NodeId name = tree.first_child(pattern);
    if (class_pattern == kNoNode || name == kNoNode) return;
    for (const Reference& reference : file_.bindings().references(tree.first_child(class_pattern))) {
        const std::string member = reference.name + "." + std::string(tree.text(name));
        if (std::find(row_.results.begin(), row_.results.end(), member) != row_.results.end())
            found(reference.certainty);
    }
}

// case "cuda": of a match statement
void ValueFlow::matched(NodeId pattern) {
    const SyntaxTree& tree = file_.tree();
    NodeId statement = tree.ancestor(pattern, NodeKind::match_statement);
    if (statement == kNoNode) return;
    NodeId subject = tree.child(statement, Field::subject);
    if (subject != kNoNode) found(is_value(subject));
}

bool ValueFlow::is_carrier_key(NodeId key) const {
    auto text = file_.bindings().constant_string(key);
    return text && row_.is_carrier(*text);
}

}  // namespace migrator
