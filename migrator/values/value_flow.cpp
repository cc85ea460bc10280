#include "migrator/values/value_flow.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "migrator/python/literal.h"

namespace migrator {
namespace {

// A constant that travels further than this is not followed to its end.
constexpr std::size_t kMaxFlowNodes = 512;

constexpr std::array<std::string_view, 3> kTypeForms{"Literal", "Optional", "Union"};

// The place of a child among its named siblings, as far as a shape tells such places apart.
std::size_t place_among_siblings(const SyntaxTree& tree, NodeId node) {
    std::size_t place = 0;
    for (NodeId id = tree.first_child(tree.parent(node)); id != node && place < ValueShape::kAny;
         id = tree.next_sibling(id))
        place += tree.named(id) && tree.kind(id) != NodeKind::comment;
    return place;
}

bool is_display(NodeKind kind) {
    return kind == NodeKind::expression_list || kind == NodeKind::list || kind == NodeKind::tuple ||
           kind == NodeKind::set;
}

// The display in which an item stands so far behind that a shape does not tell it from those behind it; kNoNode.
NodeId display_of_far_item(const SyntaxTree& tree, NodeId node) {
    const NodeId parent = tree.parent(node);
    const bool is_item = parent != kNoNode && is_display(tree.kind(parent));
    return is_item && place_among_siblings(tree, node) == ValueShape::kAny ? parent : kNoNode;
}

bool is_text(NodeKind kind) { return kind == NodeKind::string || kind == NodeKind::concatenated_string; }

// A constant speaks for itself; so does a list of them.
bool is_constant(const SyntaxTree& tree, NodeId expression) {
    switch (tree.kind(expression)) {
        case NodeKind::list:
        case NodeKind::tuple:
        case NodeKind::set: {
            const NodeList items = tree.named_children(expression);
            return std::all_of(items.begin(), items.end(), [&](NodeId item) { return is_text(tree.kind(item)); });
        }
        case NodeKind::string:
        case NodeKind::concatenated_string:
        case NodeKind::integer:
        case NodeKind::none: return true;
        default: return false;
    }
}

}  // namespace

void ValueFlow::found(std::optional<Certainty> certainty) {
    if (certainty && (!best_ || *best_ < *certainty)) best_ = certainty;
}

NodeId ValueFlow::lose(NodeId node) {
    if (lost_at_ == kNoNode) lost_at_ = node;
    lost_ = true;
    return kNoNode;
}

NodeId ValueFlow::wrap(ValueShape& shape, Level level, NodeId on, std::size_t index) {
    return shape.push(level, index) ? on : lose(on);
}

void ValueFlow::push(NodeId node, ValueShape shape) {
    if (seen_.size() >= kMaxFlowNodes) lose(node);
    else if (seen_.emplace(node, shape).second) pending_.push_back({node, shape});
}

void ValueFlow::push_reads(NodeId variable, ValueShape shape) {
    for (NodeId read : file_.bindings().reads(variable)) {
        if (seen_.size() >= kMaxFlowNodes || !file_.may_step()) {
            lose(variable);
            return;
        }
        push(read, shape);
    }
}

std::optional<Certainty> ValueFlow::destination(NodeId expression) {
    // All far items of one display go the same ways, which are followed once.
    const NodeId display = display_of_far_item(file_.tree(), expression);
    if (display != kNoNode && display == far_items_of_) return best_;
    start();
    far_items_of_ = display;
    push(expression);
    return follow();
}

std::optional<Certainty> ValueFlow::destination_of_keys(NodeId mapping) {
    start();
    ValueShape key;
    key.push(Level::key);
    push(mapping, key);
    return follow();
}

void ValueFlow::start() {
    best_.reset();
    entry_key_.reset();
    users_name_ = shown_ = lost_ = keeps_key_ = false;
    lost_at_ = far_items_of_ = kNoNode;
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
    ValueShape shape = step.shape;
    while (node != kNoNode && best_ != Certainty::resolved) node = file_.may_step() ? above(node, shape) : lose(node);
}

NodeId ValueFlow::above(NodeId node, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    NodeId parent = tree.parent(node);
    if (parent == kNoNode) return kNoNode;
    Field field = tree.field(node);
    switch (tree.kind(parent)) {
        case NodeKind::parenthesized_expression:
        case NodeKind::boolean_operator:
        case NodeKind::await: return parent;
        case NodeKind::expression_list:
        case NodeKind::list:
        case NodeKind::tuple:
        case NodeKind::set: return wrap(shape, Level::item, parent, place_among_siblings(tree, node));
        case NodeKind::list_comprehension:
        case NodeKind::set_comprehension:
        case NodeKind::generator_expression: return field == Field::body ? wrap(shape, Level::item, parent) : kNoNode;
        case NodeKind::list_splat: {
            // [*devices]; f(*devices)
            const NodeKind around = tree.kind(tree.parent(parent));
            const bool is_display = around == NodeKind::list || around == NodeKind::tuple || around == NodeKind::set;
            return is_display ? tree.parent(parent) : lose(parent);
        }
        case NodeKind::dictionary_splat: return above_splat(parent, shape);
        case NodeKind::conditional_expression: {
            // value if condition else value
            NodeList parts = tree.named_children(parent);
            return parts.size() == 3 && parts[1] == node ? kNoNode : parent;
        }
        case NodeKind::binary_operator: return above_operand(parent, node, shape);
        case NodeKind::attribute: return field == Field::object ? above_object(parent, node, shape) : kNoNode;
        case NodeKind::interpolation: return shape.is_plain() ? above_interpolation(parent) : kNoNode;
        case NodeKind::call:
            if (field != Field::function || shape.top() != Level::result) return kNoNode;
            shape.pop();
            return parent;
        case NodeKind::argument_list: return above_argument(node, shape);
        case NodeKind::keyword_argument: return field == Field::value ? above_keyword(parent, shape) : kNoNode;
        case NodeKind::pair: return above_pair(parent, node, shape);
        case NodeKind::subscript: return above_subscript(parent, node, shape);
        case NodeKind::assignment: return field == Field::right ? above_assignment(parent, shape) : kNoNode;
        case NodeKind::augmented_assignment:
            if (field == Field::right) bind(tree.child(parent, Field::left), shape);
            return kNoNode;
        case NodeKind::generic_type:
        case NodeKind::type_parameter:
        case NodeKind::union_type: return parent;
        case NodeKind::type: return above_type(parent);
        case NodeKind::named_expression: bind(tree.child(parent, Field::name), shape); return parent;
        case NodeKind::default_parameter:
        case NodeKind::typed_default_parameter:
            if (field == Field::value) bind(tree.child(parent, Field::name), shape);
            return kNoNode;
        case NodeKind::for_statement:
        case NodeKind::for_in_clause:
            if (field == Field::right) bind_each(tree.child(parent, Field::left), shape);
            return kNoNode;
        case NodeKind::lambda: return field == Field::body ? wrap(shape, Level::result, parent) : kNoNode;
        case NodeKind::return_statement: returned(parent, shape); return kNoNode;
        case NodeKind::yield:
            if (wrap(shape, Level::item, parent) != kNoNode) returned(parent, shape);
            return kNoNode;
        case NodeKind::comparison_operator: compared(parent, node); return kNoNode;
        case NodeKind::case_pattern:
        case NodeKind::union_pattern: matched(parent); return kNoNode;
        case NodeKind::keyword_pattern: matched_keyword(parent); return kNoNode;
        case NodeKind::raise_statement:
        case NodeKind::assert_statement:
        case NodeKind::print_statement: shown_ = true; return kNoNode;
        default: return kNoNode;
    }
}

// "cuda:" + str(i), "cuda:%d" % i, "%s:%d" % ("cuda", 0), ["cpu"] + ["cuda"]
NodeId ValueFlow::above_operand(NodeId operation, NodeId operand, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    const NodeId left = tree.child(operation, Field::left);
    if (left == operand || left == kNoNode) return operation;
    const bool formats = is_text(tree.kind(left)) &&
                         tree.source().substr(tree.range(left).end).substr(0, 4).find('%') != std::string_view::npos;
    if (!formats && !shape.is_plain()) return operation;
    const bool is_first = shape.is_plain() || (shape.top() == Level::item && shape.index() == 0);
    if (!shape.is_plain()) shape.pop();
    if (formats && is_first && tree.text(left).substr(1).starts_with("%s")) return operation;
    std::string_view before = tree.text(left);
    if (!is_text(tree.kind(left))) return lose(operand);
    before.remove_suffix(1);
    return above_text_part(formats ? before.substr(0, before.find('%')) : before);
}

// In the middle of a text it is for people: "model_" + kind. Unless it is a part of a name or an address.
NodeId ValueFlow::above_text_part(std::string_view before) {
    if (!before.empty() && std::string_view("./:").find(before.back()) != std::string_view::npos) lost_ = true;
    shown_ = true;
    return kNoNode;
}

// f"{'cuda'}:{i}": a device only when the text begins with it, and goes on as one.
NodeId ValueFlow::above_interpolation(NodeId interpolation) {
    const SyntaxTree& tree = file_.tree();
    const NodeId string = tree.parent(interpolation);
    NodeId before = tree.first_child(string);
    while (before != kNoNode && tree.next_sibling(before) != interpolation) before = tree.next_sibling(before);
    if (before == kNoNode) return kNoNode;
    if (tree.kind(before) != NodeKind::string_start) return above_text_part(tree.text(before));
    const NodeId behind = tree.next_sibling(interpolation);
    if (behind == kNoNode || tree.kind(behind) != NodeKind::string_content) return string;
    const char next = tree.text(behind).front();
    if (next == ':' || (next >= '0' && next <= '9')) return string;
    return above_text_part({});
}

NodeId ValueFlow::above_assignment(NodeId assignment, ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    bind(tree.child(assignment, Field::left), shape);
    return tree.kind(tree.parent(assignment)) == NodeKind::assignment ? assignment : kNoNode;
}

NodeId ValueFlow::above_pair(NodeId pair, NodeId side, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    const NodeId whole = tree.parent(pair);
    if (tree.field(side) == Field::key) {
        users_name_ = !is_renamed_alike(tree.child(pair, Field::value));
        return wrap(shape, Level::key, whole);
    }
    NodeId key = tree.child(pair, Field::key);
    if (key != kNoNode) note_entry(file_.bindings().constant_string(key).value_or(""), shape);
    if (shape.is_sequence() && key != kNoNode && is_carrier_key(key)) found(Certainty::likely);
    return wrap(shape, Level::entry, whole);
}

// {"cuda": torch.cuda.synchronize}: the key goes with a name that gets a new one in the same way.
bool ValueFlow::is_renamed_alike(NodeId value) const {
    if (value == kNoNode) return false;
    for (const Reference& reference : file_.bindings().references(value)) {
        const NameRow* row = file_.rules().names.row(reference.name);
        if (row == nullptr || !row->on_npu) continue;
        for (const auto& [from, to] : row_.fix.replace) {
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
        case NodeKind::assignment: bind(tree.child(around, Field::left), {}); return kNoNode;
        case NodeKind::typed_default_parameter: bind(tree.child(around, Field::name), {}); return kNoNode;
        case NodeKind::typed_parameter: bind(tree.first_child(around), {}); return kNoNode;
        case NodeKind::type_parameter:
        case NodeKind::union_type: return around;
        default: return kNoNode;
    }
}

NodeId ValueFlow::above_subscript(NodeId subscript, NodeId side, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    if (tree.field(side) != Field::value) {
        // table["cuda"]: the user's key; Literal["cuda", "cpu"] says what a parameter may be.
        NodeId object = tree.child(subscript, Field::value);
        if (object != kNoNode && file_.last_name(object) != "" && base::contains(kTypeForms, file_.last_name(object)))
            return subscript;
        users_name_ = true;
        const auto certainty = object == kNoNode || !follows_comparisons_ ? std::nullopt : key_of_values(object);
        found(certainty);
        // self.items[name] = f: what it is looked up by may be the device's own name.
        if (object != kNoNode && !certainty && !is_text(tree.kind(side)) && is_seen_in_part(object)) lose(subscript);
        if (object != kNoNode && file_.last_name(object) == "__dict__")
            names_member_of(tree.child(object, Field::object));
        return kNoNode;
    }
    const NodeId key = tree.child(subscript, Field::subscript);
    const bool is_part = key != kNoNode && tree.kind(key) == NodeKind::slice;
    // device[5:] counts the letters of it.
    if (shape.is_plain()) return is_part ? lose(subscript) : kNoNode;
    if (shape.top() == Level::key) {
        // {"cuda": ...}[device.type]
        if (key != kNoNode) found(is_value(key));
        return kNoNode;
    }
    if (shape.top() == Level::result) return kNoNode;
    const bool is_item = shape.top() == Level::item;
    const std::size_t index = shape.index();
    shape.pop();
    if (is_item && is_part) return wrap(shape, Level::item, subscript);
    const bool is_other = is_item && index != ValueShape::kAny && key != kNoNode &&
                          tree.kind(key) == NodeKind::integer && tree.text(key) != std::to_string(index);
    return is_other ? kNoNode : subscript;
}

void ValueFlow::compared(NodeId comparison, NodeId operand) {
    if (!follows_comparisons_) return;
    const SyntaxTree& tree = file_.tree();
    bool is_known = true;
    for (NodeId other = tree.first_child(comparison); other != kNoNode; other = tree.next_sibling(other)) {
        if (!file_.may_step()) {
            lose(operand);
            return;
        }
        if (other == operand || !tree.named(other)) continue;
        const std::optional<Certainty> certainty = is_value(other);
        found(certainty);
        is_known &= certainty || is_constant(tree, file_.skip_parentheses(other));
    }
    if (!is_known) lose(operand);
}

// getattr(torch, kind): the value is a part of a name, and what names that part is renamed in the same way.
void ValueFlow::names_member_of(NodeId object) {
    for (const Reference& owner : file_.bindings().references(object)) {
        if (owner.origin != Origin::external) continue;
        for (const auto& [from, to] : row_.fix.replace) {
            const NameRow* row = file_.rules().names.row(owner.name + "." + from);
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
    lose(pattern);
    for (const Reference& reference : file_.bindings().references(tree.first_child(class_pattern))) {
        const std::string member = reference.name + "." + std::string(tree.text(name));
        if (base::contains(row_.results, member)) found(reference.certainty);
    }
}

// case "cuda": of a match statement
void ValueFlow::matched(NodeId pattern) {
    const SyntaxTree& tree = file_.tree();
    NodeId statement = tree.ancestor(pattern, NodeKind::match_statement);
    if (statement == kNoNode) return;
    NodeId subject = tree.child(statement, Field::subject);
    const std::optional<Certainty> certainty = subject == kNoNode ? std::nullopt : is_value(subject);
    if (!certainty) lose(pattern);
    found(certainty);
}

bool ValueFlow::is_carrier_key(NodeId key) const {
    auto text = file_.bindings().constant_string(key);
    return text && row_.is_carrier(*text);
}

}  // namespace migrator
