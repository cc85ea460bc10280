// FileModel: the scopes of a file, its variables and the places that bind them, before anything is resolved.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "migrator/semantic/bindings.h"
#include "migrator/semantic/name_table.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

using SymbolId = std::uint32_t;
using RegionId = std::uint32_t;
using BranchId = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Scope {
    ScopeKind kind = ScopeKind::module;
    ScopeId parent = kModuleScope;  // the module is its own parent
    NodeId node = 0;
    std::uint32_t depth = 0;
    RegionId region = kNone;     // of the module or the function's body
    NameId qualified = kNoName;  // of a class or function: "pkg.train.Net"
};

// A region is code that runs as a whole, or not at all: an arm of an `if`, the body of a loop or handler. Function
// bodies are regions of their own. Within one region a later binding replaces an earlier one.
struct Region {
    RegionId parent = kNone;
    BranchId branch = kNone;  // of which statement it is an arm
    std::uint32_t depth = 0;
    bool exits = false;  // ends with return or raise: nothing flows out of it
};

enum class BranchKind { alternatives, loop, handlers };

struct Branch {
    BranchKind kind = BranchKind::alternatives;
    NodeId node = kNoNode;
    RegionId parent = kNone;
    RegionId first = kNone;   // the loop's or the try's body
    std::uint32_t arms = 0;   // that flow out: without those that exit
    bool exhaustive = false;  // one of the arms runs
};

enum class BindingKind {
    value,      // target = value
    import,     // the import `import`
    star,       // one of the names that the star import `import` brings
    function,   // value: the definition
    class_,     // value: the definition
    parameter,  // value: its default
    self,       // the first parameter of a method
    iteration,  // an element of the value
    context,    // what entering the value gives
    exception,  // an instance of the value
    other,      // bound to something we do not follow
    declared,   // `x: T` without a value
    deleted,
};

struct Binding {
    SymbolId symbol = kNone;
    BindingKind kind = BindingKind::other;
    NodeId target = kNoNode;
    NodeId value = kNoNode;
    NodeId annotation = kNoNode;
    std::uint32_t import = kNone;
    NodeId effect = 0;  // uses from this node on see it
    RegionId region = kNone;
    bool elsewhere = false;  // by `global` or `nonlocal` in another function: at an unknown time
};

// A variable of a scope, or an attribute of the instances of a project class.
struct Symbol {
    NameId name = kNoName;
    ScopeId scope = kModuleScope;
    bool attribute = false;
    std::uint32_t first_binding = 0;
    std::uint32_t binding_count = 0;
    bool bound_elsewhere = false;  // by `global` or `nonlocal` in another function
};

// What an identifier or attribute node is, beyond reading a name.
enum class Role : std::uint8_t { read, binds, reads_and_binds, none };

struct FileModel {
    FileModel(const SyntaxTree& syntax_tree, const TypeFacts& type_facts, const ModuleContext& module_context)
        : tree(syntax_tree), facts(type_facts), context(module_context) {}

    const SyntaxTree& tree;
    const TypeFacts& facts;
    const ModuleContext& context;  // for the analysis only; it may be gone afterwards

    NameTable names;
    std::vector<Scope> scopes;
    std::vector<Region> regions;
    std::vector<Branch> branches;
    std::vector<Symbol> symbols;
    std::vector<Binding> bindings;  // by symbol, then by effect
    std::vector<ImportedName> imports;

    std::vector<ScopeId> scope_of;    // by node: where its names are looked up
    std::vector<RegionId> region_of;  // by node
    std::vector<Role> role_of;        // by node
    std::vector<SymbolId> symbol_of;  // by node: the variable it reads or binds

    std::unordered_map<std::uint64_t, SymbolId> variables;    // by scope and name
    std::unordered_map<std::uint64_t, SymbolId> attributes;   // by class scope and name
    std::unordered_map<std::uint64_t, ScopeId> redirects;     // by scope and name: global and nonlocal
    std::unordered_map<NodeId, ScopeId> scope_of_definition;  // functions, classes, lambdas, comprehensions
    struct Returns {
        std::vector<NodeId> values;  // of the first return statements; kNoNode for a bare one
        bool generator = false;
        bool cut = false;  // there are more
    };
    std::unordered_map<ScopeId, Returns> returns;  // by the function's scope

    static std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

    std::span<const Binding> bindings_of(SymbolId symbol) const {
        const Symbol& s = symbols[symbol];
        return std::span(bindings).subspan(s.first_binding, s.binding_count);
    }

    struct Lookup {
        SymbolId symbol = kNone;
        ScopeId scope = kModuleScope;
        bool later = false;  // the use runs later than the code around it: it is in a function, the variable outside
    };
    // The variable that `name` means in `scope`, by Python's rules; nullopt for builtins and unknown names.
    std::optional<Lookup> lookup(ScopeId scope, NameId name) const { return lookup_from(scope, scope, name); }
    // The same as if the scope itself did not have it.
    std::optional<Lookup> lookup_outside(ScopeId scope, NameId name) const;

    // The scope of a class or function definition; kNone when it has none of its own.
    ScopeId definition_scope(NodeId definition) const;
    // The class whose body defines the function of this scope; kNone when it is no method.
    ScopeId class_around(ScopeId function_scope) const;

    std::optional<SymbolId> variable(ScopeId scope, NameId name) const { return find(variables, scope, name); }
    std::optional<SymbolId> attribute(ScopeId class_scope, NameId name) const {
        return find(attributes, class_scope, name);
    }

private:
    std::optional<Lookup> lookup_from(ScopeId scope, ScopeId user, NameId name) const;
    static std::optional<SymbolId> find(const std::unordered_map<std::uint64_t, SymbolId>& map, ScopeId scope,
                                        NameId name) {
        const auto found = map.find(key(scope, name));
        if (found == map.end()) return std::nullopt;
        return found->second;
    }
};

// Children that are neither punctuation nor comments.
NodeList operands(const SyntaxTree& tree, NodeId node);

// Whether the function is decorated with exactly this name.
bool has_decorator(const SyntaxTree& tree, NodeId function, std::string_view name);

}  // namespace migrator
