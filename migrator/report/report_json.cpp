#include "migrator/report/report_json.h"

#include "migrator/report/words.h"

namespace migrator {
namespace {

using base::JsonWriter;

void write_strings(JsonWriter& json, const std::vector<std::string>& values) {
    json.begin_array();
    for (const std::string& value : values) json.string(value);
    json.end_array();
}

void write_counts(JsonWriter& json, const std::map<std::string, std::uint64_t>& counts) {
    json.begin_object();
    for (const auto& [word, count] : counts) json.key(word).unsigned_integer(count);
    json.end_object();
}

template <class Word>
void write_named_counts(JsonWriter& json, const std::map<Word, std::uint64_t>& counts) {
    json.begin_object();
    for (const auto& [word, count] : counts) json.key(name(word)).unsigned_integer(count);
    json.end_object();
}

void write_kind_row(JsonWriter& json, const KindRow& row) {
    json.begin_object();
    json.key("kind").string(name(row.kind));
    json.key("title").string(title(row.kind));
    json.key("findings").unsigned_integer(row.findings);
    json.key("error").unsigned_integer(row.errors);
    json.key("warning").unsigned_integer(row.warnings);
    json.key("info").unsigned_integer(row.infos);
    json.key("applied").unsigned_integer(row.applied);
    json.key("available").unsigned_integer(row.available);
    json.key("to_review").unsigned_integer(row.to_review);
    json.end_object();
}

void write_summary(JsonWriter& json, const ReportSummary& summary) {
    json.begin_object();
    json.key("verdict").string(name(summary.verdict));
    json.key("sentence").string(summary.sentence);
    json.key("files_seen").unsigned_integer(summary.files_seen);
    json.key("files_analysed").unsigned_integer(summary.files_analysed);
    json.key("files_changed").unsigned_integer(summary.files_changed);
    json.key("files_with_problems").unsigned_integer(summary.files_with_problems);
    json.key("lines").unsigned_integer(summary.lines);
    json.key("findings").unsigned_integer(summary.findings);
    json.key("applied").unsigned_integer(summary.applied);
    json.key("available").unsigned_integer(summary.available);
    json.key("to_review").unsigned_integer(summary.to_review);
    json.key("blocking").unsigned_integer(summary.blocking);
    write_counts(json.key("by_severity"), summary.by_severity);
    write_counts(json.key("by_state"), summary.by_state);
    write_named_counts(json.key("by_effort"), summary.by_effort);
    write_named_counts(json.key("files_by_readiness"), summary.by_readiness);
    json.key("by_kind").begin_array();
    for (const KindRow& row : summary.by_kind) write_kind_row(json, row);
    json.end_array();
    json.end_object();
}

void write_action(JsonWriter& json, const ActionRow& row) {
    json.begin_object();
    json.key("severity").string(name(row.severity));
    json.key("effort").string(name(row.effort));
    json.key("kind").string(name(row.kind));
    json.key("rule").string(row.rule);
    json.key("message").string(row.message);
    write_strings(json.key("subjects"), row.subjects);
    json.key("findings").unsigned_integer(row.findings);
    json.key("files").unsigned_integer(row.files);
    json.key("place").string(row.place);
    json.key("finding_id").string(row.finding_id);
    json.end_object();
}

void write_third_party(JsonWriter& json, const ThirdPartyRow& row) {
    json.begin_object();
    json.key("package").string(row.package);
    json.key("status").string(row.status);
    json.key("advice").string(row.advice);
    write_strings(json.key("places"), row.places);
    write_strings(json.key("finding_ids"), row.finding_ids);
    json.end_object();
}

void write_program(JsonWriter& json, const TransferRow& row) {
    json.begin_object();
    json.key("path").string(row.path);
    json.key("files").unsigned_integer(row.files);
    json.key("transfer_to_npu").string(name(row.verdict));
    json.key("redirected").unsigned_integer(row.redirected);
    json.key("edited").unsigned_integer(row.edited);
    json.key("left").unsigned_integer(row.left);
    json.key("places").begin_array();
    for (const TransferPlace& place : row.places) {
        json.begin_object();
        json.key("path").string(place.path);
        json.key("line").unsigned_integer(place.line);
        json.key("rule").string(place.rule);
        json.key("subject").string(place.subject);
        json.key("message").string(place.message.text());
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

void write_coverage(JsonWriter& json, const ApiCoverageRow& row) {
    json.begin_object();
    json.key("version").string(row.version);
    json.key("supported").unsigned_integer(row.supported);
    json.key("limited").unsigned_integer(row.limited);
    json.key("unsupported").unsigned_integer(row.unsupported);
    json.key("not_listed").unsigned_integer(row.not_listed);
    json.key("chosen").boolean(row.chosen);
    json.end_object();
}

void write_rule(JsonWriter& json, const RuleRow& row) {
    json.begin_object();
    json.key("id").string(row.id);
    json.key("kind").string(name(row.kind));
    json.key("severity").string(name(row.severity));
    json.key("certainty").string(name(row.certainty));
    json.key("effort").string(name(row.effort));
    json.key("message").string(row.message.text());
    json.key("source").string(row.source);
    json.key("name_count").unsigned_integer(row.name_count);
    json.key("names").begin_array();
    for (const RuleRow::Name& item : row.names) {
        json.begin_object().key("from").string(item.from);
        if (item.to.empty()) json.key("to").null();
        else json.key("to").string(item.to);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

void write_position(JsonWriter& json, base::TextPosition position) {
    json.begin_object();
    json.key("line").unsigned_integer(position.line);
    json.key("column").unsigned_integer(position.column);
    json.end_object();
}

void write_finding(JsonWriter& json, const ReportFinding& item) {
    const Finding& finding = item.outcome.finding;
    json.begin_object();
    json.key("id").string(item.id);
    json.key("rule").string(finding.rule);
    json.key("kind").string(name(finding.kind));
    json.key("severity").string(name(finding.severity));
    json.key("certainty").string(name(finding.certainty));
    json.key("state").string(name(item.outcome.state));
    json.key("subject").string(finding.subject);
    json.key("message").string(finding.message.text());
    json.key("source").string(finding.source);
    json.key("effort").string(name(finding.effort));
    write_position(json.key("begin"), item.outcome.begin);
    write_position(json.key("end"), item.outcome.end);
    json.key("old_text").string(item.outcome.old_text);
    if (item.outcome.new_text.empty()) {
        json.key("new_text").null();
    } else {
        json.key("new_text").string(item.outcome.new_text);
    }
    if (!item.together.empty()) write_strings(json.key("together"), item.together);
    if (!item.also.empty()) write_strings(json.key("also"), item.also);
    json.end_object();
}

void write_edit(JsonWriter& json, const ReportEdit& edit) {
    json.begin_object();
    json.key("begin_byte").unsigned_integer(edit.bytes.begin);
    json.key("end_byte").unsigned_integer(edit.bytes.end);
    write_position(json.key("begin"), edit.begin);
    write_position(json.key("end"), edit.end);
    json.key("old_text").string(edit.old_text);
    json.key("new_text").string(edit.new_text);
    write_strings(json.key("findings"), edit.findings);
    json.end_object();
}

void write_original(JsonWriter& json, const ReportFile& file) {
    json.begin_object();
    if (file.sha256.empty()) {
        json.key("sha256").null();
        json.key("new_mode").unsigned_integer(file.new_mode);
    } else {
        json.key("sha256").string(file.sha256);
    }
    json.key("encoding").string(file.encoding);
    json.end_object();
}

}  // namespace

void write_report_head(JsonWriter& json, const Report& report) {
    json.key("schema").string(kReportSchema);
    json.key("tool").begin_object();
    json.key("name").string("migrator");
    json.key("version").string(report.run.tool_version);
    json.end_object();
    json.key("command").string(report.run.command);
    write_strings(json.key("paths"), report.run.paths);
    if (report.run.output.empty()) {
        json.key("output").null();
    } else {
        json.key("output").string(report.run.output);
    }
    json.key("root").string(report.run.root);
    write_summary(json.key("summary"), report.summary);
    json.key("actions").begin_array();
    for (const ActionRow& row : report.actions) write_action(json, row);
    json.end_array();
    json.key("third_party").begin_array();
    for (const ThirdPartyRow& row : report.third_party) write_third_party(json, row);
    json.end_array();
    json.key("programs").begin_array();
    for (const TransferRow& row : report.programs) write_program(json, row);
    json.end_array();
    json.key("api_coverage").begin_array();
    for (const ApiCoverageRow& row : report.api_coverage) write_coverage(json, row);
    json.end_array();
    json.key("rules").begin_array();
    for (const RuleRow& row : report.rules) write_rule(json, row);
    json.end_array();
    json.key("notes").begin_array();
    for (const base::Message& note : report.notes) json.string(note.text());
    json.end_array();
    json.key("translations").begin_object();
    for (const auto& [language, texts] : report.translations) {
        json.key(language).begin_object();
        for (const auto& [text, translated] : texts) json.key(text).string(translated);
        json.end_object();
    }
    json.end_object();
}

void write_report_file(JsonWriter& json, const ReportFile& file) {
    json.key("path").string(file.path);
    json.key("type").string(name(file.type));
    json.key("lines").unsigned_integer(file.lines);
    json.key("parsed").boolean(file.parsed);
    json.key("changed").boolean(file.changed);
    json.key("readiness").string(name(file.readiness));
    json.key("findings").begin_array();
    for (const ReportFinding& item : file.findings) write_finding(json, item);
    json.end_array();
    if (!file.edits.empty()) write_original(json.key("original"), file);
    json.key("edits").begin_array();
    for (const ReportEdit& edit : file.edits) write_edit(json, edit);
    json.end_array();
    json.key("excerpts").begin_array();
    for (const Excerpt& excerpt : file.excerpts) {
        json.begin_object();
        json.key("line").unsigned_integer(excerpt.first_line);
        write_strings(json.key("lines"), excerpt.lines);
        json.end_object();
    }
    json.end_array();
}

void report_json(const Report& report, const base::TextSink& out, int indent) {
    JsonWriter json(out, indent);
    json.begin_object();
    write_report_head(json, report);
    json.key("files").begin_array();
    for (const ReportFile& file : report.files) {
        json.begin_object();
        write_report_file(json, file);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.finish();
    out("\n");
}

}  // namespace migrator
