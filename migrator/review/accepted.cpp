#include "migrator/review/accepted.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "migrator/source/text_codec.h"

namespace migrator {
namespace {

bool wants(const SavedFile& file, const SavedFinding& finding, const Decisions* decisions, bool only_accepted) {
    const auto decision = decisions != nullptr ? decisions->about(file.path, finding) : std::nullopt;
    return decision ? *decision == Decision::accept : !only_accepted && finding.is_made_by_run();
}

std::set<std::string> findings_with_edits(const SavedReport& report) {
    std::set<std::string> out;
    for (const SavedFile& file : report.files) {
        for (const SavedEdit& edit : file.edits) out.insert(edit.findings.begin(), edit.findings.end());
    }
    return out;
}

}  // namespace

base::Status check_named(const SavedReport& report, const Decisions& decisions) {
    std::set<std::string> known;
    for (const SavedFile& file : report.files) {
        for (const SavedFinding& finding : file.findings) known.insert(finding.id);
    }
    for (const auto& [id, where] : decisions.named()) {
        if (!known.contains(id))
            return base::fail(
                base::ErrorKind::bad_input,
                base::format("the finding {} is not in {}: the decisions are about another report", id, report.file),
                where);
    }
    return {};
}

base::Result<Accepted> accepted_of(const SavedReport& report, const Decisions* decisions, bool only_accepted) {
    if (decisions != nullptr) TRY(check_named(report, *decisions));
    const std::set<std::string> with_edits = findings_with_edits(report);
    std::set<std::string> wanted;
    for (const SavedFile& file : report.files) {
        for (const SavedFinding& finding : file.findings) {
            if (wants(file, finding, decisions, only_accepted)) wanted.insert(finding.id);
        }
    }
    Accepted out;
    for (const SavedFile& file : report.files) {
        for (const SavedFinding& finding : file.findings) {
            if (!wanted.contains(finding.id)) continue;
            const std::string place = base::format("{}:{}", file.path, finding.begin.line);
            const auto missing = std::find_if(finding.together.begin(), finding.together.end(),
                                              [&](const std::string& id) { return !wanted.contains(id); });
            if (!with_edits.contains(finding.id)) {
                const bool follows = finding.is_made_by_run();
                if (!follows) out.left_out.push_back({place, finding.rule, "there is no fix for it: do it by hand"});
            } else if (missing != finding.together.end()) {
                out.left_out.push_back(
                    {place, finding.rule,
                     base::format("it shares an edit with the finding {}, which was not accepted", *missing)});
            } else {
                out.findings.insert(finding.id);
            }
        }
    }
    return out;
}

std::vector<SavedEdit> wanted_edits(const SavedFile& file, const std::set<std::string>& findings) {
    std::vector<SavedEdit> out;
    std::copy_if(file.edits.begin(), file.edits.end(), std::back_inserter(out), [&](const SavedEdit& edit) {
        return std::any_of(edit.findings.begin(), edit.findings.end(),
                           [&](const std::string& id) { return findings.contains(id); });
    });
    return out;
}

base::Result<std::string> bytes_after(const SavedFile& file, const std::vector<SavedEdit>& edits,
                                      std::string_view original) {
    TRY(check_edits_inside(file, original.size()));
    std::string out;
    std::uint64_t done = 0;
    for (const SavedEdit& edit : edits) {
        out += original.substr(done, edit.begin_byte - done);
        TRY_ASSIGN(const std::string text, encode_text(edit.new_text, file.original.encoding));
        out += text;
        done = edit.end_byte;
    }
    out += original.substr(done);
    return out;
}

}  // namespace migrator
