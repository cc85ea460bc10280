// ValueFlow: follows a constant through one file to the places that take values of a domain. Private to this folder.
//
// Forward (`destination`): from an expression up through conditionals, containers, calls and assignments, and on from
// every read of a variable; what leaves the file goes to where the context's ValueEnds say that it ends. Backward
// (`is_value`): what the other side of a comparison holds. Both give the certainty of the best place they find; names
// alone ("device=...", cfg.backend) make it likely.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/match/python_file.h"

namespace migrator {

class ValueFlow {
public:
    ValueFlow(const PythonFile& file, const ValueRow& row) : file_(file), row_(row) {}

    // How sure it is that the value of `expression` ends where a value of the domain is taken; nullopt: it does not.
    std::optional<Certainty> destination(NodeId expression);
    // The same for what comes into the file through an end.
    std::optional<Certainty> destination_of_end(std::string_view end);
    // How sure it is that `expression` has such a value.
    std::optional<Certainty> is_value(NodeId expression);
    // True when the last `destination` only met places where the text names something of the user's own: the key of a
    // mapping, an option, an attribute.
    bool is_users_name() const { return users_name_; }
    // The ends (see ValueEnds) that the last `destination` met.
    const std::set<std::string>& ends() const { return ends_; }

private:
    // What the part of an expression that is looked at is to its whole.
    enum class Role { value, dict_key, dict_value };
    struct Step {
        NodeId node;
        Role role;
    };

    void start();
    std::optional<Certainty> follow();
    void found(std::optional<Certainty> certainty);
    void push(NodeId node, Role role = Role::value);
    void push_reads(NodeId variable, Role role = Role::value);
    void climb(Step step);
    // One step up; the node to go on with, or kNoNode.
    NodeId above(NodeId node, Role& role);
    NodeId above_mapping_read(NodeId call, Role role);
    NodeId above_argument(NodeId argument, Role role);
    NodeId above_keyword(NodeId keyword);
    NodeId above_assignment(NodeId assignment, Role role);
    NodeId above_pair(NodeId pair, NodeId side, Role& role);
    NodeId above_type(NodeId type);
    NodeId above_subscript(NodeId subscript, NodeId side, Role& role);
    void bind(NodeId target, Role role);
    void returned(NodeId statement, Role role);
    void compared(NodeId comparison, NodeId operand);
    void matched(NodeId pattern);
    void matched_keyword(NodeId pattern);
    void names_member_of(NodeId object);
    bool is_carrier_key(NodeId key) const;
    bool is_renamed_alike(NodeId value) const;

    std::optional<Certainty> parameter(NodeId call, NodeId argument, std::string_view keyword);
    std::optional<Certainty> parameter_of(const std::vector<ParameterRow>& rows, NodeId argument,
                                          std::string_view keyword, Certainty certainty) const;
    bool counts_by_name(NodeId call) const;
    std::optional<Certainty> project_parameter(std::span<const Reference> functions,
                                               std::optional<std::size_t> position, std::string_view keyword);
    bool declares_option(NodeId call) const;
    bool declares_carrier_option(NodeId call, std::string_view keyword) const;
    bool is_string_method(NodeId call, std::string_view name) const;

    std::optional<Certainty> is_value_at(NodeId expression, int depth);
    std::optional<Certainty> is_value_call(NodeId call, int depth);
    std::optional<Certainty> is_value_name(NodeId name, int depth);

    // value_flow_ends.cpp
    void leaves_through(std::string end);
    void leaves_through_variable(NodeId variable, Role role);
    void leaves_through_result(NodeId function_name);
    void leaves_through_parameter(std::string_view function, std::string_view parameter);
    void enter_parameter(std::string_view function, std::string_view parameter);
    bool means(NodeId expression, std::string_view shared_name) const;
    std::optional<Certainty> holds_value(NodeId variable);

    const PythonFile& file_;
    const ValueRow& row_;
    std::vector<Step> pending_;
    std::set<std::pair<NodeId, Role>> seen_;
    std::optional<Certainty> best_;
    bool users_name_ = false;
    bool follows_comparisons_ = true;
    std::set<std::string> ends_;
};

}  // namespace migrator
