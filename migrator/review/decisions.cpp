#include "migrator/review/decisions.h"

#include "base/format.h"
#include "base/json_object.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Json;
using base::JsonObject;

constexpr std::string_view kSchema = "migrator-decisions/1";

std::optional<Decision> decision_named(std::string_view word) {
    if (word == "accept") return Decision::accept;
    if (word == "reject") return Decision::reject;
    if (word == "defer") return Decision::defer;
    return std::nullopt;
}

bool lies_in(const base::Path& path, const base::Path& folder) {
    if (folder.empty() || folder == ".") return true;
    return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

base::Result<std::optional<std::string>> optional_string(JsonObject& object, std::string_view key) {
    std::optional<std::string> out;
    if (object.optional(key) != nullptr) {
        TRY_ASSIGN(out, object.string(key));
    }
    return out;
}

}  // namespace

base::Status Decisions::add(const base::JsonDocument& document, const Json& item) {
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, item, ErrorKind::bad_input));
    TRY_ASSIGN(const auto finding, optional_string(object, "finding"));
    Entry entry;
    TRY_ASSIGN(entry.rule, optional_string(object, "rule"));
    TRY_ASSIGN(entry.folder, optional_string(object, "folder"));
    TRY_ASSIGN(const auto word, optional_string(object, "decision"));
    TRY_ASSIGN(const auto comment, optional_string(object, "comment"));
    TRY(object.finish());
    if (!finding && !entry.rule && !entry.folder)
        return object.error("an entry says what it is about: \"finding\", \"rule\" or \"folder\"");
    if (finding) named_.emplace(*finding, document.where(item));
    if (!word) return {};  // only a comment
    const auto decision = decision_named(*word);
    if (!decision) return object.error(base::format("\"decision\" is accept, reject or defer, not \"{}\"", *word));
    entry.decision = *decision;
    if (finding) by_finding_[*finding] = *decision;
    else entries_.push_back(std::move(entry));
    return {};
}

base::Result<Decisions> Decisions::read(base::FileSystem& fs, const base::Path& path) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path));
    return parse(text, path);
}

base::Result<Decisions> Decisions::parse(std::string_view text, const base::Path& path) {
    TRY_ASSIGN(const base::JsonDocument document, base::parse_json(text, path));
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root, ErrorKind::bad_input));
    TRY_ASSIGN(const std::string schema, object.string("schema"));
    if (schema != kSchema)
        return object.error(base::format("the schema is \"{}\", and this needs \"{}\"", schema, kSchema));
    static_cast<void>(object.optional("report"));
    TRY_ASSIGN(const Json* items, object.required("decisions"));
    TRY(object.finish());
    if (items->array() == nullptr) return object.error(*items, "\"decisions\" is not a list");
    Decisions out;
    for (const Json& item : *items->array()) TRY(out.add(document, item));
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
