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

namespace migrator {

class Evaluator {
public:
    explicit Evaluator(FileModel& model);

    // Evaluates every expression of the file.
    void run();
    const CandidateLists& lists() const { return lists_; }
    const std::vector<ListId>& list_of() const { return list_of_; }  // by node
    // The class of a value that has one: a known class, the nearest known base of a class of this file, or the class
    // itself when it derives from nothing else; nullopt when its members cannot be told.
    std::optional<Reference> class_reference(const Candidate& value);

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
    struct Bases {
        std::vector<ScopeId> project;  // classes of this file, itself first, nearest first
        NameId external = kNoName;     // the nearest class outside the project that we know
        bool unknown = false;          // there are bases whose members we cannot tell
    };
    const Bases& bases_of(ScopeId class_scope);
    void add_bases(const Candidates& meanings, std::unordered_set<ScopeId>& seen, std::vector<ScopeId>& found,
                   Bases& out) const;

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
    Candidates subscript_value(NodeId node);
    Candidates either(NodeId first, NodeId second);
    std::vector<NodeId> arguments(NodeId call) const;

    // annotations.cpp
    Candidates annotated_value(NodeId annotation);
    Candidates annotation_text_value(std::string_view text, ScopeId scope);
    void add_annotated(const Candidate& meaning, Candidates& out) const;
    std::vector<NodeId> annotation_arguments(NodeId generic);

    Candidate instance_of(std::string_view class_name, Certainty certainty);
    Candidates unknown_name(NodeId node, std::string_view name);

    FileModel& model_;
    const SyntaxTree& tree_;
    CandidateLists lists_;
    std::unordered_map<ScopeId, Bases> bases_;  // final ones
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
