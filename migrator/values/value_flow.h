// ValueFlow: follows a constant through one file to the places that take values of a domain.
//
// Forward (`destination`): from an expression up through conditionals, containers, calls and assignments, and on from
// every read of a variable; what leaves the file goes to where the context's ValueEnds say that it ends. Backward
// (`is_value`): what the other side of a comparison holds. Both give the certainty of the best place they find; names
// alone ("device=...", cfg.backend) make it likely. Where the way forward cannot be seen, the value is lost.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/python/python_file.h"
#include "migrator/values/value_shape.h"

namespace migrator {

// device.split(":"): whether the method gives the parts of a text.
constexpr bool takes_text_apart(std::string_view method) {
    return method == "split" || method == "rsplit" || method == "partition" || method == "rpartition";
}

// settings.get("device"): whether the method gives what a mapping has under its first argument.
constexpr bool reads_by_key(std::string_view method) {
    return method == "get" || method == "pop" || method == "setdefault";
}

class ValueFlow {
public:
    ValueFlow(const PythonFile& file, const ValueRow& row) : file_(file), row_(row) {}

    // How sure it is that the value of `expression` ends where a value of the domain is taken; nullopt: it does not.
    std::optional<Certainty> destination(NodeId expression);
    // The same for the keys of a mapping.
    std::optional<Certainty> destination_of_keys(NodeId mapping);
    // The same for what comes into the file through an end.
    std::optional<Certainty> destination_of_end(std::string_view end);
    // How sure it is that `expression` has such a value.
    std::optional<Certainty> is_value(NodeId expression);
    // True when the last `destination` only met places where the text names something of the user's own: the key of a
    // mapping, an option, an attribute.
    bool is_users_name() const { return users_name_; }
    // True when it came to a place where the text is only shown to somebody.
    bool is_shown() const { return shown_; }
    // True when it came to a place that it could not see beyond, and the first of these; kNoNode: it is in another file.
    bool is_lost() const { return lost_; }
    NodeId lost_at() const { return lost_at_; }
    // True when it is the key of a mapping whose keys stay: see ValueRow::kept_keys.
    bool keeps_key() const { return keeps_key_; }
    // The ends (see ValueEnds) that the last `destination` met.
    const std::set<std::string>& ends() const { return ends_; }

private:
    using Level = ValueShape::Level;
    // A part of an expression, and how the value is wrapped in it.
    struct Step {
        NodeId node;
        ValueShape shape;
    };

    void start();
    std::optional<Certainty> follow();
    void found(std::optional<Certainty> certainty);
    // It is not known what becomes of the value there; kNoNode.
    NodeId lose(NodeId node);
    NodeId wrap(ValueShape& shape, Level level, NodeId on, std::size_t index = ValueShape::kAny);
    void push(NodeId node, ValueShape shape = {});
    void push_reads(NodeId variable, ValueShape shape = {});
    void climb(Step step);
    // One step up; the node to go on with, or kNoNode.
    NodeId above(NodeId node, ValueShape& shape);
    NodeId above_operand(NodeId operation, NodeId operand, ValueShape& shape);
    NodeId above_text_part(std::string_view before);
    NodeId above_interpolation(NodeId interpolation);
    NodeId above_assignment(NodeId assignment, ValueShape shape);
    NodeId above_pair(NodeId pair, NodeId side, ValueShape& shape);
    NodeId above_splat(NodeId splat, ValueShape& shape);
    void note_entry(std::string_view key, const ValueShape& shape);
    NodeId above_type(NodeId type);
    NodeId above_subscript(NodeId subscript, NodeId side, ValueShape& shape);
    void compared(NodeId comparison, NodeId operand);
    void matched(NodeId pattern);
    void matched_keyword(NodeId pattern);
    void names_member_of(NodeId object);
    bool is_carrier_key(NodeId key) const;
    bool is_renamed_alike(NodeId value) const;

    // value_flow_targets.cpp
    void bind(NodeId target, ValueShape shape);
    void bind_each(NodeId target, ValueShape shape);
    void bind_items(NodeId target, ValueShape shape);
    void bind_subscript(NodeId target, ValueShape shape);
    void returned(NodeId statement, ValueShape shape);

    // value_flow_calls.cpp
    NodeId above_object(NodeId attribute, NodeId object, ValueShape& shape);
    std::optional<Certainty> key_of_values(NodeId mapping);
    bool is_seen_in_part(NodeId mapping) const;
    NodeId above_mapping_read(NodeId call, std::string_view method, ValueShape& shape);
    NodeId above_argument(NodeId argument, ValueShape& shape);
    NodeId above_keyword(NodeId keyword, ValueShape& shape);
    NodeId above_option(NodeId call, NodeId argument, ValueShape shape);
    NodeId above_builtin(NodeId call, std::string_view name, std::size_t position, ValueShape& shape);
    NodeId above_zipped(NodeId call, std::size_t place, ValueShape& shape);
    bool is_one_of(const std::vector<std::string>& functions, NodeId function) const;
    bool is_builtin(NodeId function) const;
    bool is_argument_of(const ParametersByFunction& functions, NodeId call, NodeId argument, std::string_view keyword);
    bool is_text_shown_by(NodeId call) const;
    bool goes_to_started(NodeId call, std::string_view keyword, ValueShape shape);
    bool fills_container(NodeId call, std::string_view method, std::optional<std::size_t> position, ValueShape shape);

    // value_places.cpp
    std::optional<Certainty> parameter(NodeId call, NodeId argument, std::string_view keyword, ValueShape shape);
    std::optional<Certainty> parameter_of(const std::vector<ParameterRow>& rows, std::optional<std::size_t> position,
                                          std::string_view keyword, Certainty certainty, ValueShape shape);
    void note_kept_key(std::string_view parameter, ValueShape shape);
    bool counts_by_name(NodeId call) const;
    std::optional<Certainty> project_parameter(std::span<const Reference> functions,
                                               std::optional<std::size_t> position, std::string_view keyword,
                                               ValueShape shape);
    bool declares_option(NodeId call) const;
    struct OptionNames {
        std::vector<std::string> written;   // "-s", "--save-dir"
        std::optional<std::string> member;  // what `dest` says; empty where it cannot be read
    };
    OptionNames option_names(NodeId call) const;
    std::string option_member(NodeId call) const;
    bool declares_carrier_option(NodeId call, std::string_view keyword) const;
    bool is_string_method(NodeId call, std::string_view name) const;

    std::optional<Certainty> is_value_at(NodeId expression, int depth);
    std::optional<Certainty> is_value_call(NodeId call, int depth);
    std::optional<Certainty> is_value_name(NodeId name, int depth);
    NodeId text_taken_apart(NodeId target) const;

    // value_flow_ends.cpp
    void leaves_through(std::string end);
    void leaves_through_variable(NodeId variable, ValueShape shape);
    void leaves_as_member(std::string_view member, ValueShape shape);
    void leaves_through_parameter(std::string_view function, std::string_view parameter, ValueShape shape);
    void push_parameter(NodeId function, std::string_view parameter, ValueShape shape);
    void enter_parameter(std::string_view function, std::string_view parameter, ValueShape shape);
    bool means(NodeId expression, std::string_view shared_name) const;
    bool is_member_read(NodeId expression) const;
    NodeId read_by_key(NodeId key) const;
    std::optional<Certainty> key_of_settings(NodeId key) const;
    std::optional<Certainty> holds_value(NodeId variable);

    const PythonFile& file_;
    const ValueRow& row_;
    std::vector<Step> pending_;
    std::set<std::pair<NodeId, ValueShape>> seen_;
    std::optional<Certainty> best_;
    bool users_name_ = false;
    bool shown_ = false;
    bool lost_ = false;
    bool keeps_key_ = false;
    std::optional<std::string> entry_key_;  // under which a mapping has the value itself; empty: under several
    NodeId lost_at_ = kNoNode;
    // The display whose far items the last `destination` stands for; kNoNode.
    NodeId far_items_of_ = kNoNode;
    bool follows_comparisons_ = true;
    std::set<std::string> ends_;
};

}  // namespace migrator
