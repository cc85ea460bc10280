#include "migrator/rewrite/round.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "migrator/match/notebook.h"
#include "migrator/rewrite/import_requests.h"

namespace migrator {
namespace {

// Accepts fixes for one text and keeps the result parsable. `parsed` has no tree when the text is not Python.
class Editor {
public:
    Editor(std::string_view text, const ParsedText& parsed, const MatchContext& context, std::vector<Decided>& findings)
        : text_(text), tree_(parsed.tree), bindings_(parsed.bindings), context_(context), findings_(findings) {}

    // Of the findings at `candidates` those that can be applied together; the others get their state.
    std::vector<Edit> apply(const std::vector<std::size_t>& candidates) {
        EditSet set;
        std::vector<std::size_t> accepted;
        for (std::size_t i : candidates) {
            const Fix& fix = *findings_[i].finding.fix;
            if (touches_error(fix)) findings_[i].state = FixState::syntax_guard;
            else if (!set.add(fix.edits)) findings_[i].state = FixState::conflict;
            else accepted.push_back(i);
        }
        if (!parses(accepted)) {
            accepted = largest_parsable(accepted);
            parses(accepted);
        }
        for (std::size_t i : accepted) findings_[i].state = FixState::applied;
        return edits_of(accepted);
    }

    // The text with the edits that were applied.
    std::unique_ptr<TextVersion> take_result() { return std::move(result_); }

private:
    bool touches_error(const Fix& fix) const {
        return tree_ != nullptr && std::any_of(fix.edits.begin(), fix.edits.end(),
                                               [&](const Edit& edit) { return tree_->touches_error(edit.range); });
    }

    std::vector<Edit> edits_of(const std::vector<std::size_t>& accepted) const {
        EditSet set;
        std::vector<AcceptedFix> fixes;
        for (std::size_t i : accepted) {
            const Finding& finding = findings_[i].finding;
            CHECK(set.add(finding.fix->edits));
            fixes.push_back({&*finding.fix, finding.range});
        }
        if (tree_ == nullptr || accepted.empty()) return set.edits();
        for (const Edit& edit : import_edits(*tree_, *bindings_, fixes, context_.helper_package)) {
            // Imports stand on lines of their own; inside an edited statement there is no place for one.
            if (!tree_->touches_error(edit.range)) set.add({edit});
        }
        return set.edits();
    }

    std::string apply_edits(const std::vector<Edit>& edits) const {
        EditSet set;
        CHECK(set.add(edits));
        return set.apply(text_);
    }

    // Makes the result of these; false when it is worse than the text was.
    bool parses(const std::vector<std::size_t>& accepted) {
        result_ = std::make_unique<TextVersion>();
        result_->owned = apply_edits(edits_of(accepted));
        result_->text = result_->owned;
        if (tree_ == nullptr) return true;
        result_->own_tree = SyntaxTree::parse(result_->text);
        result_->tree = &*result_->own_tree;
        return result_->tree->error_ranges().size() <= tree_->error_ranges().size();
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
            if (parses(together)) {
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
    const SyntaxTree* tree_;
    const Bindings* bindings_;
    const MatchContext& context_;
    std::vector<Decided>& findings_;
    std::unique_ptr<TextVersion> result_;
};

// What becomes of a finding before its edits are looked at; nullopt: its fix may be applied.
std::optional<FixState> settled(const Finding& finding, const RewriteContext& context) {
    if (!finding.fix) return finding.at_run_time ? FixState::at_run_time : FixState::none;
    const Rule* rule = context.match.rules->find_rule(finding.rule);
    CHECK(rule != nullptr);
    const bool certain = finding.certainty >= rule->certainty;
    if (!certain && context.apply != ApplyMode::review) return FixState::uncertain;
    if (context.apply == ApplyMode::none) return FixState::available;
    return std::nullopt;
}

// What may be applied of `findings`; the others get their state.
std::vector<std::size_t> decide(std::vector<Finding> findings, const RewriteContext& context,
                                std::vector<Decided>& out) {
    std::vector<std::size_t> candidates;
    for (Finding& finding : findings) {
        Decided decided{std::move(finding), FixState::none};
        auto state = settled(decided.finding, context);
        if (state) decided.state = *state;
        else candidates.push_back(out.size());
        out.push_back(std::move(decided));
    }
    return candidates;
}

// Decides in one of a notebook's texts, and gives findings and edits in the places of its JSON.
void add_cells(const NotebookCode& code, const CellText& text, const ParsedText& parsed, std::vector<Finding> findings,
               const RewriteContext& context, Round& round) {
    for (Finding& finding : findings) {
        // A fix that has no place in the JSON is none.
        if (finding.fix && !finding_in_json(code, text, finding).fix) finding.fix.reset();
    }
    std::vector<Decided> decided;
    const std::vector<std::size_t> candidates = decide(std::move(findings), context, decided);
    std::vector<Edit> edits;
    if (!candidates.empty()) edits = Editor(text.text(), parsed, context.match, decided).apply(candidates);
    for (const Edit& edit : edits) {
        if (auto mapped = edit_in_json(code, text, edit)) round.edits.push_back(std::move(*mapped));
    }
    for (Decided& one : decided)
        round.findings.push_back({finding_in_json(code, text, std::move(one.finding)), one.state});
}

Round run_notebook_round(const SourceFile& file, const TextVersion& version, const RewriteContext& context) {
    Round round;
    const auto code = NotebookCode::read(version.text, file.path);
    if (!code) {
        round.findings.push_back({not_a_notebook(code.error()), FixState::none});
        return round;
    }
    const SyntaxTree tree = SyntaxTree::parse(code->python().text());
    const Bindings bindings = Bindings::analyse(tree, *context.match.facts, context.match.module);
    const ParsedText parsed{&tree, &bindings};
    round.interfaces = used_interfaces(*context.match.rules, tree, bindings);
    add_cells(*code, code->python(), parsed, match_cells(file, parsed, context.match), context, round);
    add_cells(*code, code->shell(), {}, match_shell_lines(file, *code, context.match), context, round);
    if (round.edits.empty()) return round;
    EditSet set;
    CHECK(set.add(round.edits));
    round.edits = set.edits();
    round.next = std::make_unique<TextVersion>();
    round.next->owned = set.apply(version.text);
    round.next->text = round.next->owned;
    return round;
}

}  // namespace

Round run_round(const SourceFile& file, const TextVersion& version, const RewriteContext& context) {
    if (file.type == FileType::notebook && !file.problem) return run_notebook_round(file, version, context);
    Round round;
    std::optional<SyntaxTree> tree;
    Bindings bindings;
    ParsedText parsed;
    if (file.type == FileType::python && !file.problem) {
        if (version.tree == nullptr) tree = SyntaxTree::parse(version.text);
        parsed.tree = version.tree != nullptr ? version.tree : &*tree;
        bindings = Bindings::analyse(*parsed.tree, *context.match.facts, context.match.module);
        parsed.bindings = &bindings;
        round.interfaces = used_interfaces(*context.match.rules, *parsed.tree, bindings);
    }
    const std::vector<std::size_t> candidates =
        decide(match(file, version.text, context.match, parsed), context, round.findings);
    if (candidates.empty()) return round;
    Editor editor(version.text, parsed, context.match, round.findings);
    round.edits = editor.apply(candidates);
    if (!round.edits.empty()) round.next = editor.take_result();
    return round;
}

}  // namespace migrator
