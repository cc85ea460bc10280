// Bindings: the names of one Python file, resolved: scopes, imports, assignments, light types.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/semantic/reference.h"
#include "migrator/semantic/type_facts.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

class ProjectIndex;

using ScopeId = std::uint32_t;
inline constexpr ScopeId kModuleScope = 0;

// type_parameters: the names of `def f[T]` and `class C[T]`, around the annotations and the body.
enum class ScopeKind { module, function, class_, comprehension, lambda, type_parameters };

// One imported name: `import a.b`, `import a.b as c`, each name of `from a import b as c`.
struct ImportedName {
    NodeId statement = kNoNode;
    NodeId node = kNoNode;   // the dotted_name or aliased_import inside the statement; the wildcard_import for *
    std::string module;      // absolute where it can be known: "torch.cuda", ".utils" when not
    std::string name;        // the member of `from`, "*" for a wildcard; empty for plain `import`
    std::string bound_name;  // what the scope gets: "torch" for `import torch.cuda`, "c" for `... as c`
    ScopeId scope = kModuleScope;
    Origin origin = Origin::external;  // or project
    bool type_checking_only = false;   // below `if TYPE_CHECKING:`
    bool conditional = false;          // below if / try / except
    std::string qualified() const { return name.empty() ? module : module + "." + name; }
};

// What a variable is bound to at one place: the right side of an assignment, a parameter's default ...
struct BindingSite {
    NodeId target = kNoNode;  // the identifier (or attribute, for `self.x = v`) that is bound
    NodeId value = kNoNode;   // the expression bound to it, when there is exactly one; for a parameter its default
};

using BindingSites = std::span<const BindingSite>;

// What asks every site of a variable asks no variable with more: there may be as many as lines in the file.
inline constexpr std::size_t kMaxBindingSites = 256;

struct ModuleContext {
    std::string module_name;                             // dotted name in the project: "pkg.train"; empty when unknown
    bool is_package = false;                             // an __init__.py
    std::span<const std::string> project_modules = {};   // sorted dotted names of the project's modules and packages
    std::span<const std::string> project_packages = {};  // sorted: those of them that have an __init__.py
    const ProjectIndex* index = nullptr;                 // what these modules mean to each other; nullptr: not known
};

class Bindings {
public:
    // The tree and facts must outlive the result. Never fails.
    static Bindings analyse(const SyntaxTree& tree, const TypeFacts& facts, const ModuleContext& context);

    // What an identifier or attribute expression may refer to: one entry when it is sure, several for conditional
    // bindings (in source order), none for an expression nothing is known of. Attribute chains on typed values give
    // the method or property of the class ("torch.Tensor.cuda"). Definition sites are not references.
    std::span<const Reference> references(NodeId expression) const;

    // All identifier and attribute expressions that have at least one reference of origin external, in source order;
    // of a chain `torch.cuda.amp` every prefix is listed (`torch`, `torch.cuda`, `torch.cuda.amp`).
    std::span<const NodeId> external_expressions() const { return external_; }

    // The class of an expression's value: {"torch.Tensor", ...}; nullopt when it is unknown, or a class whose members
    // are. Sub-classes of the project are reported as their nearest known external base ("torch.nn.Module").
    std::optional<Reference> type_of(NodeId expression) const;

    // The text of a string literal (also implicit concatenation) without prefix and quotes and with escapes resolved;
    // nullopt for f-strings with interpolations and everything that is not a plain str.
    std::optional<std::string> constant_string(NodeId expression) const;

    std::span<const ImportedName> imports() const { return imports_; }

    ScopeKind scope_kind(ScopeId scope) const;
    ScopeId parent_scope(ScopeId scope) const;
    ScopeId scope_at(NodeId node) const;
    // True when `name` is bound anywhere in the scope or one that encloses it: it cannot be used for a new import.
    bool is_name_taken(ScopeId scope, std::string_view name) const;

    // The qualified name by which other files reach the variable, function or class that this identifier (or `self.x`
    // attribute) reads or binds: "pkg.config.DEVICE", "pkg.config.Options.device". Empty for what is inside functions.
    // What is read of another file has such a name in its references, with origin local.
    std::string shared_name(NodeId identifier) const;

    // Hashes of all names that `shared_name` gives and that references of other files have, sorted: a file that lacks the
    // hash of a name has nothing to do with it.
    std::vector<std::uint32_t> shared_name_hashes() const;
    static std::uint32_t hash_of(std::string_view shared_name);

    // Where the variable that this identifier (or `self.x` attribute) reads or binds gets its values, and where it is
    // read; both in source order. Empty for attributes of unknown objects.
    BindingSites binding_sites(NodeId identifier) const;
    std::span<const NodeId> reads(NodeId identifier) const;

    // Memory that they take, roughly.
    std::size_t bytes() const;

private:
    friend class BindingsBuilder;
    struct Data;
    std::shared_ptr<const Data> data_;
    std::vector<NodeId> external_;
    std::vector<ImportedName> imports_;
};

}  // namespace migrator
