#include "migrator/match/operator_calls.h"

#include <algorithm>

#include "base/format.h"
#include "base/text_position.h"
#include "migrator/match/matcher.h"

namespace migrator {
namespace {

constexpr std::string_view kOperators = "torch.ops.";

// "torch.ops.ns.scale" also for an overload of it, "torch.ops.ns.scale.default".
std::string_view without_overload(std::string_view name) {
    const std::size_t space = name.find('.', kOperators.size());
    return space == name.npos ? name : name.substr(0, name.find('.', space + 1));
}

bool may_be_compiled(std::string_view module, const MatchContext& context) {
    return !std::ranges::binary_search(context.module.project_modules, module, std::less<>{}) &&
           context.rules->packages.of_module(module) == nullptr &&
           !context.rules->is_framework(module.substr(0, module.find('.')));
}

std::string_view operator_of(std::string_view called, const MatchContext& context) {
    if (called.starts_with(kOperators)) return without_overload(called);
    const std::size_t dot = called.rfind('.');
    return dot != called.npos && may_be_compiled(called.substr(0, dot), context) ? called.substr(dot + 1) : "";
}

}  // namespace

std::vector<OperatorCall> operator_calls(const MatchContext& context, const ParsedText& parsed) {
    const SyntaxTree& tree = *parsed.tree;
    const base::LineIndex lines(tree.source());
    std::vector<OperatorCall> out;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::call) continue;
        for (const Reference& reference : parsed.bindings->references(tree.child(id, Field::function))) {
            const std::string_view op = operator_of(reference.name, context);
            if (!op.empty()) out.push_back({std::string(op), lines.position(tree.range(id).begin).line});
        }
    }
    return out;
}

std::string operator_in_python(std::string_view registered) {
    const std::size_t colons = registered.find("::");
    if (colons == registered.npos) return std::string(registered);
    return base::format("{}{}.{}", kOperators, registered.substr(0, colons), registered.substr(colons + 2));
}

}  // namespace migrator
