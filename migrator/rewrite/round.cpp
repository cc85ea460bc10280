#include "migrator/rewrite/round.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/check.h"
#include "migrator/match/inline_operators.h"
#include "migrator/match/notebook_cells.h"
#include "migrator/rewrite/import_requests.h"

namespace migrator {
namespace {

// Accepts fixes for one text and keeps the result parsable. `parsed` has no tree when the text is not Python.
class Editor {
public:
    Editor(std::string_view text, const ParsedText& parsed, const MatchContext& context, std::vector<Decided>& findings)
        : text_(text), parsed_(parsed), tree_(parsed.tree), context_(context), findings_(findings) {}

    // Of the findings at `candidates` those that can be applied together; the others get their state.
    std::vector<OwnedEdit> apply(const std::vector<std::size_t>& candidates) {
        EditSet set;
        std::vector<std::size_t> accepted;
        for (std::size_t i : candidates) {
            const Fix& fix = *findings_[i].finding.fix;
            if (touches_error(fix)) findings_[i].state = FixState::syntax_guard;
            else if (!set.add(fix.edits)) findings_[i].state = FixState::conflict;
            else accepted.push_back(i);
        }
        Planned planned = plan_with_imports(accepted);
        if (!parses(planned.edits)) {
            accepted = largest_parsable(accepted);
            planned = plan_with_imports(accepted);
            parses(planned.edits);
        }
        for (std::size_t i : accepted) findings_[i].state = FixState::applied;
        accepted_ = std::move(accepted);
        return std::move(planned.edits);
    }

    // After `apply`: the edits that the uncertain findings would take, with these owners only. Together with what was
    // applied they parse.
    std::vector<OwnedEdit> propose(const std::vector<std::size_t>& uncertain) {
        if (uncertain.empty()) return {};
        EditSet set;
        std::vector<std::size_t> all = accepted_;
        for (std::size_t i : accepted_) CHECK(set.add(findings_[i].finding.fix->edits));
        for (std::size_t i : uncertain) {
            const Fix& fix = *findings_[i].finding.fix;
            if (!touches_error(fix) && set.add(fix.edits)) all.push_back(i);
        }
        Planned planned = plan(all);
        if (!planned.unplaced.empty()) {
            std::erase_if(all, [&](std::size_t i) { return planned.unplaced.contains(i); });
            planned = plan(all);
        }
        auto result = std::move(result_);
        const bool fits = all.size() > accepted_.size() && planned.unplaced.empty() && parses(planned.edits);
        result_ = std::move(result);
        if (!fits) return {};
        std::vector<OwnedEdit> out = std::move(planned.edits);
        for (OwnedEdit& one : out)
            std::erase_if(one.owners, [&](std::size_t i) { return findings_[i].state == FixState::applied; });
        std::erase_if(out, [](const OwnedEdit& one) { return one.owners.empty(); });
        return out;
    }

    // The text with the edits that were applied.
    std::unique_ptr<TextVersion> take_result() { return std::move(result_); }

private:
    bool touches_error(const Fix& fix) const {
        return tree_ != nullptr && std::any_of(fix.edits.begin(), fix.edits.end(),
                                               [&](const Edit& edit) { return tree_->touches_error(edit.range); });
    }

    struct Planned {
        std::vector<OwnedEdit> edits;
        std::set<std::size_t> unplaced;  // findings that need an import for which there is no place
    };

    // All that a fix needs, or none of it: takes those out of `accepted` whose import has no place.
    Planned plan_with_imports(std::vector<std::size_t>& accepted) {
        while (true) {
            Planned planned = plan(accepted);
            if (planned.unplaced.empty()) return planned;
            for (std::size_t i : planned.unplaced) findings_[i].state = FixState::conflict;
            std::erase_if(accepted, [&](std::size_t i) { return planned.unplaced.contains(i); });
        }
    }

    Planned plan(const std::vector<std::size_t>& accepted) const {
        Planned out;
        EditSet set;
        std::vector<AcceptedFix> fixes;
        std::vector<OwnedEdit> wanted;
        for (std::size_t i : accepted) {
            const Finding& finding = findings_[i].finding;
            CHECK(set.add(finding.fix->edits));
            fixes.push_back({&*finding.fix, finding.range});
            for (const Edit& edit : finding.fix->edits) wanted.push_back({edit, {i}});
        }
        if (tree_ != nullptr && !accepted.empty()) {
            ImportEdits imports = import_edits(parsed_, fixes, context_);
            for (OwnedEdit& import : imports.edits) {
                // Imports stand on lines of their own; inside an edited statement there is no place for one.
                const bool fits = !tree_->touches_error(import.edit.range) && set.add({import.edit});
                for (std::size_t& owner : import.owners) owner = accepted[owner];
                if (!fits) out.unplaced.insert(import.owners.begin(), import.owners.end());
                wanted.push_back(std::move(import));
            }
            for (std::size_t fix : imports.unplaced) out.unplaced.insert(accepted[fix]);
        }
        out.edits = with_owners(set, wanted);
        return out;
    }

    // Makes the result of these; false when it is worse than the text was.
    bool parses(const std::vector<OwnedEdit>& edits) {
        result_ = std::make_unique<TextVersion>();
        result_->owned = applied(edits, text_);
        result_->text = result_->owned;
        if (tree_ == nullptr) return true;
        std::vector<TextChange> changes;
        for (const auto& [edit, owners] : edits) changes.push_back({edit.range, edit.replacement.size()});
        result_->own_tree = SyntaxTree::reparse(*tree_, changes, result_->text);
        result_->parsed.tree = &*result_->own_tree;
        return result_->own_tree->error_ranges().size() <= tree_->error_ranges().size();
    }

    // Halves what does not parse until the fixes that break it stand alone.
    std::vector<std::size_t> largest_parsable(const std::vector<std::size_t>& all) {
        std::vector<std::size_t> good;
        std::vector<std::vector<std::size_t>> pending{all};
        while (!pending.empty()) {
            std::vector<std::size_t> part = std::move(pending.back());
            pending.pop_back();
            std::vector<std::size_t> together = good;
            together.insert(together.end(), part.begin(), part.end());
            if (parses(plan(together).edits)) {
                good = std::move(together);
            } else if (part.size() == 1) {
                findings_[part.front()].state = FixState::syntax_guard;
            } else {
                auto middle = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
                pending.emplace_back(middle, part.end());
                pending.emplace_back(part.begin(), middle);
            }
        }
        std::sort(good.begin(), good.end());
        return good;
    }

    std::string_view text_;
    const ParsedText parsed_;
    const SyntaxTree* tree_;
    const MatchContext& context_;
    std::vector<Decided>& findings_;
    std::vector<std::size_t> accepted_;
    std::unique_ptr<TextVersion> result_;
};

// What becomes of a finding before its edits are looked at; nullopt: its fix may be applied.
std::optional<FixState> settled(const Finding& finding, const RuleSet& rules, ApplyMode apply, bool affinity) {
    if (!finding.fix) return finding.at_run_time ? FixState::at_run_time : FixState::none;
    const Rule* rule = rules.find_rule(finding.rule);
    CHECK(rule != nullptr);
    const bool certain = finding.certainty >= rule->certainty;
    if (finding.kind == FindingKind::affinity && !affinity) return certain ? FixState::available : FixState::uncertain;
    if (!certain && apply != ApplyMode::review) return FixState::uncertain;
    if (apply == ApplyMode::none) return FixState::available;
    return std::nullopt;
}

// What may be applied of `findings`; the others get their state.
std::vector<std::size_t> decide(std::vector<Finding> findings, const RewriteContext& context,
                                std::vector<Decided>& out) {
    std::vector<std::size_t> candidates;
    out.reserve(out.size() + findings.size());
    for (Finding& finding : findings) {
        Decided decided{std::move(finding), FixState::none};
        auto state = settled(decided.finding, *context.match.rules, context.apply, context.affinity);
        if (state) decided.state = *state;
        else candidates.push_back(out.size());
        out.push_back(std::move(decided));
    }
    return candidates;
}

std::vector<std::size_t> uncertain_with_fix(const std::vector<Decided>& findings) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        if (findings[i].state == FixState::uncertain) out.push_back(i);
    }
    return out;
}

// What there would be to do under transfer_to_npu.
std::vector<Decided> judge_transfer(std::vector<Finding> findings, const RewriteContext& context) {
    std::vector<Decided> out;
    for (Finding& finding : findings) {
        const auto state = settled(finding, *context.transfer->rules, ApplyMode::none, false);
        CHECK(state.has_value());
        out.push_back({std::move(finding), *state});
    }
    return out;
}

// Edits of a notebook's text, in the places of its JSON, and owned by findings of the whole round.
void add_mapped(const NotebookCode& code, const CellText& text, std::vector<OwnedEdit> edits, std::size_t first_finding,
                std::vector<OwnedEdit>& out) {
    for (OwnedEdit& one : edits) {
        auto mapped = edit_in_json(code, text, one.edit);
        if (!mapped) continue;
        for (std::size_t& owner : one.owners) owner += first_finding;
        out.push_back({std::move(*mapped), std::move(one.owners)});
    }
}

// Decides in one of a notebook's texts, and gives findings and edits in the places of its JSON.
void add_cells(const NotebookCode& code, const CellText& text, const ParsedText& parsed, std::vector<Finding> findings,
               const RewriteContext& context, bool is_first, Round& round) {
    for (Finding& finding : findings) {
        // A fix that has no place in the JSON is none.
        if (finding.fix && !finding_in_json(code, text, finding).fix) finding.fix.reset();
    }
    std::vector<Decided> decided;
    const std::vector<std::size_t> candidates = decide(std::move(findings), context, decided);
    Editor editor(text.text(), parsed, context.match, decided);
    const std::size_t first = round.findings.size();
    if (!candidates.empty()) add_mapped(code, text, editor.apply(candidates), first, round.edits);
    if (is_first) add_mapped(code, text, editor.propose(uncertain_with_fix(decided)), first, round.proposals);
    for (Decided& one : decided)
        round.findings.push_back({finding_in_json(code, text, std::move(one.finding)), one.state});
}

void note_standings(const SyntaxTree& tree, const CodeStandings& standings, std::vector<Decided>& decided) {
    for (Decided& one : decided) {
        if (one.finding.range.size() > 0) one.finding.standing = standings[tree.smallest_at(one.finding.range)];
    }
}

Round run_notebook_round(const SourceFile& file, const TextVersion& version, const RewriteContext& context,
                         bool is_first) {
    Round round;
    const auto code = NotebookCode::read(version.text, file.path);
    if (!code) {
        round.findings.push_back({not_a_notebook(code.error()), FixState::none});
        return round;
    }
    const SyntaxTree tree = SyntaxTree::parse(code->python().text());
    const Bindings bindings = Bindings::analyse(tree, *context.match.facts, context.match.module);
    const ParsedText parsed{.tree = &tree, .bindings = &bindings, .cells = &code->python()};
    if (is_first) round.interfaces = used_interfaces(*context.match.rules, tree, bindings);
    if (is_first && context.match.loops != nullptr) round.training = training_code(context.match, parsed);
    add_cells(*code, code->python(), parsed, match_cells(file, parsed, context.match), context, is_first, round);
    if (is_first && context.transfer) {
        round.under_transfer = judge_transfer(match_cells(file, parsed, *context.transfer), context);
        for (Decided& one : round.under_transfer)
            one.finding = finding_in_json(*code, code->python(), std::move(one.finding));
    }
    add_cells(*code, code->shell(), {}, match_shell_lines(file, *code, context.match), context, is_first, round);
    if (round.edits.empty()) return round;
    EditSet set;
    for (const OwnedEdit& one : round.edits) CHECK(set.add({one.edit}));
    round.edits = with_owners(set, round.edits);
    round.next = std::make_unique<TextVersion>();
    round.next->owned = set.apply(version.text);
    round.next->text = round.next->owned;
    return round;
}

}  // namespace

Round run_round(const SourceFile& file, const TextVersion& version, const RewriteContext& context, bool is_first) {
    if (file.type == FileType::notebook && !file.problem) return run_notebook_round(file, version, context, is_first);
    Round round;
    std::optional<SyntaxTree> tree;
    Bindings bindings;
    ParsedText parsed = version.parsed;
    if (file.type == FileType::python && !file.problem) {
        if (parsed.tree == nullptr) parsed.tree = &tree.emplace(SyntaxTree::parse(version.text));
        if (parsed.bindings == nullptr) {
            bindings = Bindings::analyse(*parsed.tree, *context.match.facts, context.match.module);
            parsed.bindings = &bindings;
        }
        if (is_first && context.transfer)
            round.under_transfer = judge_transfer(match(file, version.text, *context.transfer, parsed), context);
        if (is_first) round.interfaces = used_interfaces(*context.match.rules, *parsed.tree, *parsed.bindings);
        if (is_first && context.match.loops != nullptr) round.training = training_code(context.match, parsed);
        if (is_first && context.operators) {
            round.operator_uses = operator_uses(context.match, parsed);
            round.operators = inline_operators(parsed, *context.match.rules);
            parsed.operators = &round.operators;
        }
    }
    if (is_first && context.operators && registers_operators(file.type))
        round.operators = read_cpp_operators(CppTokens(version.text), *context.match.rules);
    const std::vector<std::size_t> candidates =
        decide(match(file, version.text, context.match, parsed), context, round.findings);
    if (is_first && parsed.tree != nullptr) {
        note_standings(*parsed.tree, code_standings(*parsed.tree), round.findings);
    }
    Editor editor(version.text, parsed, context.match, round.findings);
    if (!candidates.empty()) round.edits = editor.apply(candidates);
    if (is_first) round.proposals = editor.propose(uncertain_with_fix(round.findings));
    if (!round.edits.empty()) round.next = editor.take_result();
    return round;
}

}  // namespace migrator
