#include "migrator/rewrite/rewriter.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/check.h"
#include "migrator/rewrite/round.h"

namespace migrator {
namespace {

// The first round does nearly everything; further ones do what was in conflict.
constexpr int kMaxRounds = 6;
// More lines than this are not shown of one finding.
constexpr std::uint32_t kMaxLinesShown = 12;
// Generated files have lines of megabytes, with thousands of findings each.
constexpr std::uint64_t kMaxBytesShown = 4096;

class OutcomeBuilder {
public:
    explicit OutcomeBuilder(const SourceFile& file) : lines_(file.text), edits_(file.text) {
        outcome_.path = file.path;
        outcome_.encoding = file.encoding;
        outcome_.type = file.type;
        outcome_.original = outcome_.rewritten = file.text;
        outcome_.lines = line_count(file.text);
    }

    void add_first(Round round) {
        outcome_.findings.reserve(round.findings.size());
        for (Decided& decided : round.findings) {
            FindingOutcome out;
            out.state = decided.state;
            place(out, decided.finding.range);
            if (decided.finding.fix) show(out, *decided.finding.fix);
            out.finding = std::move(decided.finding);
            outcome_.findings.push_back(std::move(out));
        }
        proposals_ = std::move(round.proposals);
        for (Decided& decided : round.under_transfer) {
            FindingOutcome out;
            out.state = decided.state;
            place(out, decided.finding.range);
            out.finding = std::move(decided.finding);
            outcome_.under_transfer.push_back(std::move(out));
        }
        outcome_.interfaces = std::move(round.interfaces);
        outcome_.training = std::move(round.training);
        outcome_.operators = std::move(round.operators);
        outcome_.operator_uses = std::move(round.operator_uses);
        finish_round(std::move(round));
    }

    // A later round: what it applied belongs to a finding of the first round, or is new.
    void add_later(Round round) {
        std::vector<std::size_t> place_of(round.findings.size());  // among the findings of the outcome
        for (std::size_t i = 0; i < round.findings.size(); ++i) {
            Decided& decided = round.findings[i];
            if (decided.state != FixState::applied) continue;
            base::ByteRange range{original_offset(decided.finding.range.begin),
                                  original_offset(decided.finding.range.end)};
            auto known =
                std::find_if(outcome_.findings.begin(), outcome_.findings.end(), [&](const FindingOutcome& out) {
                    return out.finding.rule == decided.finding.rule && out.finding.range.begin == range.begin;
                });
            place_of[i] = static_cast<std::size_t>(known - outcome_.findings.begin());
            if (known != outcome_.findings.end()) {
                known->state = FixState::applied;
                continue;
            }
            FindingOutcome out;
            out.state = FixState::applied;
            out.finding = std::move(decided.finding);
            out.finding.range = range;
            out.finding.fix.reset();  // its edits are of another text
            place(out, range);
            outcome_.findings.push_back(std::move(out));
        }
        for (OwnedEdit& one : round.edits) {
            for (std::size_t& owner : one.owners) owner = place_of[owner];
            std::sort(one.owners.begin(), one.owners.end());
            one.owners.erase(std::unique(one.owners.begin(), one.owners.end()), one.owners.end());
        }
        finish_round(std::move(round));
    }

    FileOutcome take(bool parsed) {
        outcome_.parsed = parsed;
        if (version_) outcome_.rewritten = std::move(version_->owned);
        CHECK(applied(edits_.edits(), outcome_.original) == outcome_.rewritten);
        add_proposals();
        outcome_.bound = edits_.bound();
        sort_findings();
        return std::move(outcome_);
    }

    const TextVersion& version() const { return *version_; }

private:
    static std::uint64_t line_count(std::string_view text) {
        if (text.empty()) return 0;
        base::LineIndex index(text);
        bool open = text.back() != '\n' && text.back() != '\r';
        return index.line_count() - (open ? 0 : 1);
    }

    // A proposal that overlaps what a later round has written is none.
    void add_proposals() {
        EditSet set;
        for (const OwnedEdit& one : edits_.edits()) CHECK(set.add({one.edit}));
        std::map<std::size_t, std::vector<Edit>> by_finding;
        for (const OwnedEdit& one : proposals_) {
            for (std::size_t owner : one.owners) by_finding[owner].push_back(one.edit);
        }
        std::vector<OwnedEdit> wanted = edits_.edits();
        for (const auto& [finding, edits] : by_finding) {
            if (outcome_.findings[finding].state != FixState::uncertain || !set.add(edits)) continue;
            for (const Edit& edit : edits) wanted.push_back({edit, {finding}});
        }
        outcome_.edits = with_owners(set, wanted);
    }

    void sort_findings() {
        std::vector<std::size_t> order(outcome_.findings.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const Finding& one = outcome_.findings[a].finding;
            const Finding& other = outcome_.findings[b].finding;
            return std::tie(one.range.begin, one.range.end, one.rule) <
                   std::tie(other.range.begin, other.range.end, other.rule);
        });
        std::vector<std::size_t> place_of(order.size());
        std::vector<FindingOutcome> sorted;
        for (std::size_t i : order) {
            place_of[i] = sorted.size();
            sorted.push_back(std::move(outcome_.findings[i]));
        }
        outcome_.findings = std::move(sorted);
        auto move_all = [&](std::vector<std::size_t>& places) {
            for (std::size_t& place : places) place = place_of[place];
            std::sort(places.begin(), places.end());
        };
        for (OwnedEdit& one : outcome_.edits) move_all(one.owners);
        for (std::vector<std::size_t>& group : outcome_.bound) move_all(group);
    }

    void finish_round(Round round) {
        edits_.add_round(round.edits);
        std::vector<Edit> made;
        for (OwnedEdit& one : round.edits) made.push_back(std::move(one.edit));
        rounds_.push_back(std::move(made));
        if (round.next) version_ = std::move(round.next);
    }

    std::uint64_t original_offset(std::uint64_t offset) const {
        for (auto round = rounds_.rbegin(); round != rounds_.rend(); ++round) offset = offset_before(*round, offset);
        return offset;
    }

    void place(FindingOutcome& out, base::ByteRange range) const {
        out.begin = lines_.position(range.begin);
        out.end = lines_.position(range.end);
    }

    // The lines of the finding, and of the edits on them, before and after.
    void show(FindingOutcome& out, const Fix& fix) const {
        std::uint32_t first = out.begin.line;
        std::uint32_t last = out.end.line;
        EditSet shown;
        bool fits = true;
        for (const Edit& edit : fix.edits) {
            std::uint32_t from = lines_.position(edit.range.begin).line;
            std::uint32_t to = lines_.position(edit.range.end).line;
            if (to < first || from > last) continue;  // the import far above
            first = std::min(first, from);
            last = std::max(last, to);
            fits = shown.add({edit}) && fits;
        }
        if (last - first >= kMaxLinesShown) return;
        std::uint64_t begin = lines_.line_range(first).begin;
        std::uint64_t end = lines_.line_range(last).begin + lines_.line_text(last).size();
        if (end - begin > kMaxBytesShown) return;
        out.old_text = outcome_.original.substr(begin, end - begin);
        if (!fits || shown.empty()) return;
        EditSet shifted;
        for (Edit edit : shown.edits()) {
            if (edit.range.begin < begin || edit.range.end > end) continue;
            edit.range = {edit.range.begin - begin, edit.range.end - begin};
            CHECK(shifted.add({edit}));
        }
        out.new_text = shifted.apply(out.old_text);
    }

    base::LineIndex lines_;
    FileOutcome outcome_;
    std::vector<std::vector<Edit>> rounds_;
    ComposedEdits edits_;
    std::vector<OwnedEdit> proposals_;      // of the original text
    std::unique_ptr<TextVersion> version_;  // the last one
};

}  // namespace

std::string_view name(FixState state) {
    switch (state) {
        case FixState::none: return "none";
        case FixState::applied: return "applied";
        case FixState::available: return "available";
        case FixState::uncertain: return "uncertain";
        case FixState::conflict: return "conflict";
        case FixState::at_run_time: return "at_run_time";
        case FixState::syntax_guard: return "syntax_guard";
    }
    CHECK(false);
    return {};
}

std::string_view name(ApplyMode mode) {
    switch (mode) {
        case ApplyMode::none: return "none";
        case ApplyMode::safe: return "safe";
        case ApplyMode::review: return "review";
    }
    CHECK(false);
    return {};
}

FileOutcome rewrite(const SourceFile& file, const RewriteContext& context, const ParsedText& parsed) {
    OutcomeBuilder builder(file);
    TextVersion original;
    original.text = file.text;
    original.parsed = parsed;
    Round round = run_round(file, original, context, true);
    bool is_parsed = file.type == FileType::python && !file.problem &&
                     std::none_of(round.findings.begin(), round.findings.end(),
                                  [](const Decided& decided) { return decided.finding.rule == "file.not_parsed"; });
    bool changed = round.next != nullptr;
    builder.add_first(std::move(round));
    for (int i = 1; changed && i < kMaxRounds; ++i) {
        round = run_round(file, builder.version(), context, false);
        changed = round.next != nullptr;
        if (changed) builder.add_later(std::move(round));
    }
    return builder.take(is_parsed);
}

}  // namespace migrator
