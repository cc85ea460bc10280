#include "migrator/pattern/operations.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/semantic/python_facts.h"

namespace migrator {
namespace {

NodeList without_comments(const SyntaxTree& tree, NodeId parent) {
    NodeList out = tree.named_children(parent);
    erase_if(out, [&](NodeId id) { return tree.kind(id) == NodeKind::comment; });
    return out;
}

}  // namespace

NodeId skip_parentheses(const SyntaxTree& tree, NodeId expression) {
    while (expression != kNoNode && tree.kind(expression) == NodeKind::parenthesized_expression) {
        const NodeList inner = without_comments(tree, expression);
        if (inner.size() != 1) break;
        expression = inner.front();
    }
    return expression;
}

OperationReader::Spelled OperationReader::spelled(NodeId expression) const {
    switch (tree_.kind(expression)) {
        case NodeKind::call: return spelled_call(expression);
        case NodeKind::binary_operator: {
            const NodeId sign = tree_.child(expression, Field::operator_);
            return {sign == kNoNode ? nullptr : rules_.spelling(tree_.text(sign))};
        }
        case NodeKind::unary_operator: {
            const NodeId sign = tree_.child(expression, Field::operator_);
            return {sign == kNoNode ? nullptr : rules_.spelling(std::string(tree_.text(sign)) + "x")};
        }
        case NodeKind::subscript: {
            const NodeId object = tree_.child(expression, Field::value);
            const bool is_member = object != kNoNode && tree_.kind(object) == NodeKind::attribute;
            const NodeId member = is_member ? tree_.child(object, Field::attribute) : kNoNode;
            if (member == kNoNode) return {};
            const OperationSpelling* found = rules_.spelling("." + std::string(tree_.text(member)) + "[]");
            return {found, tree_.child(object, Field::object), kNoNode, Certainty::likely, true};
        }
        default: return {};
    }
}

OperationReader::Spelled OperationReader::spelled_call(NodeId call) const {
    const NodeId function = tree_.child(call, Field::function);
    if (function == kNoNode) return {};
    const auto references = bindings_.references(function);
    const bool is_attribute = tree_.kind(function) == NodeKind::attribute;
    for (const Reference& reference : references) {
        if (reference.origin != Origin::external && reference.origin != Origin::builtin) continue;
        const OperationSpelling* found = rules_.spelling(reference.name);
        if (found == nullptr) continue;
        const Certainty certainty = references.size() == 1 ? reference.certainty : Certainty::likely;
        if (certainty == Certainty::likely && may_be_filled(function)) return {};
        if (!found->method) return {found, kNoNode, kNoNode, certainty};
        if (!is_attribute) return {};
        return {found, tree_.child(function, Field::object), kNoNode, certainty};
    }
    const bool is_known = std::any_of(references.begin(), references.end(),
                                      [](const Reference& reference) { return reference.origin != Origin::local; });
    if (is_known) return {};
    Spelled module = spelled_module(function);
    if (module.spelling != nullptr || !is_attribute) return module;
    return spelled_method(function);
}

// Whether functools.partial has filled in arguments that are not written in the call.
bool OperationReader::may_be_filled(NodeId function) const {
    const BindingSites sites = bindings_.binding_sites(function);
    const BindingSites asked = sites.first(std::min(sites.size(), kMaxBindingSites));
    return std::ranges::any_of(asked, [&](const BindingSite& site) {
        const NodeId value = site.value == kNoNode ? kNoNode : skip_parentheses(tree_, site.value);
        if (value == kNoNode || tree_.kind(value) != NodeKind::call) return false;
        return std::ranges::any_of(bindings_.references(tree_.child(value, Field::function)),
                                   [](const Reference& made) { return is_partial(made.name); });
    });
}

OperationReader::Spelled OperationReader::spelled_method(NodeId function) const {
    const NodeId member = tree_.child(function, Field::attribute);
    const NodeId object = tree_.child(function, Field::object);
    if (member == kNoNode || object == kNoNode) return {};
    // A module or class that is not known has functions, not methods.
    for (const Reference& reference : bindings_.references(object)) {
        if (reference.origin == Origin::external || reference.origin == Origin::project) return {};
    }
    const OperationSpelling* found = rules_.spelling("." + std::string(tree_.text(member)));
    if (found == nullptr || bindings_.type_of(object)) return {};
    return {found, object, kNoNode, Certainty::likely, true};
}

// self.act = nn.SiLU() ... self.act(x)
OperationReader::Spelled OperationReader::spelled_module(NodeId function) const {
    const BindingSites sites = bindings_.binding_sites(function);
    if (sites.size() != 1 || sites.front().value == kNoNode) return {};
    const NodeId made = skip_parentheses(tree_, sites.front().value);
    if (tree_.kind(made) != NodeKind::call) return {};
    const NodeId called = tree_.child(made, Field::function);
    const auto references = bindings_.references(called);
    if (references.size() != 1 || references.front().origin != Origin::external) return {};
    const OperationSpelling* found = rules_.spelling(references.front().name + "()()");
    return {found, kNoNode, made, references.front().certainty};
}

bool OperationReader::add_arguments(NodeId call, std::span<const SpelledParameter> parameters,
                                    CodeOperation& out) const {
    const NodeId list = tree_.child(call, Field::arguments);
    if (list == kNoNode || tree_.kind(list) != NodeKind::argument_list) return false;
    std::size_t position = 0;
    for (const NodeId argument : without_comments(tree_, list)) {
        switch (tree_.kind(argument)) {
            case NodeKind::list_splat: position = parameters.size(); [[fallthrough]];
            case NodeKind::dictionary_splat: out.open = true; break;
            case NodeKind::keyword_argument: {
                const NodeId name = tree_.child(argument, Field::name);
                const auto named = std::find_if(parameters.begin(), parameters.end(), [&](const auto& parameter) {
                    return base::contains(parameter.keywords, tree_.text(name));
                });
                if (named == parameters.end() || named->fixed) return false;
                out.arguments[named->place] = {tree_.child(argument, Field::value)};
                break;
            }
            default:
                if (out.open) break;
                if (position >= parameters.size() || parameters[position].fixed) return false;
                out.arguments[parameters[position++].place] = {argument};
        }
    }
    return true;
}

bool OperationReader::has_side_effects(NodeId expression) const {
    steps_.take(tree_.subtree_end(expression) - expression);
    for (NodeId id = expression; id < tree_.subtree_end(expression); ++id) {
        const NodeKind kind = tree_.kind(id);
        if (kind == NodeKind::await || kind == NodeKind::yield || kind == NodeKind::named_expression) return true;
        if (kind != NodeKind::call) continue;
        const Spelled found = spelled(id);
        if (found.spelling == nullptr || rules_.operations[found.spelling->operation].random) return true;
    }
    return false;
}

bool OperationReader::only_computes(NodeId call) const {
    const auto operation = read(call);
    if (!operation || operation->open) return false;
    const OperationRow& row = rules_.operations[operation->index];
    if (row.in_place || !row.in_place_with) return !row.in_place;
    const NodeId written = operation->arguments[*row.in_place_with].node;
    return written == kNoNode || tree_.text(written) == "False";
}

bool OperationReader::computes_tensors(NodeId expression) const {
    steps_.take(tree_.subtree_end(expression) - expression);
    for (NodeId id = expression; id < tree_.subtree_end(expression); ++id) {
        if (tree_.kind(id) != NodeKind::call && tree_.kind(id) != NodeKind::binary_operator) continue;
        const Spelled found = spelled(id);
        if (found.spelling == nullptr || !rules_.operations[found.spelling->operation].number) return true;
    }
    return false;
}

std::optional<CodeOperation> OperationReader::read(NodeId expression) const {
    const Spelled found = spelled(expression);
    if (found.spelling == nullptr) return std::nullopt;
    CodeOperation out;
    out.index = found.spelling->operation;
    out.certainty = found.certainty;
    out.of_unknown = found.of_unknown;
    out.arguments.resize(rules_.operations[out.index].parameters.size());
    std::span<const SpelledParameter> parameters = found.spelling->parameters;
    auto take_first = [&](NodeId node) {
        out.arguments[parameters.front().place] = {node};
        parameters = parameters.subspan(1);
    };
    bool fits = true;
    if (tree_.kind(expression) == NodeKind::binary_operator) {
        take_first(tree_.child(expression, Field::left));
        take_first(tree_.child(expression, Field::right));
    } else if (tree_.kind(expression) == NodeKind::subscript) {
        take_first(found.receiver);
        take_first(tree_.child(expression, Field::subscript));
    } else if (tree_.kind(expression) == NodeKind::unary_operator) {
        take_first(tree_.child(expression, Field::argument));
    } else if (found.construction != kNoNode) {
        const std::size_t of_call = 1;
        fits = add_arguments(expression, parameters.first(of_call), out) &&
               add_arguments(found.construction, parameters.subspan(of_call), out);
    } else {
        if (found.receiver != kNoNode) take_first(found.receiver);
        fits = add_arguments(expression, parameters, out);
    }
    if (!fits) return std::nullopt;
    for (const SpelledParameter& parameter : found.spelling->parameters) {
        OperationArgument& argument = out.arguments[parameter.place];
        if (parameter.value) argument.value = &*parameter.value;
        else if (argument.node == kNoNode && !out.open) return std::nullopt;
    }
    return out;
}

}  // namespace migrator
