// ValueFlow: the ways out of a file and into it (see value_ends.h), and which names hold values of the domain.
#include <algorithm>

#include "base/format.h"
#include "migrator/match/value_ends.h"
#include "migrator/match/value_flow.h"

namespace migrator {
namespace {}  // namespace

void ValueFlow::leaves_through(std::string end) {
    if (const ValueEnds* known = file_.context().value_ends) {
        found(known->find(row_.rule->id, end));
        lost_ |= known->is_lost(row_.rule->id, end);
    }
    ends_.insert(std::move(end));
}

void ValueFlow::leaves_through_variable(NodeId variable, ValueShape shape) {
    const std::string name = file_.bindings().shared_name(variable);
    if (!name.empty()) leaves_through(name + shape.text());
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
        if (means(read, name)) push(read, *shape);
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
        const NodeId list = tree.child(definition, Field::parameters);
        for (const NodeId target : file_.identifiers(parameter)) {
            if (list == kNoNode || !tree.is_ancestor(list, target)) continue;
            push_reads(target, shape);
            break;
        }
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

// A variable that is used as a value of the domain somewhere holds one.
std::optional<Certainty> ValueFlow::holds_value(NodeId variable) {
    ValueFlow other(file_, row_);
    other.follows_comparisons_ = false;  // two comparisons must not answer each other
    other.start();
    other.push_reads(variable);
    other.leaves_through_variable(variable, {});
    if (const ValueEnds* known = file_.context().value_ends) {
        for (const Reference& reference : file_.bindings().references(variable))
            other.found(known->find(row_.rule->id, reference.name));
    }
    return other.follow();
}

}  // namespace migrator
