#include "migrator/semantic/evaluator.h"

#include <algorithm>

#include "migrator/semantic/flow.h"
#include "migrator/semantic/project_index.h"

namespace migrator {
namespace {

// An answer that rests on an unfinished one is dropped when that is finished, and worked out again. Code in which
// everything depends on everything could do that for ever; the third answer stays.
constexpr std::uint8_t kMaxDrops = 3;

}  // namespace

Evaluator::Evaluator(FileModel& model, bool summarising) : model_(model), tree_(model.tree), summarising_(summarising) {
    bottom_ = lists_.intern({{.kind = CandidateKind::bottom}});
    state_.assign(tree_.size(), State::fresh);
    list_of_.assign(tree_.size(), kUnknownList);
    frame_of_.assign(tree_.size(), kNone);
    times_dropped_.assign(tree_.size(), 0);
    for (const ImportedName& imported : model_.imports) {
        if (imported.name != "*") continue;
        const bool unknown = model_.facts.star_names(imported.module).empty() &&
                             (index() == nullptr || !index()->knows_star(imported.module));
        if (unknown) last_unknown_star_ = imported.statement;
    }
}

void Evaluator::run() {
    for (NodeId node = 0; node < tree_.size(); ++node) {
        if (is_expression(tree_.kind(node)) && state_[node] == State::fresh) evaluate(node);
    }
}

bool Evaluator::is_expression(NodeKind kind) {
    switch (kind) {
        case NodeKind::identifier:
        case NodeKind::attribute:
        case NodeKind::call:
        case NodeKind::subscript:
        case NodeKind::binary_operator:
        case NodeKind::unary_operator:
        case NodeKind::comparison_operator:
        case NodeKind::conditional_expression:
        case NodeKind::boolean_operator:
        case NodeKind::parenthesized_expression:
        case NodeKind::named_expression:
        case NodeKind::none:
        case NodeKind::list:
        case NodeKind::tuple:
        case NodeKind::set:
        case NodeKind::dictionary:
        case NodeKind::dotted_name: return true;
        default: return false;
    }
}

void Evaluator::evaluate(NodeId node) {
    stack_.push_back({.node = node});
    while (!stack_.empty()) {
        const auto index = static_cast<std::uint32_t>(stack_.size() - 1);
        Frame& frame = stack_.back();
        if (!frame.started && state_[frame.node] != State::fresh) {
            stack_.pop_back();  // another frame needed it too
            continue;
        }
        if (!frame.started) {
            frame.started = true;
            frame.provisional_mark = provisional_.size();
            frame.tentative = bottom_;
            state_[frame.node] = State::active;
            frame_of_[frame.node] = index;
        }
        low_ = index;
        missing_.clear();
        const Candidates candidates = compute(frame.node);
        if (missing_.empty()) {
            finish(candidates);
        } else {
            for (const NodeId needed : missing_) stack_.push_back({.node = needed});
        }
    }
}

void Evaluator::finish(const Candidates& candidates) {
    const auto index = static_cast<std::uint32_t>(stack_.size() - 1);
    Frame& frame = stack_.back();
    const NodeId node = frame.node;
    const bool rests_on_itself = provisional_.size() > frame.provisional_mark || frame.second_round;
    if (low_ < index && times_dropped_[node] < kMaxDrops) {
        // Rests on a frame below: good for that frame only.
        list_of_[node] = lists_.intern(candidates);
        state_[node] = State::provisional;
        frame_of_[node] = low_;
        provisional_.push_back(node);
        stack_.pop_back();
        return;
    }
    while (provisional_.size() > frame.provisional_mark) {
        state_[provisional_.back()] = State::fresh;
        ++times_dropped_[provisional_.back()];
        provisional_.pop_back();
    }
    if (rests_on_itself && !frame.second_round) {
        frame.second_round = true;
        frame.tentative = lists_.intern(candidates);
        return;
    }
    list_of_[node] = lists_.intern(settled(node, candidates));
    state_[node] = State::done;
    stack_.pop_back();
}

// Nothing is left to wait for: what is still not known is unknown.
Candidates Evaluator::settled(NodeId node, const Candidates& candidates) const {
    Candidates out = candidates;
    erase_if(out, [](const Candidate& c) { return c.kind == CandidateKind::bottom; });
    const SymbolId symbol = model_.symbol_of[node];
    if (out.empty() && !candidates.empty() && symbol != kNone && !model_.symbols[symbol].attribute) {
        out.push_back({.name = model_.symbols[symbol].name});
    }
    return out;
}

// The meaning of another expression; when it is not known yet, the frame at work will be run again.
const Candidates& Evaluator::get(NodeId node) {
    if (node == kNoNode || !is_expression(tree_.kind(node))) return lists_[kUnknownList];
    switch (state_[node]) {
        case State::done: return lists_[list_of_[node]];
        case State::provisional: low_ = std::min(low_, frame_of_[node]); return lists_[list_of_[node]];
        case State::active: low_ = std::min(low_, frame_of_[node]); return lists_[stack_[frame_of_[node]].tentative];
        case State::fresh: missing_.push_back(node); break;
    }
    return lists_[bottom_];
}

Candidates Evaluator::compute(NodeId node) {
    switch (tree_.kind(node)) {
        case NodeKind::identifier:
            if (model_.role_of[node] == Role::binds || model_.role_of[node] == Role::none) return {};
            return name_value(node, model_.scope_of[node], tree_.text(node), true);
        case NodeKind::attribute: return model_.role_of[node] == Role::binds ? Candidates{} : attribute_value(node);
        case NodeKind::call: return call_value(node);
        case NodeKind::subscript: return subscript_value(node);
        case NodeKind::binary_operator: return binary_value(node);
        case NodeKind::unary_operator: return unary_value(node);
        case NodeKind::comparison_operator: return comparison_value(node);
        case NodeKind::boolean_operator: return either(tree_.child(node, Field::left), tree_.child(node, Field::right));
        case NodeKind::named_expression: return get(tree_.child(node, Field::value));
        case NodeKind::none: return {{.kind = CandidateKind::none_literal}};
        case NodeKind::list:
        case NodeKind::tuple:
        case NodeKind::set:
        case NodeKind::dictionary: return {{.display = node}};
        case NodeKind::dotted_name: return pattern_value(node);
        case NodeKind::conditional_expression: {
            const NodeList parts = operands(tree_, node);
            return parts.size() == 3 ? either(parts[0], parts[2]) : Candidates{};
        }
        case NodeKind::parenthesized_expression: {
            const NodeList parts = operands(tree_, node);
            return parts.size() == 1 ? get(parts[0]) : Candidates{};
        }
        default: return {};
    }
}

// For questions from outside: whatever the answer needs is evaluated first.
template <class Compute>
Candidates Evaluator::complete(const Compute& compute) {
    for (;;) {
        missing_.clear();
        low_ = kNone;
        Candidates out = compute();
        if (missing_.empty()) return out;
        const std::vector<NodeId> needed = missing_;
        for (const NodeId node : needed) {
            if (state_[node] == State::fresh) evaluate(node);
        }
    }
}

Candidates Evaluator::last_value(SymbolId symbol) {
    const auto end = static_cast<NodeId>(tree_.size());
    Reaching reaching = reaching_bindings(model_, symbol, end, model_.scopes[kModuleScope].region);
    std::ranges::sort(reaching.bindings, {}, &Binding::effect);
    return complete([&] {
        Candidates out;
        for (const Binding* binding : reaching.bindings) {
            for (const Candidate& c : as_variable(binding_value(*binding), model_.symbols[symbol].name)) merge(out, c);
        }
        if (reaching.cut) merge(out, {});
        apply_declaration(symbol, out);
        settle(out);
        return out;
    });
}

Candidates Evaluator::member_value(SymbolId symbol) {
    return complete([&] {
        Candidates out = symbol_value(symbol);
        for (Candidate& c : out) read_property(c);
        return out;
    });
}

Candidates Evaluator::result_of_function(NodeId function) {
    return complete([&] { return function_result(function); });
}

Evaluator::BaseNames Evaluator::base_names(ScopeId class_scope) {
    BaseNames out;
    const NodeId superclasses = tree_.child(model_.scopes[class_scope].node, Field::superclasses);
    if (superclasses == kNoNode) return out;
    for (const NodeId base : operands(tree_, superclasses)) {
        if (tree_.kind(base) == NodeKind::keyword_argument) continue;
        const Candidates found = complete([&] { return get(base); });
        out.unknown = out.unknown || found.empty();
        for (const Candidate& c : found) {
            if (c.origin == Origin::builtin) continue;
            const bool named = c.name != kNoName && !c.has_type() && c.certainty != Certainty::textual &&
                               (c.origin == Origin::external || c.origin == Origin::project);
            if (named) out.names.push_back(c.name);
            else out.unknown = true;
        }
    }
    return out;
}

Candidate Evaluator::instance_of(std::string_view class_name, Certainty certainty) {
    return {.certainty = certainty, .type = model_.names.intern_copy(class_name), .type_certainty = certainty};
}

}  // namespace migrator
