// ValueFlow: the ways out of a file and into it (see value_ends.h), and which names hold values of the domain.
#include <algorithm>

#include "base/format.h"
#include "migrator/match/value_ends.h"
#include "migrator/match/value_flow.h"

namespace migrator {
namespace {

constexpr std::string_view kResult = "()";
constexpr std::string_view kDictionaryValue = "{}";
constexpr std::string_view kDictionaryKey = "{:}";

bool remove_suffix(std::string_view& text, std::string_view suffix) {
    if (!text.ends_with(suffix)) return false;
    text.remove_suffix(suffix.size());
    return true;
}

}  // namespace

void ValueFlow::leaves_through(std::string end) {
    if (const ValueEnds* known = file_.context().value_ends) found(known->find(row_.rule->id, end));
    ends_.insert(std::move(end));
}

void ValueFlow::leaves_through_variable(NodeId variable, Role role) {
    std::string name = file_.bindings().shared_name(variable);
    if (name.empty()) return;
    if (role == Role::dict_value) name += kDictionaryValue;
    if (role == Role::dict_key) name += kDictionaryKey;
    leaves_through(std::move(name));
}

void ValueFlow::leaves_through_result(NodeId function_name) {
    const std::string name = file_.bindings().shared_name(function_name);
    if (!name.empty()) leaves_through(base::format("{}{}", name, kResult));
}

void ValueFlow::leaves_through_parameter(std::string_view function, std::string_view parameter) {
    leaves_through(base::format("{}({}", function, parameter));
}

std::optional<Certainty> ValueFlow::destination_of_end(std::string_view end) {
    start();
    if (const std::size_t open = end.find('('); open != end.npos && !end.ends_with(kResult)) {
        enter_parameter(end.substr(0, open), end.substr(open + 1));
        return follow();
    }
    Role role = Role::value;
    if (remove_suffix(end, kDictionaryValue)) role = Role::dict_value;
    if (remove_suffix(end, kDictionaryKey)) role = Role::dict_key;
    const bool is_result = remove_suffix(end, kResult);
    for (const NodeId identifier : file_.identifiers(end.substr(end.rfind('.') + 1))) {
        const NodeId read = file_.whole_name(identifier);
        if (!means(read, end)) continue;
        const NodeId value = is_result ? file_.call_of(read) : read;
        if (value != kNoNode) push(value, role);
    }
    return follow();
}

// What the function does with a parameter.
void ValueFlow::enter_parameter(std::string_view function, std::string_view parameter) {
    const SyntaxTree& tree = file_.tree();
    for (const NodeId name : file_.identifiers(function.substr(function.rfind('.') + 1))) {
        const NodeId definition = tree.parent(name);
        const bool defines = tree.kind(definition) == NodeKind::function_definition && tree.field(name) == Field::name;
        if (!defines || file_.bindings().shared_name(name) != function) continue;
        const NodeId list = tree.child(definition, Field::parameters);
        for (const NodeId target : file_.identifiers(parameter)) {
            if (list == kNoNode || !tree.is_ancestor(list, target)) continue;
            push_reads(target);
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
    other.leaves_through_variable(variable, Role::value);
    if (const ValueEnds* known = file_.context().value_ends) {
        for (const Reference& reference : file_.bindings().references(variable))
            other.found(known->find(row_.rule->id, reference.name));
    }
    return other.follow();
}

}  // namespace migrator
