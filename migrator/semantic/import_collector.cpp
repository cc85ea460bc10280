// Import statements: the part of ScopeBuilder that fills FileModel::imports.
#include <algorithm>
#include <utility>

#include "migrator/semantic/project_modules.h"
#include "migrator/semantic/scope_builder.h"

namespace migrator {
namespace {

// "a . b" may be written with blanks and comments between the parts. What no module can be called is cut.
std::string dotted_text(const SyntaxTree& tree, NodeId dotted_name) {
    std::string out;
    for (const NodeId part : operands(tree, dotted_name)) {
        if (!out.empty()) out += '.';
        out += tree.text(part);
        if (out.size() > NameTable::kMaxNameBytes) break;
    }
    out.resize(std::min(out.size(), NameTable::kMaxNameBytes));
    return out;
}

// The module of a `from`: "torch.cuda", "..utils".
std::string module_text(const SyntaxTree& tree, NodeId module) {
    if (module == kNoNode) return {};
    if (tree.kind(module) != NodeKind::relative_import) return dotted_text(tree, module);
    std::string out;
    for (const NodeId part : operands(tree, module)) {
        if (tree.kind(part) == NodeKind::import_prefix) {
            for (const char c : tree.text(part)) {
                if (c == '.') out += c;
            }
        } else {
            out += dotted_text(tree, part);
        }
    }
    out.resize(std::min(out.size(), NameTable::kMaxNameBytes));
    return out;
}

bool is_type_checking_test(const SyntaxTree& tree, NodeId condition) {
    if (condition == kNoNode) return false;
    const NodeId name =
        tree.kind(condition) == NodeKind::attribute ? tree.child(condition, Field::attribute) : condition;
    return name != kNoNode && tree.text(name) == "TYPE_CHECKING";
}

bool is_type_checking_only(const SyntaxTree& tree, NodeId statement) {
    NodeId below = statement;
    for (NodeId at = tree.parent(statement); at != kNoNode; below = at, at = tree.parent(at)) {
        const NodeKind kind = tree.kind(at);
        if (kind == NodeKind::function_definition || kind == NodeKind::class_definition) return false;
        if (kind == NodeKind::if_statement && tree.field(below) == Field::consequence &&
            is_type_checking_test(tree, tree.child(at, Field::condition))) {
            return true;
        }
    }
    return false;
}

}  // namespace

ImportedName ScopeBuilder::new_import(NodeId statement, NodeId node) const {
    ImportedName out;
    out.statement = statement;
    out.node = node;
    out.scope = model_.scope_of[statement];
    out.type_checking_only = is_type_checking_only(tree_, statement);
    out.conditional = model_.regions[model_.region_of[statement]].parent != kNone;
    return out;
}

// `target` is the identifier that gets the name; kNoNode for `*`.
void ScopeBuilder::add_import(ImportedName imported, NodeId target) {
    const auto index = static_cast<std::uint32_t>(model_.imports.size());
    if (target != kNoNode) {
        bind(imported.scope, {.kind = BindingKind::import,
                              .target = target,
                              .import = index,
                              .effect = tree_.subtree_end(imported.statement),
                              .region = model_.region_of[imported.statement]});
    }
    model_.imports.push_back(std::move(imported));
}

void ScopeBuilder::collect_import(NodeId node) {
    for (const NodeId item : operands(tree_, node)) {
        const NodeId alias = tree_.child(item, Field::alias);
        const NodeId module = tree_.kind(item) == NodeKind::aliased_import ? tree_.child(item, Field::name) : item;
        if (module == kNoNode || tree_.kind(module) != NodeKind::dotted_name) continue;
        for (const NodeId part : operands(tree_, module)) ignore(part);
        ImportedName imported = new_import(node, item);
        ResolvedModule resolved = resolve_module(model_.context, dotted_text(tree_, module));
        imported.module = std::move(resolved.name);
        imported.origin = resolved.origin;
        const NodeId target = alias != kNoNode ? alias : tree_.first_child(module);
        if (target == kNoNode) continue;
        imported.bound_name = tree_.text(target);
        add_import(std::move(imported), target);
    }
}

void ScopeBuilder::collect_from_import(NodeId node) {
    const NodeId from = tree_.child(node, Field::module_name);
    const ResolvedModule module = resolve_module(model_.context, module_text(tree_, from));
    for (NodeId at = from; at != kNoNode && at < tree_.subtree_end(from); ++at) ignore(at);
    for (const NodeId item : operands(tree_, node)) {
        if (item == from) continue;
        ImportedName imported = new_import(node, item);
        imported.module = module.name;
        imported.origin = module.origin;
        if (tree_.kind(item) == NodeKind::wildcard_import) {
            imported.name = "*";
            add_import(std::move(imported), kNoNode);
            continue;
        }
        const NodeId alias = tree_.child(item, Field::alias);
        const NodeId name = tree_.kind(item) == NodeKind::aliased_import ? tree_.child(item, Field::name) : item;
        if (name == kNoNode || tree_.kind(name) != NodeKind::dotted_name) continue;
        for (const NodeId part : operands(tree_, name)) ignore(part);
        imported.name = dotted_text(tree_, name);
        const NodeId target = alias != kNoNode ? alias : tree_.first_child(name);
        if (target == kNoNode) continue;
        imported.bound_name = tree_.text(target);
        add_import(std::move(imported), target);
    }
}

void ScopeBuilder::collect_future_import(NodeId node) {
    for (const NodeId item : operands(tree_, node)) {
        const NodeId alias = tree_.child(item, Field::alias);
        const NodeId name = tree_.kind(item) == NodeKind::aliased_import ? tree_.child(item, Field::name) : item;
        if (name == kNoNode || tree_.first_child(name) == kNoNode) continue;
        ImportedName imported = new_import(node, item);
        imported.module = "__future__";
        imported.name = dotted_text(tree_, name);
        ignore(tree_.first_child(name));
        const NodeId target = alias != kNoNode ? alias : tree_.first_child(name);
        imported.bound_name = tree_.text(target);
        add_import(std::move(imported), target);
    }
}

}  // namespace migrator
