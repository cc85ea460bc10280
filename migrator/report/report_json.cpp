#include "migrator/report/report_record.h"

namespace migrator {

std::optional<OriginalRow> original_of(const ReportFile& file) {
    if (file.edits.empty()) return std::nullopt;
    if (file.sha256.empty()) return OriginalRow{std::nullopt, file.new_mode, file.encoding};
    return OriginalRow{file.sha256, std::nullopt, file.encoding};
}

void report_json(const Report& report, const base::TextSink& out, int indent) {
    base::JsonWriter json(out, indent);
    base::InJson<Report>::write(json, report);
    json.finish();
    out("\n");
}

std::string report_schema() {
    return base::SchemaWriter("urn:ascend-migration:report", "report.json of migrator", &base::InJson<Report>::define,
                              false)
        .take();
}

}  // namespace migrator
