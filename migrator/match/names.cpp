#include <algorithm>
#include <set>

#include "migrator/match/matchers.h"
#include "migrator/match/member_edits.h"

namespace migrator {
namespace {

constexpr std::string_view kAssignedNote =
    "The project puts something of its own in its place here, so the name stays: do the same for the NPU where it is "
    "meant.";

// What the rules say of one name.
struct Match {
    const NameRow* row = nullptr;
    NodeId node = kNoNode;  // the part of the chain that the row is about
    std::string name;       // qualified
};

std::vector<std::string_view> components(std::string_view name) {
    std::vector<std::string_view> out;
    for (std::size_t begin = 0;;) {
        std::size_t dot = name.find('.', begin);
        out.push_back(name.substr(begin, dot == name.npos ? dot : dot - begin));
        if (dot == name.npos) return out;
        begin = dot + 1;
    }
}

class NameMatcher {
public:
    NameMatcher(const PythonFile& file, const ImportPlan& plan, FindingSink& sink)
        : file_(file), plan_(plan), sink_(sink) {}

    void run() {
        for (NodeId node : file_.bindings().external_expressions()) {
            if (!is_part_of_longer_chain(node)) match_chain(node);
        }
        for (const ImportedName& import : file_.bindings().imports()) match_import(import);
    }

private:
    const SyntaxTree& tree() const { return file_.tree(); }

    bool is_part_of_longer_chain(NodeId node) const {
        NodeId parent = tree().parent(node);
        return tree().kind(parent) == NodeKind::attribute && tree().field(node) == Field::object &&
               file_.has_external_reference(parent);
    }

    // The longest part of the chain that a row knows. A module's row speaks of the module alone: for what is below
    // and not known, the module's `prefix` rule does.
    std::optional<Match> find(NodeId chain) const {
        for (NodeId node = chain;; node = tree().child(node, Field::object)) {
            for (const Reference& reference : file_.bindings().references(node)) {
                if (reference.origin != Origin::external) continue;
                const NameRow* row = file_.rules().names.row(reference.name);
                bool whole = row != nullptr && (row->reach == NameRow::Reach::exact || node == chain);
                if (whole) return Match{row, node, reference.name};
                if (node != chain) continue;
                if (const NameRow* below = file_.rules().names.prefix(reference.name);
                    below != nullptr && !is_member_of_known(reference.name)) {
                    return Match{below, node, reference.name};
                }
            }
            if (tree().kind(node) != NodeKind::attribute) return std::nullopt;
            NodeId object = tree().child(node, Field::object);
            if (object == kNoNode || !file_.has_external_reference(object)) return std::nullopt;
        }
    }

    // True when something above the name has an exact row: it is a member of a known class.
    bool is_member_of_known(std::string_view name) const {
        for (std::size_t dot = name.rfind('.'); dot != name.npos; dot = name.rfind('.', dot - 1)) {
            const NameRow* row = file_.rules().names.row(name.substr(0, dot));
            if (row != nullptr && row->reach == NameRow::Reach::exact) return true;
        }
        return false;
    }

    void match_chain(NodeId chain) {
        auto found = find(chain);
        if (!found) return;
        Certainty certainty = Certainty::resolved;
        auto references = file_.bindings().references(found->node);
        for (const Reference& reference : references) {
            if (reference.name == found->name) certainty = std::min(certainty, reference.certainty);
        }
        if (references.size() > 1) certainty = std::min(certainty, Certainty::likely);
        Finding finding = make(*found, tree().range(found->node), certainty);
        if (found->row->to && !found->row->assigned && is_assigned(found->node)) {
            finding.message.add(kAssignedNote);
        } else if (found->row->to) {
            finding.fix = fix_of(*found);
            // Where the name may also be something else, only an edit that leaves its text alone is right for both.
            if (references.size() > 1 && finding.fix && changes_text(*finding.fix, found->node)) finding.fix.reset();
            if (finding.fix && certainty < Certainty::resolved && !changes_text(*finding.fix, found->node)) {
                finding.certainty = Certainty::resolved;  // it is the import that changes, and that is sure
            }
        }
        used_.insert(found->name);
        sink_.push_back(std::move(finding));
    }

    // torch.cuda.is_available = fake: what takes the place of the name is the project's own.
    bool is_assigned(NodeId node) const {
        NodeId target = node;
        NodeKind around = tree().kind(tree().parent(target));
        while (around == NodeKind::pattern_list || around == NodeKind::tuple_pattern ||
               around == NodeKind::list_pattern) {
            target = tree().parent(target);
            around = tree().kind(tree().parent(target));
        }
        return tree().kind(node) == NodeKind::attribute && around == NodeKind::assignment &&
               tree().field(target) == Field::left;
    }

    bool changes_text(const Fix& fix, NodeId node) const {
        base::ByteRange range = tree().range(node);
        return std::any_of(fix.edits.begin(), fix.edits.end(), [&](const Edit& edit) {
            return edit.range.begin >= range.begin && edit.range.end <= range.end;
        });
    }

    Finding make(const Match& match, base::ByteRange range, Certainty certainty) const {
        const NameRow& row = *match.row;
        Finding finding =
            make_finding(*row.rule, range, match.name, certainty, row.to.value_or(""), row.note, row.source);
        finding.effort = row.effort;
        finding.at_run_time = row.at_run_time;
        if (!row.kept_because.empty())
            finding.message = {"{reason}, so {name} is left as it is. {note}",
                               {{"reason", row.kept_because}, {"name", match.name}, {"note", row.note}}};
        return finding;
    }

    // The edits of a chain: only the names that differ, and the import that binds its root.
    std::optional<Fix> fix_of(const Match& match) const {
        if (match.row->member) return fix_of_member(match);
        Fix fix;
        fix.imports = match.row->rule->imports;
        NodeId root = root_of(match.node, match.name);
        std::vector<NodeId> names;  // the attribute names of the chain, in order
        for (NodeId node = match.node; node != root; node = tree().child(node, Field::object)) {
            names.insert(names.begin(), tree().child(node, Field::attribute));
        }
        std::string old_root = without_last(match.name, names.size());
        const std::string& to = *match.row->to;
        fix.edits = plan_.edits_of_root(root, old_root);
        std::string new_root = new_root_name(root, old_root, !fix.edits.empty());
        if (to == new_root && names.empty()) return fix;
        if (to.starts_with(new_root + ".")) {
            add_tail_edits(names, std::string_view(to).substr(new_root.size() + 1), root, fix.edits);
            return fix;
        }
        // Another root: the whole chain is written out, if its new root can be bound here.
        std::string head = to.substr(0, to.find('.'));
        if (tree().kind(root) == NodeKind::identifier && is_from_star(root, old_root))
            fix.imports.push_back({head, head});
        bool head_is_requested = std::any_of(fix.imports.begin(), fix.imports.end(),
                                             [&](const ImportRequest& request) { return request.module == head; });
        if (!head_is_requested && !file_.import_index().binds_module(head)) return shortest_known_root(match, to);
        if (is_shadowed(head, match.node)) return std::nullopt;
        fix.edits = {{tree().range(match.node), to}};
        return fix;
    }

    // Of an object: its class keeps its members.
    std::optional<Fix> fix_of_member(const Match& match) const {
        const bool is_access = tree().kind(match.node) == NodeKind::attribute;
        if (!is_access || refers(tree().child(match.node, Field::object), without_last(match.name, 1)))
            return std::nullopt;
        auto edits = member_edits(file_, match.node, *match.row->member, true);
        if (!edits) return std::nullopt;
        return Fix{std::move(*edits), match.row->rule->imports};
    }

    // Where the chain begins to spell out the name: what is in front of it is an alias (`self.lib.cuda` for torch.cuda
    // after `self.lib = torch`), or an instance of a class whose member the last part is.
    NodeId root_of(NodeId node, std::string_view name) const {
        while (tree().kind(node) == NodeKind::attribute) {
            const NodeId object = tree().child(node, Field::object);
            const std::size_t dot = name.rfind('.');
            if (object == kNoNode || dot == name.npos || file_.last_name(node) != name.substr(dot + 1)) break;
            name = name.substr(0, dot);
            if (!refers(object, name)) return file_.context().facts->is_class(name) ? object : node;
            node = object;
        }
        return node;
    }

    bool refers(NodeId node, std::string_view name) const {
        auto references = file_.bindings().references(node);
        return std::any_of(references.begin(), references.end(),
                           [&](const Reference& reference) { return reference.name == name; });
    }

    // The qualified name without the parts that the chain spells out: what its root refers to.
    static std::string without_last(std::string name, std::size_t parts) {
        for (; parts > 0 && name.find('.') != name.npos; --parts) name.resize(name.rfind('.'));
        return name;
    }

    // What the root refers to once everything else is rewritten.
    std::string new_root_name(NodeId root, const std::string& old_root, bool import_changes) const {
        if (!refers(root, old_root))
            return old_root;  // an instance of a class: its members are renamed, the class is not
        if (import_changes) return file_.rules().names.renamed(old_root);
        if (tree().kind(root) == NodeKind::identifier) {
            // Bound by an import that stays, or by a star; a variable follows what is assigned to it.
            if (is_imported(root, old_root) || is_from_star(root, old_root)) return old_root;
        }
        return file_.rules().names.renamed(old_root);
    }

    bool is_imported(NodeId root, std::string_view qualified) const {
        return file_.import_index().binds(tree().text(root), qualified);
    }

    // True when a star brought the name, and its statement stays as it is.
    bool is_from_star(NodeId root, std::string_view qualified) const {
        const std::size_t dot = qualified.rfind('.');
        return dot != qualified.npos && qualified.substr(dot + 1) == tree().text(root) &&
               plan_.star_stays(qualified.substr(0, dot));
    }

    // True when `name` means something else at the node than the module that an import request binds.
    bool is_shadowed(std::string_view name, NodeId node) const {
        const Bindings& bindings = file_.bindings();
        return bindings.is_name_taken(bindings.scope_at(node), name) && !file_.import_index().binds_module(name);
    }

    // A chain whose import cannot change, but whose module is bound under another name as well.
    std::optional<Fix> shortest_known_root(const Match& match, const std::string& to) const {
        const ImportedName* import = file_.import_index().import_of(to);
        if (import == nullptr) return std::nullopt;
        bool aliased = tree().kind(import->node) == NodeKind::aliased_import;
        std::string text = aliased ? import->bound_name + to.substr(import->module.size()) : to;
        return Fix{{{tree().range(match.node), text}}, match.row->rule->imports};
    }

    // Rewrites the attribute names of a chain to `tail`, leaving the ones that stay, and all blanks, as they are.
    void add_tail_edits(const std::vector<NodeId>& names, std::string_view tail, NodeId root,
                        std::vector<Edit>& edits) const {
        std::vector<std::string_view> parts = components(tail);
        if (parts.size() == names.size()) {
            for (std::size_t i = 0; i < parts.size(); ++i) {
                if (tree().text(names[i]) != parts[i]) edits.push_back({tree().range(names[i]), std::string(parts[i])});
            }
            return;
        }
        std::size_t same_end = 0;
        while (same_end < std::min(parts.size(), names.size()) &&
               parts[parts.size() - 1 - same_end] == tree().text(names[names.size() - 1 - same_end])) {
            ++same_end;
        }
        std::string middle;
        for (std::size_t i = 0; i + same_end < parts.size(); ++i) middle += "." + std::string(parts[i]);
        std::uint64_t end =
            same_end == names.size() ? tree().range(root).end : tree().range(names[names.size() - 1 - same_end]).end;
        edits.push_back({{tree().range(root).end, end}, middle});
    }

    void match_import(const ImportedName& import) {
        if (file_.is_project_module(import.module)) return;
        std::string qualified = import.name == "*" ? import.module : import.qualified();
        const NameRow* row = file_.rules().names.row(qualified);
        if (row == nullptr && import.name != "*") row = file_.rules().names.prefix(qualified);
        if (row == nullptr) return;
        const std::vector<Edit>& edits = plan_.edits_of(import);
        // A name that only is reported is reported where it is used.
        if (edits.empty() && is_used_below(qualified)) return;
        Finding finding = make({row, import.node, qualified}, tree().range(import.node), Certainty::resolved);
        if (row->to && !edits.empty()) finding.fix = Fix{edits, row->rule->imports};
        sink_.push_back(std::move(finding));
    }

    bool is_used_below(const std::string& qualified) const {
        auto at = used_.lower_bound(qualified);
        return at != used_.end() && (*at == qualified || at->starts_with(qualified + "."));
    }

    const PythonFile& file_;
    const ImportPlan& plan_;
    FindingSink& sink_;
    std::set<std::string> used_;
};

}  // namespace

void match_names(const PythonFile& file, const ImportPlan& plan, FindingSink& sink) {
    NameMatcher(file, plan, sink).run();
}

}  // namespace migrator
