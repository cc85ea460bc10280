// ValueFlow: what a value is bound to: variables, items of patterns and containers, parameters by their names, results of
// functions.
#include "migrator/values/value_flow.h"

namespace migrator {

void ValueFlow::bind(NodeId target, ValueShape shape) {
    if (target == kNoNode) return;
    const SyntaxTree& tree = file_.tree();
    switch (tree.kind(target)) {
        case NodeKind::pattern_list:
        case NodeKind::tuple_pattern:
        case NodeKind::list_pattern: return bind_items(target, shape);
        case NodeKind::subscript: return bind_subscript(target, shape);
        default: break;
    }
    if (shape.is_sequence() && row_.is_carrier(file_.last_name(target))) found(Certainty::likely);
    if (file_.last_name(target) == "__all__") users_name_ = true;
    leaves_through_variable(target, shape);
    push_reads(target, shape);
    // Members are read of objects as well whose class cannot be seen.
    const bool is_member = tree.kind(target) == NodeKind::attribute ||
                           file_.bindings().scope_kind(file_.bindings().scope_at(target)) == ScopeKind::class_;
    if (is_member) lose(target);
}

// for d in devices
void ValueFlow::bind_each(NodeId target, ValueShape shape) {
    if (shape.top() != Level::item && shape.top() != Level::key) return;
    shape.pop();
    bind(target, shape);
}

// a, b = "cuda:0", "cuda:1": each target gets its item.
void ValueFlow::bind_items(NodeId target, ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    if (shape.top() != Level::item) return;
    const std::size_t index = shape.index();
    shape.pop();
    std::size_t place = 0;
    for (NodeId child : tree.named_children(target)) {
        if (tree.kind(child) == NodeKind::list_splat_pattern) return;
        if (index == ValueShape::kAny || index == place++) bind(child, shape);
    }
}

// cfg["device"] = "cuda"; devices[0] = "cuda"
void ValueFlow::bind_subscript(NodeId target, ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    const NodeId key = tree.child(target, Field::subscript);
    if (shape.is_sequence() && key != kNoNode && is_carrier_key(key)) return found(Certainty::likely);
    const NodeId object = tree.child(target, Field::value);
    if (object == kNoNode || file_.has_external_reference(object)) return void(lose(target));
    ValueShape item = shape;
    if (wrap(shape, Level::entry, object) != kNoNode) bind(object, shape);
    if (item.push(Level::item)) bind(object, item);
}

// What a function returns is the value of its calls.
void ValueFlow::returned(NodeId statement, ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    NodeId function = tree.ancestor(statement, NodeKind::function_definition);
    if (function == kNoNode) return;
    NodeId name = tree.child(function, Field::name);
    if (name == kNoNode) return;
    if (shape.is_sequence() && row_.is_carrier(tree.text(name))) found(Certainty::likely);
    if (wrap(shape, Level::result, name) == kNoNode) return;
    leaves_through_variable(name, shape);
    push_reads(name, shape);
    // Which object it is called on cannot always be seen.
    const NodeId owner = tree.ancestor(function, NodeKind::class_definition);
    if (owner != kNoNode && tree.ancestor(function, NodeKind::function_definition) < owner) lose(name);
}

void ValueFlow::note_entry(std::string_view key, const ValueShape& shape) {
    if (shape.is_plain()) entry_key_ = !entry_key_ || *entry_key_ == key ? key : "";
}

// f(**settings): the parameter of the key's name gets it; {**settings}, dict(**settings): so does the new mapping.
NodeId ValueFlow::above_splat(NodeId splat, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    const NodeId around = tree.parent(splat);
    if (shape.top() != Level::entry) return lose(splat);
    if (tree.kind(around) == NodeKind::dictionary) return around;
    const NodeId call = tree.parent(around);
    if (tree.kind(around) != NodeKind::argument_list || tree.kind(call) != NodeKind::call) return lose(splat);
    const NodeId function = tree.child(call, Field::function);
    if (function == kNoNode) return lose(splat);
    if (tree.text(function) == "dict" && is_builtin(function)) return call;
    ValueShape value = shape;
    value.pop();
    if (!value.is_plain() || !entry_key_ || entry_key_->empty()) return lose(splat);
    const std::size_t ends = ends_.size();
    const std::optional<Certainty> certainty = parameter(call, splat, *entry_key_, value);
    found(certainty);
    return certainty || ends_.size() > ends ? kNoNode : lose(splat);
}

}  // namespace migrator
