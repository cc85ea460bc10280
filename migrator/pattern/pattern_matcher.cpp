#include "migrator/pattern/pattern_matcher.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "migrator/pattern/match_parts.h"

namespace migrator {
namespace {

constexpr int kMaxDepth = 48;  // of expressions and looks through names, along one path of a pattern
constexpr int kMaxSteps = 6;   // that two expressions are followed to be found equal
constexpr std::size_t kMaxNumberBytes = 100;

// Of nodes that are looked at in a file. Code that is full of operations needs a tenth of it.
constexpr std::size_t kFreeSteps = 1'000'000;
constexpr std::size_t kStepsPerNode = 128;

}  // namespace

bool is_same_constant(std::string_view a, std::string_view b) {
    if (a == b) return true;
    const auto x = number_of(a), y = number_of(b);
    if (x && y) return *x == *y;
    auto is_plain_string = [](std::string_view text) { return text.size() > 1 && (text[0] == '"' || text[0] == '\''); };
    return is_plain_string(a) && is_plain_string(b) && a.substr(1, a.size() - 2) == b.substr(1, b.size() - 2);
}

std::optional<double> number_of(std::string_view text) {
    if (text.size() > kMaxNumberBytes) return std::nullopt;
    std::string plain;
    for (const char c : text) {
        if (c != '_' && c != ' ') plain += c;
    }
    const std::size_t first = plain.starts_with('-') ? 1 : 0;
    if (first == plain.size() || (std::isdigit(static_cast<unsigned char>(plain[first])) == 0 && plain[first] != '.'))
        return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(plain.c_str(), &end);
    if (*end != 0) return std::nullopt;
    return value;
}

PatternMatcher::PatternMatcher(const SyntaxTree& tree, const Bindings& bindings, const RuleSet& rules,
                               const PatternSet& patterns)
    : tree_(tree),
      bindings_(bindings),
      rules_(rules),
      patterns_(patterns),
      steps_(kFreeSteps, kStepsPerNode, tree.size()),
      reader_(tree, bindings, rules, steps_),
      lines_(tree, bindings, reader_, steps_) {}

std::vector<PatternMatch> PatternMatcher::run() {
    // Which operations the file has at all, so that a rule costs nothing where it cannot fit.
    std::vector<std::pair<NodeId, std::size_t>> code;
    std::vector<bool> present(rules_.operations.size());
    for (NodeId id = 0; id < tree_.size(); ++id) {
        const auto found = reader_.spelled(id);
        if (found.spelling == nullptr) continue;
        code.emplace_back(id, found.spelling->operation);
        present[found.spelling->operation] = true;
    }
    std::vector<std::vector<PatternSet::Entry>> possible(present.size());
    for (std::size_t operation = 0; operation < present.size(); ++operation) {
        for (const PatternSet::Entry& entry : patterns_.with_root(operation)) {
            const auto& needed = patterns_.patterns()[entry.pattern].roots[entry.root].operations;
            if (std::all_of(needed.begin(), needed.end(), [&](std::size_t one) { return present[one]; }))
                possible[operation].push_back(entry);
        }
    }
    std::vector<PatternMatch> found;
    for (const auto& [node, operation] : code) {
        for (const PatternSet::Entry& entry : possible[operation]) {
            const CompiledPattern& pattern = patterns_.patterns()[entry.pattern];
            if (!found.empty() && found.back().root == node && found.back().pattern == &pattern) continue;
            if (auto match = match_root(pattern, pattern.roots[entry.root], node)) found.push_back(std::move(*match));
        }
    }
    return without_parts(tree_, std::move(found));
}

std::optional<PatternMatch> PatternMatcher::match_root(const CompiledPattern& pattern,
                                                       const CompiledPattern::Root& root, NodeId node) {
    State state;
    state.pattern = &pattern;
    state.root = node;
    state.holes.resize(pattern.holes.size());
    depth_ = 0;
    if (!match_here(patterns_.node(root.pattern), {node}, state)) return std::nullopt;
    // That a method belongs to a tensor follows when its value goes into a function that is known.
    if (!state.has_known_name) state.certainty = std::min(state.certainty, Certainty::likely);
    return state;
}

CodePlace PatternMatcher::without_parentheses(CodePlace at) const {
    const NodeId inner = skip_parentheses(tree_, at.node);
    if (inner != kNoNode) steps_.take(inner - at.node);
    return {inner, at.element, at.frame};
}

bool PatternMatcher::match(PatternId id, CodePlace at, State& state) {
    steps_.take(1);
    if (++depth_ > kMaxDepth || at.node == kNoNode || steps_.is_spent()) return --depth_, false;
    at = without_parentheses(at);
    const State before = state;
    bool fits = match_here(patterns_.node(id), at, state);
    if (!fits) {
        state = before;
        const auto further = look_through(at, state);
        fits = further && match(id, *further, state);
        if (!fits) state = before;
    }
    --depth_;
    return fits;
}

bool PatternMatcher::match_here(const PatternNode& pattern, CodePlace at, State& state) {
    switch (pattern.kind) {
        case PatternNode::Kind::hole: return match_hole(pattern.index, at, state);
        case PatternNode::Kind::operation: return match_operation(pattern, at, state);
        case PatternNode::Kind::shape: return match_shape(pattern, at, state);
        case PatternNode::Kind::constant:
            return at.element == Definition::kWhole && is_same_constant(tree_.text(at.node), pattern.text);
        case PatternNode::Kind::name: {
            if (at.element != Definition::kWhole) return false;
            const auto references = bindings_.references(at.node);
            return references.size() == 1 && references.front().name == pattern.text &&
                   (references.front().origin == Origin::external || references.front().origin == Origin::builtin);
        }
    }
    return false;
}

bool PatternMatcher::match_hole(std::size_t index, CodePlace at, State& state) {
    const CompiledPattern::Hole& hole = state.pattern->holes[index];
    // A parameter of a function that was looked into stands for what was given.
    while (const auto argument = argument_of(at)) at = without_parentheses(*argument);
    const bool is_new = state.holes[index].places.empty() && state.holes[index].value == nullptr;
    if (!is_new) {
        if (!is_equal(state.holes[index], at, state)) return false;
    } else {
        if (hole.row != nullptr && !fits(*hole.row, at, state)) return false;
        const State before = state;
        bool is_like = hole.like.empty();
        for (const PatternId like : hole.like) {
            if (is_like) break;
            is_like = match(like, at, state);
            if (!is_like) state = before;
        }
        if (!is_like) return false;
    }
    state.holes[index].places.push_back(at);
    return true;
}

bool PatternMatcher::match_operation(const PatternNode& pattern, CodePlace at, State& state) {
    if (at.element != Definition::kWhole) return false;
    const auto code = reader_.read(at.node);
    if (!code || code->index != pattern.index) return false;
    state.certainty = std::min(state.certainty, code->of_unknown ? Certainty::resolved : code->certainty);
    state.has_known_name |= tree_.kind(at.node) == NodeKind::call && !code->of_unknown;
    state.open |= code->open;
    const State before = state;
    if (match_arguments(pattern, *code, at.frame, false, state)) return true;
    if (!rules_.operations[pattern.index].commutative) return false;
    state = before;
    return match_arguments(pattern, *code, at.frame, true, state);
}

// What is not a mere hole goes first: it decides which side is which.
bool PatternMatcher::match_arguments(const PatternNode& pattern, const CodeOperation& code, const CallFrame* frame,
                                     bool swapped, State& state) {
    for (const bool holes : {false, true}) {
        for (std::size_t place = 0; place < pattern.parts.size(); ++place) {
            const PatternId part = pattern.parts[place];
            const bool is_hole = part != kNoPattern && patterns_.node(part).kind == PatternNode::Kind::hole;
            const std::size_t other = swapped && place < 2 ? 1 - place : place;
            if (is_hole != holes) continue;
            const OperationArgument& argument = code.arguments[other];
            if (code.open && argument.node == kNoNode) continue;
            if (!match_argument(part, argument, frame, state)) return false;
        }
    }
    return true;
}

bool PatternMatcher::match_argument(PatternId id, const OperationArgument& argument, const CallFrame* frame,
                                    State& state) {
    if (id != kNoPattern)
        return argument.node != kNoNode ? match(id, {argument.node, Definition::kWhole, frame}, state)
                                        : argument.value != nullptr && match_value(id, *argument.value, state);
    // The pattern leaves it out: it must be the default.
    if (argument.node == kNoNode) return true;
    return argument.value != nullptr && is_same_constant(tree_.text(argument.node), *argument.value);
}

bool PatternMatcher::match_value(PatternId id, const std::string& value, State& state) {
    const PatternNode& pattern = patterns_.node(id);
    if (pattern.kind != PatternNode::Kind::hole) return is_same_constant(pattern.text, value);
    const CompiledPattern::Hole& hole = state.pattern->holes[pattern.index];
    if (!hole.like.empty() || !state.holes[pattern.index].places.empty()) return false;
    const auto is_value = [&](const std::string& one) { return is_same_constant(one, value); };
    if (hole.row != nullptr && !hole.row->values.empty() && std::ranges::none_of(hole.row->values, is_value))
        return false;
    if (hole.row != nullptr && hole.row->is == HoleKind::number && !number_of(value)) return false;
    state.holes[pattern.index].value = &value;
    return true;
}

bool PatternMatcher::match_shape(const PatternNode& pattern, CodePlace at, State& state) {
    if (at.element != Definition::kWhole) {
        // a, b = value: a is value[0].
        if (pattern.node != NodeKind::subscript || pattern.parts.size() != 2) return false;
        const PatternNode& index = patterns_.node(pattern.parts[1]);
        if (index.kind != PatternNode::Kind::constant || number_of(index.text) != at.element) return false;
        return match(pattern.parts[0], {at.node, Definition::kWhole, at.frame}, state);
    }
    if (tree_.kind(at.node) != pattern.node) return false;
    std::size_t token = 0, part = 0;
    std::vector<NodeId> parts;
    for (NodeId child = tree_.first_child(at.node); child != kNoNode; child = tree_.next_sibling(child)) {
        if (tree_.kind(child) == NodeKind::comment) continue;
        const bool is_member = tree_.kind(at.node) == NodeKind::attribute && tree_.field(child) == Field::attribute;
        if (tree_.named(child) && !is_member) {
            parts.push_back(child);
            continue;
        }
        if (token == pattern.tokens.size() || tree_.text(child) != pattern.tokens[token++]) return false;
    }
    if (token != pattern.tokens.size() || parts.size() != pattern.parts.size()) return false;
    for (; part < parts.size(); ++part) {
        if (!match(pattern.parts[part], {parts[part], Definition::kWhole, at.frame}, state)) return false;
    }
    return true;
}

bool PatternMatcher::fits(const HoleRow& row, CodePlace at, State& state) {
    if (!row.values.empty()) {
        for (CodePlace here = at;;) {
            const auto is_value = [&](const std::string& value) {
                return is_same_constant(value, tree_.text(here.node));
            };
            if (here.element == Definition::kWhole && std::ranges::any_of(row.values, is_value)) return true;
            const auto further = look_through(here, state);
            if (!further) return false;
            here = without_parentheses(*further);
        }
    }
    switch (row.is) {
        case HoleKind::anything: return true;
        case HoleKind::constant:
            return tree_.kind(at.node) != NodeKind::identifier && lines_.variables(at.node).empty();
        case HoleKind::tensor:
        case HoleKind::number: break;
    }
    bool known = true;
    const bool number = is_number(at, 0, known);
    const bool wanted = row.is == HoleKind::number;
    if (!known) state.certainty = std::min(state.certainty, Certainty::likely);
    return !known || number == wanted;
}

// Whether it is a number of Python and no tensor; not `known`: it may be either.
bool PatternMatcher::is_number(CodePlace at, int depth, bool& known) {
    at = without_parentheses(at);
    const NodeKind kind = tree_.kind(at.node);
    if (kind == NodeKind::integer || kind == NodeKind::float_) return true;
    if (depth < kMaxSteps) {
        if (kind == NodeKind::unary_operator)
            return is_number({tree_.child(at.node, Field::argument), Definition::kWhole, at.frame}, depth + 1, known);
        if (kind == NodeKind::binary_operator) {
            bool left_known = true;
            const bool left =
                is_number({tree_.child(at.node, Field::left), Definition::kWhole, at.frame}, depth + 1, left_known);
            const bool right =
                is_number({tree_.child(at.node, Field::right), Definition::kWhole, at.frame}, depth + 1, known);
            const bool is_tensor = (left_known && !left) || (known && !right);
            known = is_tensor || (left_known && known);
            return !is_tensor && left && right;
        }
        // x.shape[-1], x.size(-1), math.sqrt(d), len(x), float(x)
        const auto operation = reader_.read(at.node);
        if (operation && rules_.operations[operation->index].number) return true;
        State unused;
        if (const auto further = look_through(at, unused)) return is_number(*further, depth + 1, known);
        const BindingSites sites = bindings_.binding_sites(at.node);
        if (kind == NodeKind::attribute && sites.size() == 1 && sites.front().value != kNoNode)
            return is_number({sites.front().value}, depth + 1, known);
    }
    if (const auto type = bindings_.type_of(at.node)) return false;
    known = false;
    return false;
}

bool PatternMatcher::is_same_text(NodeId a, NodeId b) const {
    if (tree_.kind(a) != tree_.kind(b)) return false;
    const NodeId a_end = tree_.subtree_end(a), b_end = tree_.subtree_end(b);
    const auto to_leaf = [&](NodeId id, NodeId end) {
        for (; id < end && (tree_.first_child(id) != kNoNode || tree_.kind(id) == NodeKind::comment); ++id)
            steps_.take(1);
        return id;
    };
    for (;; ++a, ++b) {
        a = to_leaf(a, a_end);
        b = to_leaf(b, b_end);
        if (a == a_end || b == b_end) return a == a_end && b == b_end;
        if (tree_.text(a) != tree_.text(b)) return false;
    }
}

bool PatternMatcher::is_equal(const PatternMatch::Hole& hole, CodePlace at, State& state) {
    if (hole.places.empty())
        return at.element == Definition::kWhole && is_same_constant(*hole.value, tree_.text(at.node));
    return is_equal(hole.places.front(), at, state, 0);
}

bool PatternMatcher::is_equal(CodePlace a, CodePlace b, State& state, int depth) {
    a = without_parentheses(a);
    b = without_parentheses(b);
    if (a.element == b.element) {
        if (a.element == Definition::kWhole && is_same_constant(tree_.text(a.node), tree_.text(b.node)) &&
            lines_.variables(a.node).empty() && number_of(tree_.text(a.node)))
            return true;
        if (a.frame == b.frame && a.node == b.node) return true;
        const bool is_same = a.frame == b.frame && is_same_text(a.node, b.node) && lines_.same_value(a.node, b.node);
        if (is_same && !reader_.has_side_effects(a.node)) return true;
    }
    if (depth == kMaxSteps) return false;
    const State before = state;
    if (const auto further = look_through(b, state); further && is_equal(a, *further, state, depth + 1)) return true;
    state = before;
    if (const auto further = look_through(a, state); further && is_equal(*further, b, state, depth + 1)) return true;
    state = before;
    return false;
}

}  // namespace migrator
