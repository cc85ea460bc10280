#include "migrator/match/import_plan.h"

#include <algorithm>
#include <set>

#include "base/format.h"

namespace migrator {
namespace {

const std::vector<Edit> kNoEdits;

// Every finding of a group carries all of its edits. A statement with more has thousands of names, and is left to a person.
constexpr std::size_t kMaxGroup = 1024;

std::string_view module_part(std::string_view qualified) {
    std::size_t dot = qualified.rfind('.');
    return dot == qualified.npos ? std::string_view{} : qualified.substr(0, dot);
}

// from a import b, c; of a module that is in no other: import c
std::string import_statement(std::string_view module, const std::string& names) {
    return module.empty() ? "import " + names : base::format("from {} import {}", module, names);
}

// A name, and what it is bound to.
std::string bound_key(std::string_view name, std::string_view qualified) {
    return base::format("{} {}", name, qualified);
}

std::string_view member_part(std::string_view qualified) { return qualified.substr(qualified.rfind('.') + 1); }

std::string imported_as(std::string_view member, std::string_view bound) {
    return member == bound ? std::string(member) : base::format("{} as {}", member, bound);
}

}  // namespace

std::vector<Edit> rename_dotted(base::ByteRange range, std::string_view old_name, std::string_view new_name) {
    // Whole components, from both ends: "torch.cuda.amp" -> "torch.npu.amp" touches "cuda" only.
    std::size_t head = 0;
    for (std::size_t i = 0; i < std::min(old_name.size(), new_name.size()) && old_name[i] == new_name[i]; ++i) {
        if (old_name[i] == '.') head = i + 1;
    }
    std::size_t tail = 0;
    std::size_t longest = std::min(old_name.size(), new_name.size()) - head;
    for (std::size_t i = 1; i <= longest && old_name[old_name.size() - i] == new_name[new_name.size() - i]; ++i) {
        if (old_name[old_name.size() - i] == '.') tail = i;
    }
    if (old_name == new_name) return {};
    return {{{range.begin + head, range.begin + old_name.size() - tail},
             std::string(new_name.substr(head, new_name.size() - head - tail))}};
}

ImportPlan::ImportPlan(const PythonFile& file) : file_(file) {
    std::map<NodeId, std::vector<const ImportedName*>> from_statements;
    for (const ImportedName& import : file.bindings().imports()) {
        // An import that may stand in for a missing device is part of a choice that the project makes itself.
        if (file.tree().touches_error(file.tree().range(import.statement))) continue;
        if (import.name.empty()) plan_plain(import);
        else from_statements[import.statement].push_back(&import);
    }
    for (const auto& [statement, names] : from_statements) plan_from(statement, names);
    note_changed();
}

void ImportPlan::note_changed() {
    for (const ImportedName& import : file_.bindings().imports()) {
        const bool stays = edits_of(import).empty();
        if (stays && import.name == "*") staying_stars_.insert(import.module);
        if (stays) continue;
        const std::string qualified = import.qualified();
        changed_.emplace(bound_key(import.bound_name, qualified), import.node);
        // `import a.b.c` binds a, through which a.b is reached.
        for (std::size_t dot = import.name.empty() ? qualified.find('.') : qualified.npos; dot != qualified.npos;
             dot = qualified.find('.', dot + 1))
            changed_.emplace(bound_key(import.bound_name, std::string_view(qualified).substr(0, dot)), import.node);
    }
}

const std::vector<Edit>& ImportPlan::edits_of(const ImportedName& import) const {
    auto found = by_node_.find(import.node);
    return found == by_node_.end() ? kNoEdits : found->second;
}

const std::vector<Edit>& ImportPlan::edits_of_root(NodeId root, std::string_view qualified) const {
    const SyntaxTree& tree = file_.tree();
    if (tree.kind(root) != NodeKind::identifier) return kNoEdits;
    const auto found = changed_.find(bound_key(tree.text(root), qualified));
    return found == changed_.end() ? kNoEdits : by_node_.at(found->second);
}

std::optional<std::string> ImportPlan::new_name(std::string_view qualified) const {
    const NameRow* row = file_.rules().names.row(qualified);
    // A member of an object is not imported.
    if (row == nullptr || !row->to || row->member) return std::nullopt;
    return file_.as_imported(*row->to);
}

// import a.b.c [as d]
void ImportPlan::plan_plain(const ImportedName& import) {
    auto to = new_name(import.module);
    if (!to || file_.is_project_module(import.module)) return;
    const SyntaxTree& tree = file_.tree();
    const NameRow* row = file_.rules().names.row(import.module);
    bool aliased = tree.kind(import.node) == NodeKind::aliased_import;
    NodeId dotted = aliased ? tree.child(import.node, Field::name) : import.node;
    if (dotted == kNoNode || tree.text(dotted) != import.module) return;
    if (row->to_member) {
        // `import a.b.c as d` needs c to be a module; `from a.b import c as d` does not.
        bool only_name = tree.named_children(import.statement).size() == 1;
        if (aliased && only_name) {
            std::string text =
                base::format("from {} import {}", module_part(*to), imported_as(member_part(*to), import.bound_name));
            by_node_[import.node] = {{tree.range(import.statement), std::move(text)}};
        } else if (!aliased) {
            by_node_[import.node] = rename_dotted(tree.range(dotted), import.module, module_part(*to));
        }
        return;
    }
    bool same_root = to->substr(0, to->find('.')) == import.module.substr(0, import.module.find('.'));
    if (aliased || same_root) by_node_[import.node] = rename_dotted(tree.range(dotted), import.module, *to);
}

// from m import a, b as c
void ImportPlan::plan_from(NodeId statement, const std::vector<const ImportedName*>& names) {
    const SyntaxTree& tree = file_.tree();
    NodeId module = tree.child(statement, Field::module_name);
    if (module == kNoNode || tree.text(module) != names.front()->module) return;
    if (file_.is_project_module(names.front()->module)) return;
    // `from a import b.c` is no Python, but the grammar takes it.
    auto is_dotted = [](const ImportedName* import) { return import->name.find('.') != import->name.npos; };
    if (std::any_of(names.begin(), names.end(), is_dotted)) return;
    if (names.front()->name == "*") {
        if (auto to = new_name(names.front()->module)) {
            by_node_[names.front()->node] = rename_dotted(tree.range(module), names.front()->module, *to);
        }
        return;
    }
    std::vector<Change> changes;
    std::vector<Edit> edits;
    bool any = false;
    for (const ImportedName* import : names) {
        Change change{import, import->qualified(), false, false, import->bound_name};
        if (auto to = new_name(import->qualified())) {
            change.to = *to;
            change.moves = any = true;
            change.bound_as = new_bound_name(change, edits);
        }
        changes.push_back(std::move(change));
    }
    if (!any) return;
    std::vector<Edit> import_edits = split(statement, changes);
    edits.insert(edits.end(), import_edits.begin(), import_edits.end());
    if (edits.size() > kMaxGroup) return;
    for (const Change& change : changes) {
        if (change.moves) by_node_[change.import->node] = edits;
    }
}

std::string ImportPlan::new_bound_name(const Change& change, std::vector<Edit>& edits) const {
    const ImportedName& import = *change.import;
    std::string member(member_part(change.to));
    // `as` keeps what the user chose; a name that stays needs nothing.
    if (member == import.name || file_.tree().kind(import.node) == NodeKind::aliased_import) return import.bound_name;
    return collect_uses(import, member, edits) ? member : import.bound_name;
}

// True for an identifier that has the bound name's text, but means a variable of an inner scope.
bool ImportPlan::is_other_variable(const ImportedName& import, NodeId id, bool is_declared_global) const {
    const SyntaxTree& tree = file_.tree();
    auto references = file_.bindings().references(id);
    if (!references.empty()) {
        return std::none_of(references.begin(), references.end(),
                            [&](const Reference& reference) { return reference.name == import.qualified(); });
    }
    // A place that binds it: a parameter, a target. `global` would make it the same variable after all.
    NodeKind parent = tree.kind(tree.parent(id));
    if (parent == NodeKind::global_statement || parent == NodeKind::nonlocal_statement) return false;
    NodeId function = tree.ancestor(id, NodeKind::function_definition);
    if (function == kNoNode || tree.child(function, Field::name) == id || tree.is_ancestor(function, import.statement))
        return false;
    return !is_declared_global;
}

bool ImportPlan::collect_uses(const ImportedName& import, const std::string& bound, std::vector<Edit>& edits) const {
    // Every fix carries its whole group; beyond this an alias is the cheaper and clearer edit.
    constexpr std::size_t kMaxUses = 64;
    const SyntaxTree& tree = file_.tree();
    const Bindings& bindings = file_.bindings();
    // Others may import the name from a package's __init__, or through __all__.
    if (file_.context().module.is_package || !file_.identifiers("__all__").empty()) return false;
    if (bindings.is_name_taken(import.scope, bound)) return false;
    if (!file_.import_index().is_bound_once(import)) return false;
    const auto all = file_.identifiers(import.bound_name);
    const bool is_declared_global = std::any_of(all.begin(), all.end(), [&](NodeId id) {
        NodeKind kind = tree.kind(tree.parent(id));
        return kind == NodeKind::global_statement || kind == NodeKind::nonlocal_statement;
    });
    std::vector<Edit> uses;
    for (NodeId id : all) {
        NodeId parent = tree.parent(id);
        if (tree.kind(parent) == NodeKind::attribute && tree.field(id) == Field::attribute) continue;
        if (tree.kind(parent) == NodeKind::keyword_argument && tree.field(id) == Field::name) continue;
        if (tree.kind(parent) == NodeKind::dotted_name || tree.is_ancestor(import.statement, id)) continue;
        if (is_other_variable(import, id, is_declared_global)) continue;
        auto references = bindings.references(id);
        bool is_use = references.size() == 1 && references.front().name == import.qualified() &&
                      references.front().certainty == Certainty::resolved;
        if (!is_use || tree.touches_error(tree.range(id)) || bindings.is_name_taken(bindings.scope_at(id), bound))
            return false;
        uses.push_back({tree.range(id), bound});
        if (uses.size() > kMaxUses) return false;
    }
    if (uses.empty()) return false;
    edits.insert(edits.end(), uses.begin(), uses.end());
    return true;
}

// One statement for every module that names go to.
std::vector<std::string> ImportPlan::statements_for(const std::vector<Change>& changes, const Targets& targets) {
    std::vector<std::string> out;
    for (const std::string& target : targets) {
        std::string names;
        for (const Change& change : changes) {
            if (module_part(change.to) != target) continue;
            names += (names.empty() ? "" : ", ") + imported_as(member_part(change.to), change.bound_as);
        }
        out.push_back(import_statement(target, names));
    }
    return out;
}

std::vector<Edit> ImportPlan::split(NodeId statement, std::vector<Change>& changes) const {
    const SyntaxTree& tree = file_.tree();
    const std::string& module = changes.front().import->module;
    Targets targets;
    bool someone_stays = false;
    for (const Change& change : changes) {
        targets.emplace(module_part(change.to));
        someone_stays |= !change.moves || module_part(change.to) == module;
    }
    // The statement keeps its place for the names that stay, or else for the module of the first name.
    std::string stays = someone_stays ? module : std::string(module_part(changes.front().to));
    if (stays.empty()) return {{tree.range(statement), base::joined(statements_for(changes, targets), "; ")}};
    std::vector<Edit> edits = rename_dotted(tree.range(tree.child(statement, Field::module_name)), module, stays);
    for (const Change& change : changes) {
        if (module_part(change.to) != stays || !change.moves) continue;
        NodeId node = change.import->node;
        bool aliased = tree.kind(node) == NodeKind::aliased_import;
        NodeId name = aliased ? tree.child(node, Field::name) : node;
        std::string text =
            aliased ? std::string(member_part(change.to)) : imported_as(member_part(change.to), change.bound_as);
        if (tree.text(name) != text) edits.push_back({tree.range(name), text});
    }
    targets.erase(stays);
    const std::vector<std::string> lines = statements_for(changes, targets);
    if (lines.empty()) return edits;
    remove_names(statement, changes, stays, edits);
    edits.push_back(insert_statements(statement, lines));
    return edits;
}

void ImportPlan::remove_names(NodeId, const std::vector<Change>& changes, const std::string& stays,
                              std::vector<Edit>& edits) const {
    const SyntaxTree& tree = file_.tree();
    auto goes = [&](std::size_t i) { return module_part(changes[i].to) != stays; };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (!goes(i)) continue;
        std::size_t last = i;
        while (last + 1 < changes.size() && goes(last + 1)) ++last;
        base::ByteRange gap{tree.range(changes[i].import->node).begin, tree.range(changes[last].import->node).end};
        // With the comma behind, or, at the end of the list, with the one in front.
        if (last + 1 < changes.size()) gap.end = tree.range(changes[last + 1].import->node).begin;
        else gap.begin = tree.range(changes[i - 1].import->node).end;
        edits.push_back({gap, ""});
        i = last;
    }
}

Edit ImportPlan::insert_statements(NodeId statement, const std::vector<std::string>& lines) const {
    std::string_view text = file_.tree().source();
    base::ByteRange range = file_.tree().range(statement);
    std::size_t line_begin = range.begin;
    while (line_begin > 0 && text[line_begin - 1] != '\n' && text[line_begin - 1] != '\r') --line_begin;
    std::string_view indent = text.substr(line_begin, range.begin - line_begin);
    bool alone = indent.find_first_not_of(" \t\f") == indent.npos;
    if (!alone) {
        // Behind `if x:` or another statement of the line.
        std::string out;
        for (const std::string& line : lines) out += "; " + line;
        return {{range.end, range.end}, out};
    }
    // Behind whatever else the line holds: a comment belongs to the statement in front of it.
    std::size_t at = range.end;
    while (at < text.size() && text[at] != '\n' && text[at] != '\r') ++at;
    std::string_view line_end = text.substr(at).starts_with("\r\n") ? "\r\n"
                                : text.substr(at).starts_with("\r") ? "\r"
                                                                    : "\n";
    std::string out;
    for (const std::string& line : lines) out += base::format("{}{}{}", line_end, indent, line);
    return {{at, at}, out};
}

}  // namespace migrator
