// ValueFlow: the ways out of a file and into it (see value_ends.h), and which names hold values of the domain.
#include <algorithm>

#include "base/format.h"
#include "migrator/values/value_ends.h"
#include "migrator/values/value_flow.h"

namespace migrator {
namespace {

// A package whose functions declare options has objects that hold their values: absl.flags.FLAGS.
bool is_of_option_package(const ValueRow& row, std::string_view name) {
    const std::string_view package = name.substr(0, name.find('.') + 1);
    return std::ranges::any_of(row.options, [&](const std::string& option) { return option.starts_with(package); });
}

}  // namespace

void ValueFlow::leaves_through(std::string end) {
    if (const ValueEnds* known = file_.context().value_ends) {
        const std::optional<Certainty> certainty = known->find(row_.rule->id, end);
        if (certainty) found(is_member(end) ? std::min(*certainty, Certainty::likely) : *certainty);
        lost_ |= known->is_lost(row_.rule->id, end);
    }
    ends_.insert(std::move(end));
}

void ValueFlow::leaves_through_variable(NodeId variable, ValueShape shape) {
    const std::string name = file_.bindings().shared_name(variable);
    if (!name.empty()) leaves_through(name + shape.text());
}

// Of an object that is not known, such as that of the options: whoever reads a member of this name reads it.
void ValueFlow::leaves_as_member(std::string_view member, ValueShape shape) {
    leaves_through(base::format("{}{}{}", kAnyObject, member, shape.text()));
}

void ValueFlow::leaves_through_parameter(std::string_view function, std::string_view parameter, ValueShape shape) {
    leaves_through(base::format("{}({}{}", function, parameter, shape.text()));
}

std::optional<Certainty> ValueFlow::destination_of_end(std::string_view end) {
    start();
    constexpr std::string_view kOpen = "([{";
    std::size_t cut = std::min(end.find_first_of(kOpen), end.size());
    const std::string_view name = end.substr(0, cut);
    std::string_view rest = end.substr(cut);
    std::string_view parameter;
    if (rest.starts_with('(') && !rest.starts_with("()")) {
        cut = std::min(rest.find_first_of(kOpen, 1), rest.size());
        parameter = rest.substr(1, cut - 1);
        rest = rest.substr(cut);
    }
    const std::optional<ValueShape> shape = ValueShape::read(rest);
    if (!shape) return std::nullopt;
    if (!parameter.empty()) {
        enter_parameter(name, parameter, *shape);
        return follow();
    }
    for (const NodeId identifier : file_.identifiers(name.substr(name.rfind('.') + 1))) {
        const NodeId read = file_.whole_name(identifier);
        if (name.starts_with(kAnyObject) ? is_member_read(read) : means(read, name)) push(read, *shape);
    }
    if (name.starts_with(kAnyObject)) {
        for (const NodeId key : file_.key_texts(name.substr(kAnyObject.size()))) {
            if (const NodeId read = read_by_key(key); read != kNoNode) push(read, *shape);
        }
    }
    return follow();
}

// What the function does with a parameter.
void ValueFlow::enter_parameter(std::string_view function, std::string_view parameter, ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    for (const NodeId name : file_.identifiers(function.substr(function.rfind('.') + 1))) {
        const NodeId definition = tree.parent(name);
        const bool defines = tree.kind(definition) == NodeKind::function_definition && tree.field(name) == Field::name;
        if (!defines || file_.bindings().shared_name(name) != function) continue;
        push_parameter(definition, parameter, shape);
    }
}

void ValueFlow::push_parameter(NodeId function, std::string_view parameter, ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    const NodeId list = tree.child(function, Field::parameters);
    for (const NodeId target : file_.identifiers(parameter)) {
        if (list != kNoNode && tree.is_ancestor(list, target)) return push_reads(target, shape);
    }
}

// Whether a name or attribute is this variable or function of the project.
bool ValueFlow::means(NodeId expression, std::string_view shared_name) const {
    const auto references = file_.bindings().references(expression);
    const bool referred = std::any_of(references.begin(), references.end(), [&](const Reference& reference) {
        return reference.origin != Origin::external && reference.name == shared_name;
    });
    return referred || file_.bindings().shared_name(expression) == shared_name;
}

// args.where, where nobody knows what `args` is.
bool ValueFlow::is_member_read(NodeId expression) const {
    const SyntaxTree& tree = file_.tree();
    if (tree.kind(expression) != NodeKind::attribute) return false;
    if (file_.bindings().type_of(tree.child(expression, Field::object))) return false;
    const auto references = file_.bindings().references(expression);
    return std::ranges::all_of(references, [&](const Reference& reference) {
        return reference.origin != Origin::external || is_of_option_package(row_, reference.name);
    });
}

// cfg["where"], cfg.get("where"): what is read of a mapping that the file does not write down itself, as settings are;
// kNoNode for other texts.
NodeId ValueFlow::read_by_key(NodeId key) const {
    const SyntaxTree& tree = file_.tree();
    const NodeId around = tree.parent(key);
    NodeId read = around, mapping = kNoNode;
    if (tree.kind(around) == NodeKind::subscript) {
        mapping = tree.child(around, Field::value);
    } else {
        read = tree.parent(around);
        const NodeId function = tree.kind(read) == NodeKind::call ? tree.child(read, Field::function) : kNoNode;
        const bool reads = function != kNoNode && tree.kind(function) == NodeKind::attribute &&
                           reads_by_key(file_.last_name(function)) && file_.argument_position(key) == 0;
        if (reads) mapping = tree.child(function, Field::object);
    }
    if (mapping == kNoNode || file_.has_external_reference(mapping)) return kNoNode;
    const bool is_target = tree.field(read) == Field::left && tree.kind(tree.parent(read)) == NodeKind::assignment;
    const bool is_written = std::ranges::any_of(file_.bindings().binding_sites(mapping), [&](const BindingSite& site) {
        return site.value != kNoNode && tree.kind(site.value) == NodeKind::dictionary;
    });
    return is_target || is_written ? kNoNode : read;
}

// Whether such values of settings and options are read under the key.
std::optional<Certainty> ValueFlow::key_of_settings(NodeId key) const {
    const ValueEnds* known = file_.context().value_ends;
    const auto text = known == nullptr ? std::nullopt : file_.bindings().constant_string(key);
    if (!text || read_by_key(key) == kNoNode) return std::nullopt;
    const auto certainty = known->find(row_.rule->id, std::string(kAnyObject) + *text);
    return certainty ? std::optional(std::min(*certainty, Certainty::likely)) : std::nullopt;
}

// A variable that is used as a value of the domain somewhere holds one.
std::optional<Certainty> ValueFlow::holds_value(NodeId variable) {
    ValueFlow other(file_, row_);
    other.follows_comparisons_ = false;  // two comparisons must not answer each other
    other.start();
    other.push_reads(variable);
    other.leaves_through_variable(variable, {});
    if (is_member_read(variable)) other.leaves_as_member(file_.last_name(variable), {});
    if (const ValueEnds* known = file_.context().value_ends) {
        for (const Reference& reference : file_.bindings().references(variable))
            other.found(known->find(row_.rule->id, reference.name));
    }
    return other.follow();
}

}  // namespace migrator
