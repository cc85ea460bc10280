#include "migrator/review/decisions.h"

#include "base/check.h"
#include "base/format.h"

namespace migrator {
namespace {

constexpr std::string_view kSchema = "migrator-decisions/1";

bool lies_in(const base::Path& path, const base::Path& folder) {
    if (folder.empty() || folder == ".") return true;
    return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

}  // namespace

std::string_view name(Decision decision) {
    switch (decision) {
        case Decision::accept: return "accept";
        case Decision::reject: return "reject";
        case Decision::defer: return "defer";
        case Decision::done: return "done";
        case Decision::wont_do: return "wont_do";
    }
    CHECK(false);
    return {};
}

base::Status DecisionEntry::check(const base::JsonPlace& at) {
    where = at.document.where(at.json);
    if (!finding && !rule && !folder)
        return at.error("an entry says what it is about: \"finding\", \"rule\" or \"folder\"");
    return {};
}

std::string decisions_schema() {
    return base::SchemaWriter("urn:ascend-migration:decisions", "decisions.json of migrator",
                              &base::InJson<DecisionsFile>::define)
        .take();
}

base::Result<Decisions> Decisions::read(base::FileSystem& fs, const base::Path& path) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path));
    return parse(text, path);
}

base::Result<Decisions> Decisions::parse(std::string_view text, const base::Path& path) {
    TRY_ASSIGN(const base::JsonDocument document, base::parse_json(text, path));
    const base::JsonPlace place{document, document.root, {}, base::ErrorKind::bad_input};
    TRY_ASSIGN(auto file, base::read_json<DecisionsFile>(place));
    if (file.schema != kSchema)
        return place.error(base::format("the schema is \"{}\", and this needs \"{}\"", file.schema, kSchema));
    Decisions out;
    for (DecisionEntry& entry : file.decisions) {
        if (entry.finding) out.named_.emplace(*entry.finding, entry.where);
        if (!entry.decision) continue;
        if (entry.finding) out.by_finding_[*entry.finding] = *entry.decision;
        else out.entries_.push_back(std::move(entry));
    }
    return out;
}

std::optional<Decision> Decisions::about(const base::Path& path, const SavedFinding& finding) const {
    if (auto named = by_finding_.find(finding.id); named != by_finding_.end()) return named->second;
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
        const bool fits =
            (!entry->rule || *entry->rule == finding.rule) && (!entry->folder || lies_in(path, *entry->folder));
        if (fits) return entry->decision;
    }
    return std::nullopt;
}

}  // namespace migrator
