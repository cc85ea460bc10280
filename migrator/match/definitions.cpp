#include <algorithm>

#include "base/text.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// Names of the parameters, without stars and the receiver.
std::vector<std::string_view> parameters_of(const SyntaxTree& tree, NodeId function, bool is_method) {
    std::vector<std::string_view> out;
    const NodeId list = tree.child(function, Field::parameters);
    if (list == kNoNode) return out;
    for (NodeId id : tree.named_children(list)) {
        const NodeId named = tree.child(id, Field::name);
        if (named != kNoNode) id = named;
        while (tree.kind(id) == NodeKind::typed_parameter) id = tree.first_child(id);
        if (tree.kind(id) == NodeKind::identifier) out.push_back(tree.text(id));
    }
    if (is_method && !out.empty()) out.erase(out.begin());
    return out;
}

NodeId method_of(const SyntaxTree& tree, NodeId owner, std::string_view name) {
    const NodeId body = tree.child(owner, Field::body);
    if (body == kNoNode) return kNoNode;
    for (NodeId id : tree.named_children(body)) {
        if (tree.kind(id) == NodeKind::decorated_definition) id = tree.child(id, Field::definition);
        if (id == kNoNode || tree.kind(id) != NodeKind::function_definition) continue;
        const NodeId own = tree.child(id, Field::name);
        if (own != kNoNode && tree.text(own) == name) return id;
    }
    return kNoNode;
}

bool has_parameters(const SyntaxTree& tree, NodeId definition, const DefinitionRow& row) {
    return std::all_of(row.parameters.begin(), row.parameters.end(), [&](const auto& method) {
        const auto& [name, wanted] = method;
        const NodeId function = row.is_class ? method_of(tree, definition, name) : definition;
        if (function == kNoNode) return false;
        const bool with_self = row.is_class || (!wanted.empty() && wanted.front() == "self");
        const auto found = parameters_of(tree, function, with_self);
        const std::size_t skipped = !row.is_class && with_self ? 1 : 0;
        return std::equal(found.begin(), found.end(), wanted.begin() + static_cast<std::ptrdiff_t>(skipped),
                          wanted.end());
    });
}

}  // namespace

void match_definitions(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    for (NodeId id = 0; id < tree.size(); ++id) {
        const bool is_class = tree.kind(id) == NodeKind::class_definition;
        if (!is_class && tree.kind(id) != NodeKind::function_definition) continue;
        const NodeId name = tree.child(id, Field::name);
        if (name == kNoNode) continue;
        for (const DefinitionRow& row : file.rules().definitions) {
            const bool is_named = row.is_class == is_class && base::contains(row.names, tree.text(name));
            if (!is_named || !has_parameters(tree, id, row)) continue;
            sink.push_back(
                make_finding(*row.rule, tree.range(name), std::string(tree.text(name)), Certainty::likely, {}, {}, {}));
        }
    }
}

}  // namespace migrator
