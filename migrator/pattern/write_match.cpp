#include "migrator/pattern/write_match.h"
#include "base/text.h"

#include <algorithm>
#include <cctype>

namespace migrator {
namespace {

constexpr std::string_view kComment = "A comment stands in the code that it would replace.";
constexpr std::string_view kMoved = "A part of it has another value where the new code would stand.";
constexpr std::string_view kOrder =
    "It would change how often, or in which order, code that may have side effects runs.";
constexpr std::string_view kOpen = "Some of its arguments cannot be seen.";
constexpr std::string_view kNeeded = "A part of it is needed elsewhere, so nothing would be saved.";
constexpr std::string_view kTooMuch = "Too much code stands around it to be sure of it.";
constexpr std::string_view kNested = "A part of it is a variable of another function.";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Fits behind and in front of every operator.
bool is_primary(NodeKind kind) {
    switch (kind) {
        case NodeKind::identifier:
        case NodeKind::attribute:
        case NodeKind::call:
        case NodeKind::subscript:
        case NodeKind::float_:
        case NodeKind::string:
        case NodeKind::list:
        case NodeKind::tuple:
        case NodeKind::true_:
        case NodeKind::false_:
        case NodeKind::none:
        case NodeKind::parenthesized_expression: return true;
        default: return false;
    }
}

class Writer {
public:
    Writer(const SyntaxTree& tree, const Bindings& bindings, const PatternMatcher& matcher, const PatternMatch& match)
        : tree_(tree), bindings_(bindings), matcher_(matcher), match_(match) {}

    WrittenMatch run() {
        if (match_.open) return {{}, std::string(kOpen)};
        if (matcher_.has_given_up()) return {{}, std::string(kTooMuch)};
        if (!find_removed()) return {{}, std::string(kNeeded)};
        chosen_.resize(match_.holes.size(), kNoNode);
        for (const TemplatePiece& piece : match_.pattern->pieces) {
            if (piece.hole == TemplatePiece::kNoHole || match_.holes[piece.hole].value != nullptr) continue;
            const std::string_view problem = choose(piece.hole);
            if (!problem.empty()) return {{}, std::string(problem)};
        }
        if (!keeps_side_effects()) return {{}, std::string(kOrder)};
        std::vector<Edit> edits = replace_root();
        for (const NodeId statement : removed_) {
            auto removed = remove_statement(statement);
            if (!removed) return {{}, std::string(kComment)};
            edits.push_back(std::move(*removed));
        }
        const bool covers_comment =
            std::any_of(edits.begin(), edits.end(), [&](const Edit& edit) { return has_comment(edit.range); });
        if (covers_comment) return {{}, std::string(kComment)};
        return {std::move(edits), {}};
    }

private:
    // Assignments that nothing needs any more: their reads are in the replaced code, or in others that go. False when one
    // that computes something has to stay.
    bool find_removed() {
        std::vector<Definition> going;
        for (const Definition& definition : match_.definitions) {
            const bool known = std::any_of(going.begin(), going.end(), [&](const Definition& other) {
                return other.statement == definition.statement;
            });
            if (!known && stands_alone(definition.statement)) going.push_back(definition);
        }
        for (bool changed = true; changed;) {
            changed = false;
            std::vector<NodeId> uses;
            for (const NodeId use : match_.uses) {
                const bool goes = tree_.is_ancestor(match_.root, use) ||
                                  std::any_of(going.begin(), going.end(), [&](const Definition& definition) {
                                      return tree_.is_ancestor(definition.statement, use);
                                  });
                if (goes) uses.push_back(use);
            }
            // A hole's code stays, also where it was found in an assignment that goes.
            std::erase_if(uses, [&](NodeId use) { return is_in_hole(use); });
            const auto needed = [&](const Definition& definition) {
                return matcher_.lines().is_needed_outside(definition, uses);
            };
            changed = std::erase_if(going, needed) > 0;
        }
        for (const Definition& definition : going) removed_.push_back(definition.statement);
        return std::none_of(match_.definitions.begin(), match_.definitions.end(), [&](const Definition& definition) {
            const bool goes = base::contains(removed_, definition.statement);
            return !goes && !is_of_hole(definition) && matcher_.reader().computes_tensors(definition.value);
        });
    }

    // Looked through only to see that a hole is the same in two places.
    bool is_of_hole(const Definition& definition) const {
        for (std::size_t i = 0; i < match_.uses.size(); ++i) {
            if (match_.definitions[i].statement == definition.statement && !is_in_hole(match_.uses[i])) return false;
        }
        return true;
    }

    bool is_in_hole(NodeId use) const {
        return std::any_of(match_.holes.begin(), match_.holes.end(), [&](const PatternMatch::Hole& hole) {
            return std::any_of(hole.places.begin(), hole.places.end(),
                               [&](const CodePlace& place) { return tree_.is_ancestor(place.node, use); });
        });
    }

    // The only one on its lines.
    bool stands_alone(NodeId statement) const {
        const std::string_view text = tree_.source();
        const base::ByteRange range = tree_.range(statement);
        std::size_t before = range.begin;
        while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t')) --before;
        std::size_t after = range.end;
        while (after < text.size() && (text[after] == ' ' || text[after] == '\t')) ++after;
        const bool begins = before == 0 || text[before - 1] == '\n' || text[before - 1] == '\r';
        return begins && (after == text.size() || text[after] == '\n' || text[after] == '\r' || text[after] == '#');
    }

    // With its line; nullopt when a comment stands there.
    std::optional<Edit> remove_statement(NodeId statement) const {
        const std::string_view text = tree_.source();
        base::ByteRange range = tree_.range(statement);
        while (range.begin > 0 && (text[range.begin - 1] == ' ' || text[range.begin - 1] == '\t')) --range.begin;
        while (range.end < text.size() && (text[range.end] == ' ' || text[range.end] == '\t')) ++range.end;
        if (range.end < text.size() && text[range.end] == '#') return std::nullopt;
        if (range.end < text.size() && text[range.end] == '\r') ++range.end;
        if (range.end < text.size() && text[range.end] == '\n') ++range.end;
        return Edit{range, ""};
    }

    // Which of a hole's places is written, when one means the same where the new code stands.
    std::string_view choose(std::size_t hole) {
        const auto& places = match_.holes[hole].places;
        std::string_view problem = kOpen;
        for (const bool in_root : {true, false}) {
            for (const CodePlace& place : places) {
                if (tree_.is_ancestor(match_.root, place.node) != in_root) continue;
                problem = problem_of(place);
                if (!problem.empty()) continue;
                chosen_[hole] = place.node;
                return {};
            }
        }
        return problem;
    }

    std::string_view problem_of(const CodePlace& place) const {
        if (place.element != Definition::kWhole) return kMoved;
        if (place.frame != nullptr) return is_free(place) ? std::string_view{} : kNested;
        if (tree_.is_ancestor(match_.root, place.node)) return {};
        if (has_side_effects(place.node)) return kOrder;
        return matcher_.lines().same_value(place.node, match_.root, removed_) ? std::string_view{} : kMoved;
    }

    // Code of another function, which reads nothing but the same object and names of the module.
    bool is_free(const CodePlace& place) const {
        if (has_side_effects(place.node)) return false;
        for (const NodeId variable : matcher_.lines().variables(place.node)) {
            NodeId base = variable;
            while (tree_.kind(base) == NodeKind::attribute) base = tree_.child(base, Field::object);
            bool in_self = place.frame->keeps_self;
            for (const CallFrame* frame = place.frame->outer; frame != nullptr; frame = frame->outer)
                in_self &= frame->keeps_self;
            const NodeId parameters = tree_.child(place.frame->function, Field::parameters);
            const NodeId self =
                tree_.named_children(parameters).empty() ? kNoNode : tree_.named_children(parameters)[0];
            const bool is_self = in_self && self != kNoNode && tree_.text(base) == tree_.text(self);
            const bool is_global = bindings_.scope_at(base) != kModuleScope && [&] {
                const auto sites = bindings_.binding_sites(base);
                return std::all_of(sites.begin(), sites.end(), [&](const BindingSite& site) {
                    return bindings_.scope_at(site.target) == kModuleScope;
                });
            }();
            if (!is_self && !is_global) return false;
        }
        return true;
    }

    bool has_side_effects(NodeId expression) const { return matcher_.reader().has_side_effects(expression); }

    // Code with possible side effects runs as often as before, and in the same order.
    bool keeps_side_effects() const {
        std::vector<NodeId> order;
        for (const TemplatePiece& piece : match_.pattern->pieces) {
            if (piece.hole == TemplatePiece::kNoHole || chosen_[piece.hole] == kNoNode) continue;
            if (has_side_effects(chosen_[piece.hole])) order.push_back(chosen_[piece.hole]);
        }
        if (!std::is_sorted(order.begin(), order.end()) ||
            std::adjacent_find(order.begin(), order.end()) != order.end())
            return false;
        for (std::size_t hole = 0; hole < match_.holes.size(); ++hole) {
            for (const CodePlace& place : match_.holes[hole].places) {
                if (!has_side_effects(place.node)) continue;
                if (place.node != chosen_[hole]) return false;
            }
        }
        return true;
    }

    struct Segment {
        std::string text;
        NodeId hole = kNoNode;  // behind the text
    };

    std::vector<Segment> segments() const {
        std::vector<Segment> out(1);
        for (const TemplatePiece& piece : match_.pattern->pieces) {
            out.back().text += piece.text;
            if (piece.hole == TemplatePiece::kNoHole) continue;
            if (const std::string* value = match_.holes[piece.hole].value) {
                if (!piece.optional) out.back().text += *value;
                continue;
            }
            out.back().text += piece.optional_text;
            const NodeId node = chosen_[piece.hole];
            const bool fits =
                piece.delimited ? tree_.kind(node) != NodeKind::named_expression : is_primary(tree_.kind(node));
            if (!fits) out.back().text += '(';
            out.back().hole = node;
            out.emplace_back();
            if (!fits) out.back().text += ')';
        }
        return out;
    }

    std::vector<Edit> replace_root() const {
        std::vector<Segment> parts = segments();
        const base::ByteRange root = tree_.range(match_.root);
        if (needs_parentheses()) {
            parts.front().text.insert(0, 1, '(');
            parts.back().text += ')';
        }
        bool in_place = true;
        std::uint64_t at = root.begin;
        for (const Segment& part : parts) {
            if (part.hole == kNoNode) continue;
            const base::ByteRange range = tree_.range(part.hole);
            in_place &= range.begin >= at && range.end <= root.end;
            at = range.end;
        }
        std::vector<Edit> edits;
        at = root.begin;
        std::string whole;
        for (const Segment& part : parts) {
            whole += part.text;
            if (part.hole != kNoNode) whole += tree_.text(part.hole);
            if (!in_place) continue;
            const std::uint64_t end = part.hole == kNoNode ? root.end : tree_.range(part.hole).begin;
            add_gap({at, end}, part.text, edits);
            at = part.hole == kNoNode ? end : tree_.range(part.hole).end;
        }
        if (!in_place) edits = {{root, whole}};
        return edits;
    }

    // Only what differs, without the blanks: a call that is written over several lines stays so.
    void add_gap(base::ByteRange gap, std::string_view text, std::vector<Edit>& edits) const {
        const std::string_view source = tree_.source();
        if (without_blanks(source.substr(gap.begin, gap.end - gap.begin)) == without_blanks(text)) return;
        // Blanks in front of a hole stay, where the same stands in front of them.
        std::uint64_t end = gap.end;
        while (end > gap.begin && is_blank(source[end - 1])) --end;
        const std::size_t last = text.find_last_not_of(" \n");
        if (end > gap.begin && last != text.npos && text[last] == source[end - 1]) {
            gap.end = end;
            text = text.substr(0, last + 1);
        }
        while (gap.end > gap.begin && !text.empty() && text.back() == source[gap.end - 1] && !is_name(text.back())) {
            text.remove_suffix(1);
            --gap.end;
        }
        edits.push_back({gap, std::string(text)});
    }

    // A comma in front of a closing bracket says nothing.
    static std::string without_blanks(std::string_view text) {
        std::string out;
        for (const char c : text) {
            if (is_blank(c)) continue;
            if (c == ')' && out.ends_with(',')) out.pop_back();
            out += c;
        }
        return out;
    }

    bool needs_parentheses() const {
        if (match_.pattern->template_is_primary) return false;
        switch (tree_.kind(tree_.parent(match_.root))) {
            case NodeKind::binary_operator:
            case NodeKind::unary_operator:
            case NodeKind::comparison_operator:
            case NodeKind::attribute:
            case NodeKind::subscript:
            case NodeKind::call:
            case NodeKind::await: return true;
            default: return false;
        }
    }

    bool has_comment(base::ByteRange range) const {
        for (NodeId id = tree_.smallest_at(range), end = tree_.subtree_end(id); id < end; ++id) {
            const base::ByteRange at = tree_.range(id);
            if (tree_.kind(id) == NodeKind::comment && at.begin < range.end && at.end > range.begin) return true;
        }
        return false;
    }

    const SyntaxTree& tree_;
    const Bindings& bindings_;
    const PatternMatcher& matcher_;
    const PatternMatch& match_;
    std::vector<NodeId> removed_;
    std::vector<NodeId> chosen_;
};

}  // namespace

WrittenMatch write_match(const SyntaxTree& tree, const Bindings& bindings, const PatternMatcher& matcher,
                         const PatternMatch& match) {
    return Writer(tree, bindings, matcher, match).run();
}

}  // namespace migrator
