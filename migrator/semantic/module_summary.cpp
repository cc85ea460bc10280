#include "migrator/semantic/module_summary.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "migrator/semantic/evaluator.h"
#include "migrator/semantic/project_modules.h"
#include "migrator/semantic/scope_builder.h"
#include "migrator/semantic/string_literal.h"

namespace migrator {
namespace {

class Summariser {
public:
    Summariser(const SyntaxTree& tree, const TypeFacts& facts, const ModuleContext& context)
        : model_(tree, facts, context) {
        ScopeBuilder(model_).run();
    }

    ModuleSummary run() {
        Evaluator evaluator(model_, true);
        evaluator_ = &evaluator;
        ModuleSummary out;
        out.module = model_.context.module_name;
        for (SymbolId symbol = 0; symbol < model_.symbols.size(); ++symbol)
            symbols_of_[model_.symbols[symbol].scope].push_back(symbol);
        for (const SymbolId symbol : symbols_of_[kModuleScope]) {
            const Symbol& s = model_.symbols[symbol];
            if (!s.attribute) out.names.emplace(model_.names.text(s.name), meanings(evaluator.last_value(symbol)));
        }
        const CodeStandings standings = code_standings(model_.tree);
        out.code = code_names(model_.tree, standings);
        out.lazy = lazy_names(model_.tree, model_.imports);
        for (LazyName& lazy : out.lazy) lazy.meaning = resolve_module(model_.context, lazy.meaning).name;
        for (const ImportedName& imported : model_.imports) {
            if (!imported.type_checking_only)
                out.imports.push_back(
                    {imported.name == "*" ? imported.module : imported.qualified(), standings[imported.statement]});
            if (imported.name == "*" && imported.scope == kModuleScope) out.stars.push_back(imported.module);
        }
        add_imports_by_text(standings, out);
        for (ScopeId scope = 0; scope < model_.scopes.size(); ++scope) add_scope(scope, out);
        return out;
    }

private:
    // __import__("a.b"), importlib.import_module("a.b")
    void add_imports_by_text(const CodeStandings& standings, ModuleSummary& out) const {
        const SyntaxTree& tree = model_.tree;
        for (NodeId id = 0; id < tree.size(); ++id) {
            if (tree.kind(id) != NodeKind::call) continue;
            const std::string_view function = tree.text(tree.child(id, Field::function));
            if (function != "__import__" && function != "import_module" && !function.ends_with(".import_module"))
                continue;
            const NodeList given = tree.named_children(tree.child(id, Field::arguments));
            if (given.empty()) continue;
            const NodeId first = given.front();
            const bool by_name = tree.kind(first) == NodeKind::keyword_argument;
            const auto module = string_literal_value(tree, by_name ? tree.child(first, Field::value) : first);
            // A relative name is relative to an argument.
            if (module && !module->empty() && !module->starts_with('.'))
                out.imports.push_back({resolve_module(model_.context, *module).name, standings[id]});
        }
    }

    // Classes and functions that others can reach: not those inside functions.
    void add_scope(ScopeId scope, ModuleSummary& out) {
        const Scope& s = model_.scopes[scope];
        if (scope == kModuleScope || !is_reachable(s.parent)) return;
        const std::string name(model_.names.text(s.qualified));
        if (name.empty()) return;
        if (s.kind == ScopeKind::function) {
            out.results.emplace(name, meanings(evaluator_->result_of_function(s.node)));
            out.parameters.emplace(name, positional_parameters(scope));
        }
        if (s.kind == ScopeKind::class_) out.classes.emplace(name, class_summary(scope));
    }

    std::vector<std::string> positional_parameters(ScopeId scope) const {
        const SyntaxTree& tree = model_.tree;
        const NodeId function = model_.scopes[scope].node;
        const NodeId parameters = tree.child(function, Field::parameters);
        std::vector<std::string> out;
        if (parameters == kNoNode) return out;
        for (const NodeId parameter : operands(tree, parameters)) {
            const NodeKind kind = tree.kind(parameter);
            if (kind == NodeKind::positional_separator) continue;
            NodeId name = tree.child(parameter, Field::name);
            if (name == kNoNode) name = kind == NodeKind::typed_parameter ? tree.first_child(parameter) : parameter;
            if (tree.kind(name) != NodeKind::identifier) break;  // *rest and *: the others have keywords
            out.emplace_back(tree.text(name));
        }
        const bool has_self = model_.class_around(scope) != kNone && !has_decorator(tree, function, "staticmethod");
        if (has_self && !out.empty()) out.erase(out.begin());
        return out;
    }

    bool is_reachable(ScopeId scope) const {
        for (; scope != kModuleScope; scope = model_.scopes[scope].parent) {
            const ScopeKind kind = model_.scopes[scope].kind;
            if (kind != ScopeKind::class_ && kind != ScopeKind::type_parameters) return false;
        }
        return true;
    }

    ClassSummary class_summary(ScopeId scope) {
        ClassSummary out;
        const Evaluator::BaseNames bases = evaluator_->base_names(scope);
        out.open = bases.unknown;
        for (const NameId base : bases.names) out.bases.emplace_back(model_.names.text(base));
        for (const SymbolId symbol : symbols_of_[scope]) {
            Meanings& members = out.members[std::string(model_.names.text(model_.symbols[symbol].name))];
            for (Meaning& meaning : meanings(evaluator_->member_value(symbol))) {
                if (!base::contains(members, meaning)) members.push_back(std::move(meaning));
            }
        }
        for (const std::string_view hook : {"__getattr__", "__getattribute__", "__new__"})
            out.open = out.open || out.members.contains(hook);
        return out;
    }

    Meanings meanings(const Candidates& candidates) const {
        Meanings out;
        for (const Candidate& c : candidates) {
            if (c.kind == CandidateKind::ordinary) out.push_back(meaning(c));
        }
        if (out.empty()) out.push_back({});
        return out;
    }

    Meaning meaning(const Candidate& c) const {
        Meaning out;
        out.certainty = c.certainty;
        const bool object = c.name != kNoName && !c.is_value && c.certainty != Certainty::textual &&
                            (c.origin == Origin::external || c.origin == Origin::project);
        if (object) {
            out.name = model_.names.text(c.name);
            out.origin = c.origin;
        }
        if (!c.has_type()) return out;
        std::string_view type = model_.names.text(c.type);
        if (c.type_scope != kNone) type = model_.names.text(model_.scopes[c.type_scope].qualified);
        out.type_is_called = type.ends_with(Evaluator::kCalled);
        if (out.type_is_called) type.remove_suffix(Evaluator::kCalled.size() + 1);
        out.type = type;
        out.type_certainty = c.type_certainty;
        return out;
    }

    FileModel model_;
    std::unordered_map<ScopeId, std::vector<SymbolId>> symbols_of_;
    Evaluator* evaluator_ = nullptr;
};

}  // namespace

ModuleSummary summarise(const SyntaxTree& tree, const TypeFacts& facts, const ModuleContext& context) {
    return Summariser(tree, facts, context).run();
}

}  // namespace migrator
