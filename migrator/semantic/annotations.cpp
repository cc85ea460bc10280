// Annotations: the part of Evaluator that reads `x: T`, as an expression or as the text of one.
#include <algorithm>

#include "base/text.h"
#include "migrator/semantic/evaluator.h"
#include "migrator/semantic/python_facts.h"
#include "migrator/semantic/string_literal.h"

namespace migrator {
namespace {

constexpr std::size_t kMaxParts = 32;

bool is_dotted_name(std::string_view text) {
    bool at_start = true;
    for (const char c : text) {
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
        const bool digit = c >= '0' && c <= '9';
        if (c == '.' ? at_start : !letter && (!digit || at_start)) return false;
        at_start = c == '.';
    }
    return !at_start;
}

// Takes `| None` and `None |` away.
std::string_view without_none(std::string_view text) {
    text = base::trimmed(text);
    if (text.ends_with("None")) {
        const std::string_view rest = base::trimmed(text.substr(0, text.size() - 4));
        if (rest.ends_with('|')) return base::trimmed(rest.substr(0, rest.size() - 1));
    }
    if (text.starts_with("None")) {
        const std::string_view rest = base::trimmed(text.substr(4));
        if (rest.starts_with('|')) return base::trimmed(rest.substr(1));
    }
    return text;
}

// So that a stack gives them in their order.
void append_reversed(const NodeList& nodes, NodeList& stack) {
    for (std::size_t i = nodes.size(); i > 0; --i) stack.push_back(nodes[i - 1]);
}

}  // namespace

// A value of the class that `meaning` is.
void Evaluator::add_annotated(const Candidate& meaning, Candidates& out) const {
    if (meaning.kind == CandidateKind::bottom) {
        merge(out, meaning);
    } else if (meaning.class_scope != kNone) {
        merge(out, {.type_scope = meaning.class_scope, .type_certainty = meaning.certainty});
    } else if (meaning.origin == Origin::external && meaning.name != kNoName && !meaning.is_value &&
               !meaning.has_type() && meaning.certainty != Certainty::textual &&
               !is_typing_name(model_.names.text(meaning.name))) {
        merge(out, {.type = meaning.name, .type_certainty = meaning.certainty});
    } else if (meaning.origin == Origin::project && (summarising_ || is_indexed_class(meaning.name)) &&
               !meaning.has_type() && meaning.function == kNoNode) {
        merge(out, {.type = meaning.name, .type_certainty = meaning.certainty});
    } else {
        merge(out, {});
    }
}

// The parts between the brackets of `Optional[T]`.
NodeList Evaluator::annotation_arguments(NodeId generic) {
    NodeList parts = operands(tree_, generic);
    if (parts.empty()) return {};
    if (tree_.kind(generic) == NodeKind::generic_type) return parts.size() < 2 ? NodeList{} : operands(tree_, parts[1]);
    parts.erase(parts.begin(), parts.begin() + 1);
    return parts;
}

Candidates Evaluator::annotated_value(NodeId annotation) {
    Candidates out;
    NodeList pending;
    if (annotation != kNoNode) pending.push_back(annotation);
    for (std::size_t steps = 0; !pending.empty() && steps < kMaxParts; ++steps) {
        const NodeId at = pending.back();
        pending.pop_back();
        switch (tree_.kind(at)) {
            case NodeKind::type:
            case NodeKind::parenthesized_expression:
            case NodeKind::union_type: append_reversed(operands(tree_, at), pending); break;
            case NodeKind::binary_operator:
                pending.push_back(tree_.child(at, Field::right));
                pending.push_back(tree_.child(at, Field::left));
                break;
            case NodeKind::none: break;
            case NodeKind::string:
            case NodeKind::concatenated_string: {
                const auto text = string_literal_value(tree_, at);
                for (const Candidate& c : annotation_text_value(text ? *text : "", model_.scope_of[at])) merge(out, c);
                break;
            }
            case NodeKind::identifier:
            case NodeKind::attribute:
                for (const Candidate& c : get(at)) add_annotated(c, out);
                break;
            case NodeKind::generic_type:
            case NodeKind::subscript: {
                const NodeList parts = operands(tree_, at);
                const Candidates head = parts.empty() ? Candidates{} : get(parts.front());
                const std::string_view name = head.size() == 1 ? model_.names.text(head[0].name) : std::string_view{};
                const NodeList inner = annotation_arguments(at);
                if (is_annotation_wrapper(name) && !inner.empty()) {
                    pending.push_back(inner.front());
                } else if (is_annotation_union(name)) {
                    append_reversed(inner, pending);
                } else {
                    merge(out, {});
                }
                break;
            }
            default: merge(out, {}); break;
        }
    }
    // Left open, or cut: nothing is known.
    if (!pending.empty()) return {};
    settle(out);
    if (out.size() == 1 && !out[0].has_type() && out[0].kind == CandidateKind::ordinary) return {};
    return out;
}

// "torch.Tensor", "Optional[torch.Tensor]", "torch.Tensor | None"; anything richer stays unknown.
Candidates Evaluator::annotation_text_value(std::string_view text, ScopeId scope) {
    for (;;) {
        text = without_none(text);
        const std::size_t bracket = text.find('[');
        if (bracket == std::string_view::npos) break;
        const std::string_view head = base::trimmed(text.substr(0, bracket));
        if (!text.ends_with(']') || !is_dotted_name(head) || !head.ends_with("Optional")) return {};
        text = text.substr(bracket + 1, text.size() - bracket - 2);
    }
    if (!is_dotted_name(text)) return {};
    Candidates at;
    for (bool first = true; !text.empty(); first = false) {
        const std::string_view part = text.substr(0, text.find('.'));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        if (first) {
            at = name_value(tree_.root(), scope, part, false);
            continue;
        }
        Candidates next;
        for (const Candidate& c : at) add_member(c, part, kNoNode, next);
        at = std::move(next);
    }
    Candidates out;
    for (const Candidate& c : at) add_annotated(c, out);
    settle(out);
    if (out.size() == 1 && !out[0].has_type() && out[0].kind == CandidateKind::ordinary) return {};
    return out;
}

}  // namespace migrator
