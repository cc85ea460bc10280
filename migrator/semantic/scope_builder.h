// ScopeBuilder: one walk over a tree that fills a FileModel: which scope and region each node is in, and what is bound.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "migrator/semantic/file_model.h"

namespace migrator {

class ScopeBuilder {
public:
    explicit ScopeBuilder(FileModel& model) : model_(model), tree_(model.tree) {}
    void run();

private:
    // scope_builder.cpp: scopes and regions
    void place(NodeId node);
    void place_in_definition(NodeId node, NodeId definition);
    void place_in_statement(NodeId node, NodeId statement);
    void place_outside_function(NodeId node, NodeId parameter);
    void enter(NodeId node);
    ScopeId add_scope(ScopeKind kind, ScopeId parent, NodeId node, std::string_view name = {});
    RegionId add_region(RegionId parent, BranchId branch);
    RegionId add_arm(BranchId branch, NodeId block);
    BranchId add_branch(BranchKind kind, NodeId node, bool exhaustive);
    void enter_function(NodeId node);
    void enter_class(NodeId node);
    void enter_match(NodeId node);
    bool exits(NodeId block) const;
    bool is_first_for_clause(NodeId clause) const;

    // binding_collector.cpp: what statements and expressions bind
    void collect(NodeId node);
    void collect_assignment(NodeId node);
    void collect_parameters(NodeId parameters, ScopeId scope, bool is_method);
    void collect_type_parameters(NodeId node, ScopeId scope);
    void collect_as_pattern(NodeId node);
    void collect_pattern_name(NodeId node);
    void collect_redirects(NodeId node, bool global);
    void collect_type_alias(NodeId node);
    NodeId type_alias_name(NodeId node) const;
    void collect_return(NodeId node);
    void bind_targets(ScopeId scope, NodeId target, Binding binding);
    void bind(ScopeId scope, Binding binding);
    void bind_attribute(const Binding& binding);
    void ignore(NodeId node) {
        if (node != kNoNode) model_.role_of[node] = Role::none;
    }

    // import_collector.cpp
    void collect_import(NodeId node);
    void collect_from_import(NodeId node);
    void collect_future_import(NodeId node);
    ImportedName new_import(NodeId statement, NodeId node) const;
    void add_import(ImportedName imported, NodeId target);

    // symbol_table.cpp: bindings to symbols, once all scopes are known
    void make_symbols();
    std::vector<NameId> read_names();
    void add_star_names();
    bool brings_known_names(const ImportedName& star) const;
    bool brings(const ImportedName& star, std::string_view name) const;
    void add_attributes();
    void order_bindings(std::size_t first);
    ScopeId nonlocal_scope(ScopeId scope, NameId name) const;
    ScopeId class_of_object(NodeId object) const;
    SymbolId symbol_for(ScopeId scope, NameId name, bool attribute);

    struct PendingBinding {
        ScopeId scope = kModuleScope;
        NameId name = kNoName;
        Binding binding;
    };

    FileModel& model_;
    const SyntaxTree& tree_;
    std::unordered_map<NodeId, BranchId> branch_of_;
    std::vector<PendingBinding> pending_;
    std::vector<Binding> attribute_bindings_;
};

}  // namespace migrator
