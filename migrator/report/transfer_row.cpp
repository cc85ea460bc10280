#include "migrator/report/transfer_row.h"

#include <algorithm>

#include "base/check.h"

namespace migrator {
namespace {

constexpr std::size_t kMaxPlaces = 20;  // kept of one program

TransferVerdict verdict_of(const TransferRow& row) {
    if (row.left > 0) return TransferVerdict::not_enough;
    if (row.edited > 0) return TransferVerdict::with_edits;
    return row.redirected > 0 ? TransferVerdict::enough : TransferVerdict::nothing_to_do;
}

}  // namespace

TransferFacts transfer_facts(const FileOutcome& outcome) {
    TransferFacts facts;
    for (const FindingOutcome& item : outcome.under_transfer) {
        const Finding& finding = item.finding;
        if (item.state == FixState::at_run_time) ++facts.redirected;
        else if (item.state == FixState::available) ++facts.edited;
        else if (finding.severity != Severity::info)
            facts.left.push_back({outcome.path, item.begin.line, finding.rule, finding.subject, finding.message});
    }
    return facts;
}

std::string_view name(TransferVerdict verdict) {
    switch (verdict) {
        case TransferVerdict::nothing_to_do: return "nothing_to_do";
        case TransferVerdict::enough: return "enough";
        case TransferVerdict::with_edits: return "with_edits";
        case TransferVerdict::not_enough: return "not_enough";
    }
    CHECK(false);
    return {};
}

TransferRow transfer_row(base::Path path, std::span<const TransferFacts* const> files) {
    TransferRow row;
    row.path = std::move(path);
    row.files = files.size();
    for (const TransferFacts* file : files) {
        row.redirected += file->redirected;
        row.edited += file->edited;
        row.left += file->left.size();
        const std::size_t room = std::min(kMaxPlaces - row.places.size(), file->left.size());
        row.places.insert(row.places.end(), file->left.begin(), file->left.begin() + static_cast<std::ptrdiff_t>(room));
    }
    row.verdict = verdict_of(row);
    return row;
}

}  // namespace migrator
