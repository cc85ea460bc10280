// Evaluator: what every expression of a file means, on demand and without recursion.
//
// The meaning of an expression needs that of others: of its parts, and of what the variables in it were bound to,
// which may be anywhere. A frame that misses something puts it on the stack and is run again later. An expression that
// needs itself (`x = x.to(device)` in a loop) is run twice: first as if its own part said nothing, then with the first
// answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "migrator/semantic/candidate.h"
#include "migrator/semantic/file_model.h"
#include "migrator/semantic/project_index.h"

namespace migrator {

class Evaluator {
public:
    // `summarising`: for other files, of which nothing is known yet: what calling something of theirs gives is kept as
    // a class named after the callee, with kCalled as its last part.
    explicit Evaluator(FileModel& model, bool summarising = false);
    static constexpr std::string_view kCalled = "()";

    // Evaluates every expression of the file.
    void run();
    const CandidateLists& lists() const { return lists_; }
    const std::vector<ListId>& list_of() const { return list_of_; }  // by node
    // The class of a value that has one: a known class, the nearest known base of a class of this file, or the class
    // itself when it derives from nothing else; nullopt when its members cannot be told.
    std::optional<Reference> class_reference(const Candidate& value);

    // For summaries. What a variable of the module means when the module has run:
    Candidates last_value(SymbolId symbol);
    Candidates member_value(SymbolId symbol);
    Candidates result_of_function(NodeId function);
    struct BaseNames {
        std::vector<NameId> names;  // the bases of this class alone
        bool unknown = false;
    };
    BaseNames base_names(ScopeId class_scope);

private:
    enum class State : std::uint8_t { fresh, active, provisional, done };
    struct Frame {
        NodeId node = kNoNode;
        std::uint32_t low = 0;             // the deepest frame whose unfinished answer this one has used
        std::size_t provisional_mark = 0;  // answers after this one rest on this frame
        bool started = false;
        bool second_round = false;
        ListId tentative = kUnknownList;  // of the first round
    };

    // evaluator.cpp: the stack
    void evaluate(NodeId node);
    void finish(const Candidates& candidates);
    Candidates settled(NodeId node, const Candidates& candidates) const;
    const Candidates& get(NodeId node);
    Candidates compute(NodeId node);
    template <class Compute>
    Candidates complete(const Compute& compute);
    static bool is_expression(NodeKind kind);

    // evaluate_names.cpp: variables and what they are bound to
    Candidates name_value(NodeId node, ScopeId scope, std::string_view name, bool position_counts);
    void add_bindings(const FileModel::Lookup& lookup, NodeId use, bool position_counts, Candidates& out,
                      bool& may_be_outside);
    Candidates symbol_value(SymbolId symbol);
    Candidates binding_value(const Binding& binding);
    Candidates import_value(const Binding& binding);
    Candidates definition_value(const Binding& binding);
    Candidates self_value(const Binding& binding);
    Candidates assigned_value(const Binding& binding);
    void apply_declaration(SymbolId symbol, Candidates& candidates);
    Candidates pattern_value(NodeId dotted_name);

    // evaluate_members.cpp: attributes
    Candidates attribute_value(NodeId node);
    void add_member(const Candidate& object, std::string_view member, NodeId node, Candidates& out);
    void add_class_member(const Candidate& object, ScopeId class_scope, std::string_view member, NodeId node,
                          Candidates& out);
    void add_external_member(const Candidate& object, NameId class_name, std::string_view member, Candidates& out);
    void add_found_member(ScopeId class_scope, NameId member, bool through_instance, NodeId node, Candidates& out);
    void read_property(Candidate& property);
    struct Bases {
        std::vector<ScopeId> project;  // classes of this file, itself first, nearest first
        std::vector<NameId> indexed;   // the nearest classes of other files of the project
        NameId external = kNoName;     // the nearest class outside the project that we know
        bool unknown = false;          // there are bases whose members we cannot tell
    };
    const Bases& bases_of(ScopeId class_scope);
    void add_bases(const Candidates& meanings, std::unordered_set<ScopeId>& seen, std::vector<ScopeId>& found,
                   Bases& out);
    bool add_indexed_base_member(const Candidate& object, const Bases& bases, std::string_view member, Candidates& out);

    // evaluate_calls.cpp: calls and operators
    Candidates call_value(NodeId node);
    void add_call(const Candidate& callee, NodeId call, Candidates& out);
    void add_named_call(const Candidate& callee, NodeId call, Candidates& out);
    bool add_special_call(const Candidate& callee, NodeId call, Candidates& out);
    void add_module(NodeId call, bool root_only, Candidates& out);
    void add_super(NodeId call, Candidates& out);
    void add_method_result(const Candidate& object, std::string_view method, Certainty at_most, Candidates& out);
    Candidates binary_value(NodeId node);
    Candidates comparison_value(NodeId node);
    Candidates operator_value(NodeId left, NodeId right, std::string_view symbol);
    Candidates unary_value(NodeId node);
    Candidates either(NodeId first, NodeId second);
    NodeList arguments(NodeId call) const;
    Candidates function_result(NodeId function);
    Candidates inferred_result(NodeId function);

    // evaluate_displays.cpp: what is written out in lists, dictionaries and constant texts
    Candidates subscript_value(NodeId node);
    NodeList elements(NodeId display, NodeId key) const;
    void add_elements(const Candidate& container, NodeId key, Candidates& out);
    NodeId namespace_owner(NodeId expression) const;
    std::optional<std::string> constant_text(NodeId expression) const;
    std::optional<std::string> constant_text(NodeId expression, int depth) const;
    std::optional<std::string> interpolated_text(NodeId string, int depth) const;

    // evaluate_project.cpp: names of other files
    static constexpr std::string_view kNoMember = " ";
    const ProjectIndex* index() const { return model_.context.index; }
    Candidate from_index(const Meaning& meaning);
    const Candidates& project_value(NameId qualified);
    void add_project_call(const Candidate& callee, Candidates& out);
    bool is_indexed_class(NameId name) const;
    void add_indexed_member(const Candidate& object, NameId class_name, std::string_view member, Candidates& out);
    const ProjectIndex::Members& indexed_members(NameId class_name, std::string_view member);
    std::optional<Reference> indexed_class_reference(const Candidate& value);

    // annotations.cpp
    Candidates annotated_value(NodeId annotation);
    Candidates annotation_text_value(std::string_view text, ScopeId scope);
    void add_annotated(const Candidate& meaning, Candidates& out) const;
    NodeList annotation_arguments(NodeId generic);

    Candidate instance_of(std::string_view class_name, Certainty certainty);
    Candidates unknown_name(NodeId node, std::string_view name);

    FileModel& model_;
    const SyntaxTree& tree_;
    const bool summarising_;
    CandidateLists lists_;
    // What the index has been asked, as most of it is asked often.
    std::unordered_map<NameId, Candidates> project_values_;
    std::unordered_map<NameId, Meanings> project_results_;
    std::unordered_map<std::uint64_t, ProjectIndex::Members> indexed_members_;  // by class and member
    std::unordered_map<ScopeId, Bases> bases_;                                  // final ones
    Bases unfinished_bases_;
    ListId bottom_ = kUnknownList;
    std::vector<State> state_;
    std::vector<ListId> list_of_;
    std::vector<std::uint32_t> frame_of_;  // of active and provisional nodes: their frame, or the one they rest on
    std::vector<std::uint8_t> times_dropped_;
    std::vector<Frame> stack_;
    std::vector<NodeId> provisional_;
    std::vector<NodeId> missing_;  // needed by the frame at work
    std::uint32_t low_ = 0;
    NodeId last_unknown_star_ = 0;
};

}  // namespace migrator
