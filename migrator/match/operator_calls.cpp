#include "migrator/match/operator_calls.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "base/text_position.h"
#include "migrator/match/call_argument.h"
#include "migrator/match/matcher.h"

namespace migrator {
namespace {

constexpr std::string_view kOperators = "torch.ops.";

bool may_be_compiled(std::string_view module, const MatchContext& context) {
    return !std::ranges::binary_search(context.module.project_modules, module, std::less<>{}) &&
           !context.rules->is_framework(module.substr(0, module.find('.')));
}

class UsesReader {
public:
    UsesReader(const MatchContext& context, const ParsedText& parsed)
        : context_(context),
          places_(context.rules->operator_places),
          tree_(*parsed.tree),
          bindings_(*parsed.bindings) {}

    OperatorUses run() {
        const base::LineIndex lines(tree_.source());
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) != NodeKind::call) continue;
            for (const Reference& reference : bindings_.references(tree_.child(id, Field::function))) {
                build(id, reference.name);
                OperatorCall call = called(reference.name);
                if (call.op.empty()) continue;
                if (std::string built = built_module(tree_.child(id, Field::function)); !built.empty())
                    call.module = std::move(built);
                call.line = lines.position(tree_.range(id).begin).line;
                find_wrapper(id, call);
                out_.calls.push_back(std::move(call));
            }
        }
        return std::move(out_);
    }

private:
    OperatorCall called(std::string_view name) const {
        OperatorCall out;
        const std::size_t dot = name.rfind('.');
        if (name.starts_with(kOperators)) {
            out.op = operator_without_overload(name);
        } else if (dot != name.npos && may_be_compiled(name.substr(0, dot), context_)) {
            out.op = name.substr(dot + 1);
            out.module = name.substr(0, dot);
            out.is_of_package = context_.rules->packages.of_module(out.module) != nullptr;
        }
        return out;
    }

    // Of `built.scale`: the name of the module that the file builds as `built`; empty: it builds none, or not surely one.
    std::string built_module(NodeId function) const {
        if (tree_.kind(function) != NodeKind::attribute) return {};
        const BindingSites sites = bindings_.binding_sites(tree_.child(function, Field::object));
        if (sites.size() != 1 || sites.front().value == kNoNode) return {};
        const NodeId value = sites.front().value;
        if (tree_.kind(value) != NodeKind::call) return {};
        for (const Reference& reference : bindings_.references(tree_.child(value, Field::function))) {
            for (const ExtensionBuilder& builder : places_.builders) {
                if (!base::contains(builder.of, reference.name)) continue;
                const NodeId name = call_argument(tree_, value, builder.name, builder.name_keyword);
                return name == kNoNode ? std::string() : bindings_.constant_string(name).value_or("");
            }
        }
        return {};
    }

    void build(NodeId call, std::string_view function) {
        for (const ExtensionBuilder& builder : places_.builders) {
            if (builder.is_inline() || !base::contains(builder.of, function)) continue;
            const NodeId module = call_argument(tree_, call, builder.name, builder.name_keyword);
            const NodeId sources = call_argument(tree_, call, builder.sources, builder.sources_keyword);
            if (module == kNoNode || sources == kNoNode) continue;
            const auto name = bindings_.constant_string(module);
            if (!name) continue;
            ExtensionBuild out{*name, {}};
            for (NodeId id = sources; id < tree_.subtree_end(sources); ++id) {
                if (tree_.kind(id) != NodeKind::string) continue;
                if (auto source = bindings_.constant_string(id)) out.sources.push_back(std::move(*source));
            }
            out_.builds.push_back(std::move(out));
        }
    }

    // The method and the class around a call, where the class is one that pairs an operator with its gradient.
    void find_wrapper(NodeId id, OperatorCall& call) const {
        const NodeId method = tree_.ancestor(id, NodeKind::function_definition);
        if (method == kNoNode) return;
        const NodeId around = tree_.ancestor(method, NodeKind::class_definition);
        if (around == kNoNode || !is_wrapper(around)) return;
        const std::string_view name = tree_.text(tree_.child(method, Field::name));
        if (name != places_.forward && name != places_.backward) return;
        call.wrapper = tree_.text(tree_.child(around, Field::name));
        call.is_gradient = name == places_.backward;
    }

    bool is_wrapper(NodeId class_definition) const {
        const NodeId bases = tree_.child(class_definition, Field::superclasses);
        if (bases == kNoNode) return false;
        for (const NodeId base : tree_.named_children(bases)) {
            for (const Reference& reference : bindings_.references(base)) {
                if (base::contains(places_.wrappers, reference.name)) return true;
            }
        }
        return false;
    }

    const MatchContext& context_;
    const OperatorPlaces& places_;
    const SyntaxTree& tree_;
    const Bindings& bindings_;
    OperatorUses out_;
};

}  // namespace

NodeId call_argument(const SyntaxTree& tree, NodeId call, std::optional<std::size_t> position,
                     std::string_view keyword) {
    const NodeId list = tree.child(call, Field::arguments);
    if (list == kNoNode || tree.kind(list) != NodeKind::argument_list) return kNoNode;
    std::size_t at = 0;
    for (const NodeId id : tree.named_children(list)) {
        if (tree.kind(id) == NodeKind::keyword_argument) {
            if (tree.text(tree.child(id, Field::name)) == keyword) return tree.child(id, Field::value);
        } else if (tree.kind(id) != NodeKind::comment && position == at++) {
            return id;
        }
    }
    return kNoNode;
}

OperatorUses operator_uses(const MatchContext& context, const ParsedText& parsed) {
    return UsesReader(context, parsed).run();
}

std::string operator_in_python(std::string_view registered) {
    const std::size_t colons = registered.find("::");
    if (colons == registered.npos) return std::string(registered);
    return base::format("{}{}.{}", kOperators, registered.substr(0, colons), registered.substr(colons + 2));
}

std::string_view operator_without_overload(std::string_view qualified) {
    if (!qualified.starts_with(kOperators)) return qualified;
    const std::size_t space = qualified.find('.', kOperators.size());
    return space == qualified.npos ? qualified : qualified.substr(0, qualified.find('.', space + 1));
}

}  // namespace migrator
