#include "migrator/python/call_arguments.h"

#include <algorithm>

#include "migrator/semantic/python_facts.h"
#include "migrator/semantic/string_literal.h"

namespace migrator {
namespace {

// So many partials in one another are looked through.
constexpr int kMostPartials = 8;

// The keywords that **dict(a=b) or **{"a": b} gives; nothing where not all of them are written there.
NodeList unpacked(const SyntaxTree& tree, NodeId splat) {
    const NodeList values = tree.named_children(splat);
    if (values.empty()) return {};
    NodeId value = values.front();
    NodeKind wanted = NodeKind::pair;
    if (tree.kind(value) == NodeKind::call && tree.text(tree.child(value, Field::function)) == "dict") {
        value = tree.child(value, Field::arguments);
        wanted = NodeKind::keyword_argument;
    } else if (tree.kind(value) != NodeKind::dictionary) {
        return {};
    }
    NodeList out;
    for (const NodeId id : tree.named_children(value)) {
        if (tree.kind(id) == NodeKind::comment) continue;
        if (tree.kind(id) != wanted) return {};
        out.push_back(id);
    }
    return out;
}

std::optional<CallArguments> written_arguments(const SyntaxTree& tree, NodeId call) {
    CallArguments out;
    out.list = tree.child(call, Field::arguments);
    if (out.list == kNoNode || tree.kind(out.list) != NodeKind::argument_list) return std::nullopt;
    for (const NodeId id : tree.named_children(out.list)) {
        const NodeKind kind = tree.kind(id);
        if (kind == NodeKind::comment) continue;
        if (kind == NodeKind::dictionary_splat) {
            const NodeList given = unpacked(tree, id);
            out.by_keyword.insert(out.by_keyword.end(), given.begin(), given.end());
            if (!given.empty()) continue;
        }
        out.open |= kind == NodeKind::list_splat || kind == NodeKind::dictionary_splat;
        const bool is_named = kind == NodeKind::keyword_argument || kind == NodeKind::dictionary_splat;
        (is_named ? out.by_keyword : out.by_position).push_back(id);
    }
    return out;
}

// What a function of this file returns at its only return statement; kNoNode: it has none, or several.
NodeId only_result(const SyntaxTree& tree, NodeId function) {
    NodeId out = kNoNode;
    for (NodeId id = tree.child(function, Field::body); id != kNoNode && id < tree.subtree_end(function); ++id) {
        if (tree.kind(id) == NodeKind::function_definition || tree.kind(id) == NodeKind::lambda) {
            id = tree.subtree_end(id) - 1;
            continue;
        }
        if (tree.kind(id) != NodeKind::return_statement) continue;
        const NodeList values = tree.named_children(id);
        if (out != kNoNode || values.empty()) return kNoNode;
        out = values.front();
    }
    return out;
}

struct Filled {
    NodeId partial = kNoNode;  // kNoNode: none, as far as can be seen
    bool is_known = true;      // false: there may be one that cannot be seen
};

// The partial that the expression is, which in the end calls what is called `qualified`, one step at a time through what this file says.
Filled partial_of(const PythonFile& file, NodeId expression, std::string_view qualified) {
    const SyntaxTree& tree = file.tree();
    constexpr int kMostSteps = 16;
    for (int step = 0; step < kMostSteps && file.may_step(); ++step) {
        expression = file.skip_parentheses(expression);
        const bool is_call = tree.kind(expression) == NodeKind::call;
        if (is_call && function_of_partial(file, expression) != kNoNode) return {expression, true};
        const NodeId name = is_call ? tree.child(expression, Field::function) : expression;
        const BindingSites sites = file.bindings().binding_sites(name);
        if (sites.empty()) return {};
        NodeId next = sites.front().value;
        if (is_call) {
            const NodeId around = tree.parent(sites.front().target);
            const bool is_function = sites.size() == 1 && tree.kind(around) == NodeKind::function_definition;
            next = is_function ? only_result(tree, around) : kNoNode;
            if (next == kNoNode) return {kNoNode, false};
        } else if (sites.size() > 1) {
            const auto asked = sites.first(std::min(sites.size(), kMaxBindingSites));
            return {kNoNode, std::ranges::none_of(asked, [&](const BindingSite& site) {
                        return site.value != kNoNode && tree.kind(site.value) == NodeKind::call;
                    })};
        } else if (next == kNoNode) {
            // Another file may have filled in something.
            return {kNoNode, file.import_index().binds(tree.text(name), qualified)};
        }
        expression = next;
    }
    return {kNoNode, false};
}

}  // namespace

NodeId CallArguments::find(const SyntaxTree& tree, std::optional<std::size_t> position,
                           std::string_view keyword) const {
    for (std::size_t i = 0; i < by_position.size() && position && i <= *position; ++i) {
        if (tree.kind(by_position[i]) == NodeKind::list_splat) break;
        if (i == *position) return by_position[i];
    }
    const auto found = std::ranges::find_if(by_keyword, [&](NodeId argument) {
        if (tree.kind(argument) == NodeKind::pair)
            return string_literal_value(tree, tree.child(argument, Field::key)) == keyword;
        const NodeId name = tree.child(argument, Field::name);
        return name != kNoNode && tree.text(name) == keyword;
    });
    return found == by_keyword.end() ? kNoNode : *found;
}

NodeId function_of_partial(const PythonFile& file, NodeId call) {
    const auto references = file.bindings().references(file.tree().child(call, Field::function));
    const bool is_one = std::ranges::any_of(references, [](const Reference& reference) {
        return reference.origin == Origin::external && is_partial(reference.name);
    });
    const auto written = is_one ? written_arguments(file.tree(), call) : std::nullopt;
    if (!written || written->by_position.empty()) return kNoNode;
    return file.tree().kind(written->by_position.front()) == NodeKind::list_splat ? kNoNode
                                                                                  : written->by_position.front();
}

CallArguments filled_arguments(const PythonFile& file, NodeId partial) {
    CallArguments out = *written_arguments(file.tree(), partial);
    out.by_position.erase(out.by_position.begin());
    out.open = true;
    return out;
}

std::optional<CallArguments> call_arguments(const PythonFile& file, NodeId call, const Reference& callee) {
    const SyntaxTree& tree = file.tree();
    auto out = written_arguments(tree, call);
    // What a name surely is was not filled in.
    if (!out || callee.certainty != Certainty::likely) return out;
    NodeId function = tree.child(call, Field::function);
    for (int i = 0; i < kMostPartials; ++i) {
        const Filled filled = partial_of(file, function, callee.name);
        if (!filled.is_known) {
            out->open = true;
            out->by_position.clear();
        }
        if (filled.partial == kNoNode) return out;
        const CallArguments more = *written_arguments(tree, filled.partial);
        out->open |= more.open;
        out->by_position.insert(out->by_position.begin(), more.by_position.begin() + 1, more.by_position.end());
        out->by_keyword.insert(out->by_keyword.end(), more.by_keyword.begin(), more.by_keyword.end());
        function = more.by_position.front();
    }
    return out;
}

std::optional<CallArguments> arguments_at(const PythonFile& file, NodeId function, const Reference& reference) {
    const SyntaxTree& tree = file.tree();
    if (const NodeId call = file.call_of(function); call != kNoNode) return call_arguments(file, call, reference);
    const NodeId list = tree.parent(function);
    const NodeId call = list == kNoNode ? kNoNode : tree.parent(list);
    if (call == kNoNode || tree.kind(call) != NodeKind::call || function_of_partial(file, call) != function)
        return std::nullopt;
    return filled_arguments(file, call);
}

}  // namespace migrator
