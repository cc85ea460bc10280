// PatternMatcher: finds the expressions of one file that fit the patterns of a rule set.
//
// A variable is looked through to the assignment that surely gave it its value, and a call of a function of the file
// whose body is assignments and a return to what it returns, so that statements fit a pattern that is one expression.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "migrator/pattern/operations.h"
#include "migrator/pattern/pattern_set.h"
#include "migrator/pattern/straight_line.h"

namespace migrator {

struct CallFrame;

// An expression, as one call sees it.
struct CodePlace {
    NodeId node = kNoNode;
    int element = Definition::kWhole;  // of a tuple or list that the expression gives
    const CallFrame* frame = nullptr;  // the function of the file that is looked into; nullptr: none
};

// A function of the file, called: what its parameters stand for.
struct CallFrame {
    NodeId call = kNoNode;
    NodeId function = kNoNode;
    const CallFrame* outer = nullptr;
    std::map<std::string_view, CodePlace> arguments;
    bool keeps_self = false;  // a method of the same object
};

struct PatternMatch {
    struct Hole {
        std::vector<CodePlace> places;       // all where it was found, the first one first; they are the same
        const std::string* value = nullptr;  // or the default of an argument that is not written
    };
    const CompiledPattern* pattern = nullptr;
    NodeId root = kNoNode;
    std::vector<Hole> holes;
    std::vector<Definition> definitions;  // that were looked through
    std::vector<NodeId> uses;             // the identifiers that were
    Certainty certainty = Certainty::resolved;
    bool has_known_name = false;  // something in it is no guess from a method's name
    bool open = false;            // a call has arguments that cannot be seen
};

class PatternMatcher {
public:
    PatternMatcher(const SyntaxTree& tree, const Bindings& bindings, const RuleSet& rules, const PatternSet& patterns);
    PatternMatcher(const PatternMatcher&) = delete;
    PatternMatcher& operator=(const PatternMatcher&) = delete;

    // In source order of their roots; of those that lie in each other's code the largest one only.
    std::vector<PatternMatch> run();

    const StraightLine& lines() const { return lines_; }
    const OperationReader& reader() const { return reader_; }
    // Too much of the file has been looked at: what still is asked has no sure answer.
    bool has_given_up() const { return steps_.is_spent(); }

private:
    using State = PatternMatch;

    std::optional<State> match_root(const CompiledPattern& pattern, const CompiledPattern::Root& root, NodeId node);
    bool match(PatternId id, CodePlace at, State& state);
    bool match_here(const PatternNode& pattern, CodePlace at, State& state);
    bool match_hole(std::size_t hole, CodePlace at, State& state);
    bool match_operation(const PatternNode& pattern, CodePlace at, State& state);
    bool match_arguments(const PatternNode& pattern, const CodeOperation& code, const CallFrame* frame, bool swapped,
                         State& state);
    bool match_argument(PatternId id, const OperationArgument& argument, const CallFrame* frame, State& state);
    bool match_value(PatternId id, const std::string& value, State& state);
    bool match_shape(const PatternNode& pattern, CodePlace at, State& state);
    bool fits(const HoleRow& row, CodePlace at, State& state);
    bool is_number(CodePlace at, int depth, bool& known);
    bool is_equal(const PatternMatch::Hole& hole, CodePlace at, State& state);
    bool is_equal(CodePlace a, CodePlace b, State& state, int depth);
    bool is_same_text(NodeId a, NodeId b) const;
    CodePlace without_parentheses(CodePlace at) const;

    // What the expression surely is, one step further: the value of a variable, the argument for a parameter, what a
    // function returns. `state` notes what was looked through.
    std::optional<CodePlace> look_through(CodePlace at, State& state);
    std::optional<CodePlace> argument_of(CodePlace at) const;
    std::optional<CodePlace> returned(CodePlace call);
    bool only_computes(NodeId function, int depth);
    NodeId function_of(NodeId call, bool& is_method) const;
    bool bind_arguments(CallFrame& frame, const CallFrame* outer, bool is_method) const;

    const SyntaxTree& tree_;
    const Bindings& bindings_;
    const RuleSet& rules_;
    const PatternSet& patterns_;
    mutable StepBudget steps_;
    OperationReader reader_;
    StraightLine lines_;
    std::deque<CallFrame> frames_;
    std::map<std::pair<NodeId, const CallFrame*>, const CallFrame*> frame_of_;
    std::map<NodeId, bool> only_computes_;  // by function
    int depth_ = 0;
};

// The same constant may be written in several ways: 1 and 1.0, 'x' and "x".
bool is_same_constant(std::string_view a, std::string_view b);
// The number that a literal is, also with a minus in front; nullopt for everything else.
std::optional<double> number_of(std::string_view text);

}  // namespace migrator
