#include "migrator/semantic/bindings.h"

#include <algorithm>
#include <unordered_map>

#include "migrator/semantic/evaluator.h"
#include "migrator/semantic/file_model.h"
#include "migrator/semantic/scope_builder.h"
#include "migrator/semantic/string_literal.h"

namespace migrator {

// What stays of the analysis. Meanings are shared: `list_of` gives each node the number of one.
struct Bindings::Data {
    Data(const SyntaxTree& tree, const TypeFacts& facts, const ModuleContext& context) : model(tree, facts, context) {}

    FileModel model;
    std::vector<ListId> list_of;                     // by node
    std::vector<std::vector<Reference>> references;  // by list
    std::vector<std::optional<Reference>> types;     // by list
    // Of each symbol, in source order; the second list has where those of a symbol begin, and where all end.
    std::vector<BindingSite> sites;
    std::vector<std::size_t> sites_of_symbol{0};
    std::vector<NodeId> reads;
    std::vector<std::size_t> reads_of_symbol{0};
};

namespace {

// A variable of a class body and the attribute of the same name are one: `x = 1` and `self.x = 2`.
base::InlineVector<SymbolId, 2> same_variable(const FileModel& model, SymbolId symbol) {
    base::InlineVector<SymbolId, 2> out{symbol};
    const Symbol& s = model.symbols[symbol];
    if (model.scopes[s.scope].kind != ScopeKind::class_) return out;
    const auto twin = s.attribute ? model.variable(s.scope, s.name) : model.attribute(s.scope, s.name);
    if (twin) out.push_back(*twin);
    return out;
}

}  // namespace

class BindingsBuilder {
public:
    BindingsBuilder(const SyntaxTree& tree, const TypeFacts& facts, const ModuleContext& context)
        : data_(std::make_shared<Bindings::Data>(tree, facts, context)), tree_(tree) {}

    Bindings run() {
        FileModel& model = data_->model;
        ScopeBuilder(model).run();
        Evaluator evaluator(model);
        evaluator.run();
        // From here on every expression has its meaning.
        data_->list_of = evaluator.list_of();
        for (ListId id = 0; id < evaluator.lists().size(); ++id) {
            data_->references.push_back(references(evaluator.lists()[id]));
            data_->types.push_back(type(evaluator.lists()[id], evaluator));
        }
        collect_reads();
        collect_sites();
        model.region_of = {};  // only the analysis needs it
        Bindings out;
        out.external_ = external_expressions();
        out.imports_ = model.imports;
        out.data_ = std::move(data_);
        return out;
    }

private:
    std::vector<Reference> references(const Candidates& candidates) const {
        std::vector<Reference> out;
        for (const Candidate& c : candidates) {
            if (c.kind != CandidateKind::ordinary && c.kind != CandidateKind::none_literal) continue;
            if (c.name == kNoName) continue;
            const Reference reference{std::string(data_->model.names.text(c.name)), c.origin, c.certainty};
            const auto same = [&](const Reference& r) {
                return r.name == reference.name && r.origin == reference.origin;
            };
            if (std::ranges::none_of(out, same)) out.push_back(reference);
        }
        return out;
    }

    // The class that all candidates agree on; those of unknown class leave it likely.
    std::optional<Reference> type(const Candidates& candidates, Evaluator& evaluator) const {
        std::optional<Reference> out;
        bool open = false;
        for (const Candidate& c : candidates) {
            if (c.kind == CandidateKind::none_literal) continue;
            const std::optional<Reference> found = c.has_type() ? evaluator.class_reference(c) : std::nullopt;
            if (!found) {
                open = true;
            } else if (!out) {
                out = found;
            } else if (out->name != found->name || out->origin != found->origin) {
                return std::nullopt;
            } else {
                out->certainty = weaker(out->certainty, found->certainty);
            }
        }
        if (out && open) out->certainty = weaker(out->certainty, Certainty::likely);
        return out;
    }

    void collect_reads() {
        const FileModel& model = data_->model;
        std::vector<std::vector<NodeId>> own(model.symbols.size());
        for (NodeId node = 0; node < tree_.size(); ++node) {
            const Role role = model.role_of[node];
            if (model.symbol_of[node] != kNone && (role == Role::read || role == Role::reads_and_binds))
                own[model.symbol_of[node]].push_back(node);
        }
        std::vector<NodeId>& reads = data_->reads;
        for (SymbolId symbol = 0; symbol < own.size(); ++symbol) {
            const auto begin = static_cast<std::ptrdiff_t>(reads.size());
            for (const SymbolId same : same_variable(model, symbol))
                reads.insert(reads.end(), own[same].begin(), own[same].end());
            std::sort(reads.begin() + begin, reads.end());
            data_->reads_of_symbol.push_back(reads.size());
        }
    }

    void collect_sites() {
        const FileModel& model = data_->model;
        std::vector<BindingSite>& sites = data_->sites;
        for (SymbolId symbol = 0; symbol < model.symbols.size(); ++symbol) {
            const auto begin = static_cast<std::ptrdiff_t>(sites.size());
            for (const SymbolId same : same_variable(model, symbol)) {
                for (const Binding& binding : model.bindings_of(same)) {
                    if (binding.kind == BindingKind::declared || binding.kind == BindingKind::deleted) continue;
                    const bool exact = binding.kind == BindingKind::value || binding.kind == BindingKind::parameter;
                    sites.push_back({binding.target, exact ? binding.value : kNoNode});
                }
            }
            std::ranges::sort(sites.begin() + begin, sites.end(), {}, &BindingSite::target);
            data_->sites_of_symbol.push_back(sites.size());
        }
    }

    // Shorter prefixes of a chain first: they begin at the same place and end earlier.
    std::vector<NodeId> external_expressions() const {
        std::vector<NodeId> out;
        for (NodeId node = 0; node < tree_.size(); ++node) {
            const NodeKind kind = tree_.kind(node);
            if (kind != NodeKind::identifier && kind != NodeKind::attribute) continue;
            const auto& found = data_->references[data_->list_of[node]];
            const auto external = [](const Reference& r) { return r.origin == Origin::external; };
            if (std::ranges::any_of(found, external)) out.push_back(node);
        }
        std::ranges::sort(out, {},
                          [&](NodeId node) { return std::pair(tree_.range(node).begin, tree_.range(node).end); });
        return out;
    }

    std::shared_ptr<Bindings::Data> data_;
    const SyntaxTree& tree_;
};

namespace {

// The symbol's own part of a list of all symbols.
template <class T>
std::span<const T> part_of(const std::vector<T>& all, const std::vector<std::size_t>& ends, const FileModel& model,
                           NodeId node) {
    const SymbolId symbol = node < model.symbol_of.size() ? model.symbol_of[node] : kNone;
    if (symbol == kNone) return {};
    return std::span(all).subspan(ends[symbol], ends[symbol + 1] - ends[symbol]);
}

// See Bindings::shared_name.
std::string shared_name_of(const FileModel& model, const Symbol& symbol) {
    const std::string_view owner = model.names.text(model.scopes[symbol.scope].qualified);
    const ScopeKind kind = model.scopes[symbol.scope].kind;
    if (owner.empty() || (kind != ScopeKind::module && kind != ScopeKind::class_)) return {};
    const std::string_view name = model.names.text(symbol.name);
    if (owner.size() + name.size() > NameTable::kMaxNameBytes) return {};
    return std::string(owner) + "." + std::string(name);
}

}  // namespace

Bindings Bindings::analyse(const SyntaxTree& tree, const TypeFacts& facts, const ModuleContext& context) {
    return BindingsBuilder(tree, facts, context).run();
}

std::span<const Reference> Bindings::references(NodeId expression) const {
    // Broken code has nodes without the child one expects; nothing is known of kNoNode.
    if (expression >= data_->list_of.size()) return {};
    return data_->references[data_->list_of[expression]];
}

std::optional<Reference> Bindings::type_of(NodeId expression) const {
    if (expression >= data_->list_of.size()) return std::nullopt;
    return data_->types[data_->list_of[expression]];
}

std::optional<std::string> Bindings::constant_string(NodeId expression) const {
    return string_literal_value(data_->model.tree, expression);
}

std::size_t Bindings::bytes() const {
    const FileModel& model = data_->model;
    // What there is of every node is most of it; beside it is what hash tables keep of a variable.
    constexpr std::size_t kOfNode = sizeof(ListId) + sizeof(ScopeId) + sizeof(Role) + sizeof(SymbolId);
    constexpr std::size_t kOfSymbol = sizeof(Symbol) + 64;
    constexpr std::size_t kOfList =
        sizeof(std::vector<Reference>) + sizeof(Reference) + sizeof(std::optional<Reference>);
    return model.tree.size() * kOfNode + model.symbols.size() * kOfSymbol + model.bindings.size() * sizeof(Binding) +
           data_->references.size() * kOfList + data_->reads.size() * sizeof(data_->reads[0]) +
           data_->sites.size() * sizeof(data_->sites[0]);
}

ScopeKind Bindings::scope_kind(ScopeId scope) const { return data_->model.scopes[scope].kind; }

ScopeId Bindings::parent_scope(ScopeId scope) const { return data_->model.scopes[scope].parent; }

ScopeId Bindings::scope_at(NodeId node) const {
    return node < data_->model.scope_of.size() ? data_->model.scope_of[node] : kModuleScope;
}

bool Bindings::is_name_taken(ScopeId scope, std::string_view name) const {
    const FileModel& model = data_->model;
    for (const ImportedName& imported : imports_) {
        if (imported.name == "*" &&
            std::ranges::binary_search(model.facts.star_names(imported.module), name, std::less<>{}))
            return true;
    }
    const auto id = model.names.find(name);
    if (!id) return false;
    for (;; scope = model.scopes[scope].parent) {
        if (model.variable(scope, *id) || model.redirects.contains(FileModel::key(scope, *id))) return true;
        if (scope == kModuleScope) return false;
    }
}

std::string Bindings::shared_name(NodeId identifier) const {
    const FileModel& model = data_->model;
    const SymbolId symbol = identifier < model.symbol_of.size() ? model.symbol_of[identifier] : kNone;
    return symbol == kNone ? std::string() : shared_name_of(model, model.symbols[symbol]);
}

std::uint32_t Bindings::hash_of(std::string_view shared_name) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(shared_name));
}

std::vector<std::uint32_t> Bindings::shared_name_hashes() const {
    std::vector<std::uint32_t> out;
    for (const Symbol& symbol : data_->model.symbols) {
        const std::string name = shared_name_of(data_->model, symbol);
        if (!name.empty()) out.push_back(hash_of(name));
    }
    for (const std::vector<Reference>& references : data_->references) {
        for (const Reference& reference : references) {
            if (reference.origin != Origin::external) out.push_back(hash_of(reference.name));
        }
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

BindingSites Bindings::binding_sites(NodeId identifier) const {
    return part_of(data_->sites, data_->sites_of_symbol, data_->model, identifier);
}

std::span<const NodeId> Bindings::reads(NodeId identifier) const {
    return part_of(data_->reads, data_->reads_of_symbol, data_->model, identifier);
}

}  // namespace migrator
