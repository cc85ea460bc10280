#include "migrator/rewrite/import_requests.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "migrator/rewrite/run_order.h"
#include "migrator/source/notebook.h"

namespace migrator {
namespace {

bool imports(const ImportedName& import, std::string_view module) {
    return !import.type_checking_only &&
           (is_within(import.module, module) || (!import.name.empty() && import.qualified() == module));
}

bool has_line(std::string_view text, std::string_view line) {
    for (std::size_t at = text.find(line); at != text.npos; at = text.find(line, at + 1)) {
        const std::size_t end = at + line.size();
        const bool begins = at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r';
        if (begins && (end == text.size() || text[end] == '\n' || text[end] == '\r')) return true;
    }
    return false;
}

class Placer {
public:
    Placer(const ParsedText& parsed, const std::vector<AcceptedFix>& fixes, const MatchContext& context)
        : tree_(*parsed.tree),
          bindings_(*parsed.bindings),
          cells_(parsed.cells),
          fixes_(fixes),
          order_(tree_, bindings_),
          helper_package_(context.helper_package),
          loads_framework_(loads_framework(bindings_, context)) {
        std::uint64_t line_end = 0;
        for (const ImportedName& import : bindings_.imports()) {
            const base::ByteRange range = tree_.range(import.statement);
            if (range.end > line_end) line_end = end_of_line(range.end);
            imports_.insert_or_assign(range.begin, ImportPlace{range.end, line_end});
            if (!import.name.empty()) imported_names_.insert(key(tree_.range(import.node)));
        }
        for (const AcceptedFix& accepted : fixes) {
            for (const Edit& edit : accepted.fix->edits) edited_.insert(key(edit.range));
        }
    }

    // Whether the fix needs the module bound.
    bool needs(const AcceptedFix& accepted, const ImportRequest& request) const {
        const auto& requests = accepted.fix->imports;
        if (!base::contains(requests, request)) return false;
        return !request.when_named || writes(*accepted.fix, request.module);
    }

    void place(const ImportRequest& request, ImportEdits& out) const {
        if (is_bound_by_fix(request)) return;
        const std::uint64_t needed = first_need(request);
        if (is_imported(request, kModuleScope, needed)) return;
        const ImportedName* unconditional = nullptr;
        const ImportedName* conditional = nullptr;
        std::vector<const ImportedName*> local;
        for (const ImportedName& import : bindings_.imports()) {
            if (!imports(import, request.after)) continue;
            if (is_in_function(import.scope)) local.push_back(&import);
            else if (!import.conditional && unconditional == nullptr) unconditional = &import;
            else if (import.conditional && conditional == nullptr) conditional = &import;
        }
        // A statement that changes in front of the chosen one would miss the new module.
        const ImportedName* chosen = unconditional != nullptr ? unconditional : conditional;
        if (chosen != nullptr && tree_.range(chosen->statement).begin <= needed) {
            // It may stand in the body of a class, where the module can be imported as well.
            if (!is_imported(request, chosen->scope, needed))
                out.edits.push_back({insertion_at(*chosen, request), needing(request)});
        } else if (chosen == nullptr && !local.empty() && !is_needed_outside(request)) {
            insert_into_functions(local, request, out.edits);
        } else if (chosen != nullptr || !local.empty() || request.when_named || loads_framework_ ||
                   knows(request.after) || is_written(request)) {
            const std::vector<std::size_t> owners = needing(request);
            const std::uint64_t limit = chosen != nullptr ? needed : first_fix();
            auto edit = insertion_behind_first_imports(request, limit);
            if (!edit && chosen != nullptr) edit = insertion_at(*chosen, request);
            if (edit) out.edits.push_back({std::move(*edit), owners});
            else out.unplaced.insert(out.unplaced.end(), owners.begin(), owners.end());
        }
    }

private:
    using Place = std::pair<std::uint64_t, std::uint64_t>;  // begin and end
    struct ImportPlace {
        std::uint64_t end;
        std::uint64_t line_end;
    };
    static Place key(base::ByteRange range) { return {range.begin, range.end}; }

    // Where the module must be bound at the latest.
    std::uint64_t first_need(const ImportRequest& request) const {
        std::uint64_t out = tree_.source().size();
        for (const std::size_t fix : needing(request))
            out = std::min(out, order_.first_run(fixes_[fix].range.begin).value_or(out));
        return out;
    }

    bool is_needed_outside(const ImportRequest& request) const {
        return std::ranges::any_of(needing(request),
                                   [&](std::size_t fix) { return order_.runs_with_module(fixes_[fix].range.begin); });
    }

    std::uint64_t first_fix() const {
        std::uint64_t out = tree_.source().size();
        for (const AcceptedFix& accepted : fixes_) out = std::min(out, accepted.range.begin);
        return out;
    }

    // The fixes that need the module bound.
    std::vector<std::size_t> needing(const ImportRequest& request) const {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < fixes_.size(); ++i) {
            if (!fixes_[i].fix->edits.empty() && needs(fixes_[i], request)) out.push_back(i);
        }
        return out;
    }

    // A fix writes an expression with the module's name.
    bool is_written(const ImportRequest& request) const {
        return std::ranges::any_of(needing(request),
                                   [&](std::size_t fix) { return writes(*fixes_[fix].fix, request.module + "."); });
    }

    // Outside of imports.
    bool writes(const Fix& fix, std::string_view text) const {
        return std::ranges::any_of(fix.edits, [&](const Edit& edit) {
            return edit.replacement.find(text) != std::string::npos && !is_in_import(edit);
        });
    }

    // The edit is made in an import statement, or inserts another one behind the line of one.
    bool is_in_import(const Edit& edit) const {
        const auto behind = imports_.upper_bound(edit.range.begin);
        if (behind == imports_.begin()) return false;
        const ImportPlace& place = std::prev(behind)->second;
        const bool inserts = edit.range.begin == edit.range.end;
        return edit.range.begin <= (inserts ? place.line_end : place.end);
    }

    std::string statement(const ImportRequest& request) const {
        if (request.when_named && !helper_package_.empty())
            return base::format("from {} import {}", helper_package_, request.module);
        return base::format("import {}", request.module);
    }

    // In a function, or in a class inside of one.
    bool is_in_function(ScopeId scope) const {
        while (bindings_.scope_kind(scope) == ScopeKind::class_) scope = bindings_.parent_scope(scope);
        return bindings_.scope_kind(scope) != ScopeKind::module;
    }

    // A module that another is to follow may only have lent its names (`from torch import *`): what counts is whether
    // the name is bound. Of the others any import will do, as it loads them.
    bool is_imported(const ImportRequest& request, ScopeId scope, std::uint64_t needed) const {
        auto all = bindings_.imports();
        return std::any_of(all.begin(), all.end(), [&](const ImportedName& import) {
            return import.scope == scope && binds(import, request) && tree_.range(import.statement).begin <= needed;
        });
    }

    bool binds(const ImportedName& import, const ImportRequest& request) const {
        const bool is_helper = request.when_named && !helper_package_.empty();
        const std::string module = is_helper ? helper_package_ + "." + request.module : request.module;
        if (!imports(import, module)) return false;
        if (request.when_named) return import.bound_name == request.module;
        return request.module != request.after || import.bound_name == request.module;
    }

    // Something in the file refers to the module, whoever imports it.
    bool knows(std::string_view module) const {
        auto all = bindings_.external_expressions();
        return std::any_of(all.begin(), all.end(), [&](NodeId id) {
            auto references = bindings_.references(id);
            return std::any_of(references.begin(), references.end(),
                               [&](const Reference& reference) { return is_within(reference.name, module); });
        });
    }

    // Another fix writes the statement, or makes it out of one that is there.
    bool is_bound_by_fix(const ImportRequest& request) const {
        return std::any_of(fixes_.begin(), fixes_.end(), [&](const AcceptedFix& accepted) {
            return std::any_of(accepted.fix->edits.begin(), accepted.fix->edits.end(), [&](const Edit& edit) {
                return has_line(edit.replacement, statement(request)) ||
                       (edit.replacement == request.module && is_imported_name(edit.range));
            });
        });
    }

    // What stands behind the `import` of a `from` statement.
    bool is_imported_name(base::ByteRange range) const { return imported_names_.contains(key(range)); }

    // An edit is in the statement, or takes more than it away.
    bool changes(NodeId statement) const {
        const base::ByteRange range = tree_.range(statement);
        const auto behind = edited_.upper_bound({range.end, UINT64_MAX});
        return behind != edited_.begin() &&
               std::max(std::prev(behind)->second, std::prev(behind)->first + 1) > range.begin;
    }

    Edit insertion_at(const ImportedName& import, const ImportRequest& request) const {
        return insertion_at(import.statement, statement(request));
    }
    Edit insertion_at(NodeId statement, const std::string& import) const {
        return changes(statement) ? before(statement, import) : behind(statement, import);
    }

    void insert_into_functions(const std::vector<const ImportedName*>& local, const ImportRequest& request,
                               std::vector<OwnedEdit>& out) const {
        std::set<ScopeId> bound;
        for (const ImportedName& import : bindings_.imports()) {
            if (binds(import, request)) bound.insert(import.scope);
        }
        std::vector<std::size_t> all = needing(request);
        const auto begin_of = [&](std::size_t fix) { return fixes_[fix].range.begin; };
        std::ranges::stable_sort(all, {}, begin_of);
        std::set<NodeId> done;
        for (const ImportedName* import : local) {
            NodeId function = tree_.ancestor(import->statement, NodeKind::function_definition);
            if (function == kNoNode || bound.contains(import->scope)) continue;
            const base::ByteRange body = tree_.range(function);
            const auto first = std::ranges::lower_bound(all, body.begin, {}, begin_of);
            const auto last = std::ranges::lower_bound(all, body.end, {}, begin_of);
            if (first == last || !done.insert(function).second) continue;
            // What stands in front of the body is computed outside of the function.
            const NodeId block = tree_.child(function, Field::body);
            const auto inside = std::ranges::lower_bound(all, tree_.range(block).begin, {}, begin_of);
            const bool is_late = inside != last && begin_of(*inside) < tree_.range(import->statement).begin;
            const NodeId user = is_late ? statement_at(block, begin_of(*inside)) : kNoNode;
            Edit edit =
                is_late && !is_behind_magic(user) ? before(user, statement(request)) : insertion_at(*import, request);
            out.push_back({std::move(edit), {first, last}});
        }
    }

    // The statement of the block that has this place.
    NodeId statement_at(NodeId block, std::uint64_t at) const {
        const NodeList statements = tree_.named_children(block);
        const auto found =
            std::ranges::find_if(statements, [&](NodeId statement) { return at < tree_.range(statement).end; });
        return found == statements.end() ? statements.back() : *found;
    }

    // In front of the statement with this place at the latest; not between the statements of one line.
    std::optional<Edit> insertion_behind_first_imports(const ImportRequest& request, std::uint64_t needed) const {
        NodeId last = kNoNode, user = kNoNode;
        bool is_over = false;
        for (NodeId statement : tree_.named_children(tree_.root())) {
            const NodeKind kind = tree_.kind(statement);
            const bool import = kind == NodeKind::import_statement || kind == NodeKind::import_from_statement;
            if (needed < tree_.range(statement).end) user = needed < tree_.range(statement).begin ? kNoNode : statement;
            if (needed < tree_.range(statement).end) break;
            if (import && !is_over) last = statement;
            else if (last != kNoNode && kind != NodeKind::comment && kind != NodeKind::future_import_statement)
                is_over = true;
        }
        const bool has_place = last != kNoNode && !is_followed_on_line(tree_.range(last).end);
        if (!has_place && user != kNoNode && !is_behind_magic(user)) return before(user, statement(request));
        if (last == kNoNode) return std::nullopt;
        return insertion_at(last, statement(request));
    }

    std::size_t line_begin(std::size_t at) const {
        std::string_view text = tree_.source();
        while (at > 0 && text[at - 1] != '\n' && text[at - 1] != '\r') --at;
        return at;
    }

    // The blanks in front of a statement that has its line for itself; nullopt behind `if x:` or `a;`.
    std::optional<std::string_view> indent(NodeId statement) const {
        std::size_t begin = tree_.range(statement).begin;
        std::size_t start = line_begin(begin);
        std::string_view blanks = tree_.source().substr(start, begin - start);
        if (blanks.find_first_not_of(" \t\f") != blanks.npos) return std::nullopt;
        return blanks;
    }

    std::string_view line_end_at(std::size_t at) const {
        std::string_view text = tree_.source();
        if (text.substr(at).starts_with("\r\n")) return "\r\n";
        if (at < text.size()) return text.substr(at, 1);
        // The last line has none: as the first line does it.
        std::size_t first = text.find_first_of("\r\n");
        return first == text.npos ? "\n" : text.substr(first).starts_with("\r\n") ? "\r\n" : text.substr(first, 1);
    }

    std::size_t end_of_line(std::size_t at) const {
        std::string_view text = tree_.source();
        while (at < text.size() && text[at] != '\n' && text[at] != '\r') ++at;
        return at;
    }

    // `import torch; torch.f()`: what follows may need the new module.
    bool is_followed_on_line(std::size_t at) const {
        std::string_view text = tree_.source();
        at = std::min(text.find_first_not_of(" \t", at), text.size());
        if (at == text.size() || text[at] != ';') return false;
        at = std::min(text.find_first_not_of(" \t;", at), text.size());
        return at < text.size() && text[at] != '\n' && text[at] != '\r' && text[at] != '#';
    }

    Edit behind(NodeId statement, const std::string& import) const {
        std::uint64_t end = tree_.range(statement).end;
        NodeId block = tree_.parent(statement);
        bool in_line_block = !indent(statement) && block != kNoNode && tree_.kind(block) == NodeKind::block &&
                             tree_.range(block).begin >= line_begin(end);
        if (in_line_block || is_followed_on_line(end)) return {{end, end}, "; " + import};
        std::size_t at = end_of_line(end);
        // `import os; import torch`: the new line is indented like the first statement of the line.
        std::string_view text = tree_.source();
        std::size_t start = line_begin(tree_.range(statement).begin);
        std::size_t blanks = std::min(text.find_first_not_of(" \t\f", start), text.size()) - start;
        return {{at, at}, base::format("{}{}{}", line_end_at(at), text.substr(start, blanks), import)};
    }

    bool is_behind_magic(NodeId statement) const {
        return cells_ != nullptr && cells_->is_behind_magic(tree_.range(statement).begin);
    }

    Edit before(NodeId statement, const std::string& import) const {
        std::uint64_t begin = tree_.range(statement).begin;
        auto blanks = indent(statement);
        if (!blanks) return {{begin, begin}, import + "; "};
        return {{begin, begin}, base::format("{}{}{}", import, line_end_at(end_of_line(begin)), *blanks)};
    }

    const SyntaxTree& tree_;
    const Bindings& bindings_;
    const CellText* cells_;
    const std::vector<AcceptedFix>& fixes_;
    const RunOrder order_;
    const std::string& helper_package_;
    const bool loads_framework_;
    std::map<std::uint64_t, ImportPlace> imports_;  // by where the statement begins
    std::set<Place> imported_names_;                // what stands behind the `import` of `from` statements
    std::set<Place> edited_;                        // by the fixes
};

}  // namespace

ImportEdits import_edits(const ParsedText& parsed, const std::vector<AcceptedFix>& fixes, const MatchContext& context) {
    Placer placer(parsed, fixes, context);
    std::vector<ImportRequest> requests;
    for (const AcceptedFix& accepted : fixes) {
        // What follows another edit, like a use of an alias, needs nothing of its own.
        if (accepted.fix->edits.empty()) continue;
        for (const ImportRequest& request : accepted.fix->imports) {
            const bool known = base::contains(requests, request);
            if (!known && placer.needs(accepted, request)) requests.push_back(request);
        }
    }
    std::sort(requests.begin(), requests.end(),
              [](const ImportRequest& a, const ImportRequest& b) { return a.module < b.module; });
    ImportEdits out;
    for (const ImportRequest& request : requests) placer.place(request, out);
    return out;
}

}  // namespace migrator
