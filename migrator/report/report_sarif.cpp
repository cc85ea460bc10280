#include <map>

#include "base/format.h"
#include "base/json_writer.h"
#include "migrator/report/formats.h"

namespace migrator {
namespace {

using base::JsonWriter;

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

// A path as a relative URI.
std::string uri_of(std::string_view path) {
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    std::string out;
    for (char c : path) {
        if (kPlain.find(c) != std::string_view::npos) out += c;
        else out += base::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string_view level_of(Severity severity) {
    return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

void write_text(JsonWriter& json, std::string_view text) {
    json.begin_object();
    json.key("text").string(text);
    json.end_object();
}

void write_artifact(JsonWriter& json, const ReportFile& file) {
    json.key("artifactLocation").begin_object();
    json.key("uri").string(uri_of(file.path));
    json.key("uriBaseId").string("SRCROOT");
    json.end_object();
}

void write_region(JsonWriter& json, base::TextPosition begin, base::TextPosition end) {
    json.begin_object();
    json.key("startLine").unsigned_integer(begin.line);
    json.key("startColumn").unsigned_integer(begin.column);
    json.key("endLine").unsigned_integer(end.line);
    json.key("endColumn").unsigned_integer(end.column);
    json.end_object();
}

void write_location(JsonWriter& json, const ReportFile& file, base::TextPosition begin, base::TextPosition end,
                    bool has_region, std::string_view message) {
    json.begin_object();
    json.key("physicalLocation").begin_object();
    write_artifact(json, file);
    if (has_region) write_region(json.key("region"), begin, end);
    json.end_object();
    if (!message.empty()) write_text(json.key("message"), message);
    json.end_object();
}

class Sarif {
public:
    Sarif(const Report& report, const base::TextSink& out) : report_(report), json_(out, 1) {
        for (const ReportFile& file : report.files) {
            for (const ReportFinding& item : file.findings) rules_.try_emplace(item.outcome.finding.rule, &item);
        }
        std::size_t index = 0;
        for (const auto& [id, item] : rules_) places_[id] = index++;
    }

    void write() {
        json_.begin_object();
        json_.key("$schema").string(kSchema);
        json_.key("version").string("2.1.0");
        json_.key("runs").begin_array().begin_object();
        write_tool();
        json_.key("columnKind").string("unicodeCodePoints");
        json_.key("results").begin_array();
        for (const ReportFile& file : report_.files) write_file(file);
        json_.end_array();
        json_.end_object().end_array();
        json_.end_object();
        json_.finish();
    }

private:
    void write_tool() {
        json_.key("tool").begin_object().key("driver").begin_object();
        json_.key("name").string("migrator");
        json_.key("version").string(report_.run.tool_version);
        json_.key("rules").begin_array();
        for (const auto& [id, item] : rules_) {
            json_.begin_object();
            json_.key("id").string(id);
            write_text(json_.key("shortDescription"), id);
            write_text(json_.key("help"), base::format("migrator explain {}", id));
            json_.key("defaultConfiguration").begin_object();
            json_.key("level").string(level_of(item->outcome.finding.severity));
            json_.end_object();
            json_.key("properties").begin_object();
            json_.key("kind").string(name(item->outcome.finding.kind));
            json_.key("source").string(item->outcome.finding.source);
            json_.end_object();
            json_.end_object();
        }
        json_.end_array();
        json_.end_object().end_object();
    }

    void write_file(const ReportFile& file) {
        std::map<std::string_view, std::vector<const ReportEdit*>> edits;
        for (const ReportEdit& edit : file.edits) {
            for (const std::string& id : edit.findings) edits[id].push_back(&edit);
        }
        for (const ReportFinding& item : file.findings) write_result(file, item, edits[item.id]);
    }

    void write_result(const ReportFile& file, const ReportFinding& item, const std::vector<const ReportEdit*>& edits) {
        const Finding& finding = item.outcome.finding;
        const bool has_region = finding.kind != FindingKind::file;
        json_.begin_object();
        json_.key("ruleId").string(finding.rule);
        json_.key("ruleIndex").unsigned_integer(places_[finding.rule]);
        json_.key("level").string(level_of(finding.severity));
        write_text(json_.key("message"), finding.message.text());
        json_.key("locations").begin_array();
        write_location(json_, file, item.outcome.begin, item.outcome.end, has_region, {});
        json_.end_array();
        json_.key("partialFingerprints").begin_object().key("migratorFinding/v1").string(item.id).end_object();
        if (!edits.empty() && !file.sha256.empty()) {
            write_flow(file, item, edits);
            write_fix(file, edits);
        }
        json_.key("properties").begin_object();
        json_.key("subject").string(finding.subject);
        json_.key("certainty").string(name(finding.certainty));
        json_.key("state").string(name(item.outcome.state));
        json_.end_object();
        json_.end_object();
    }

    // From what was found to every place that changes with it.
    void write_flow(const ReportFile& file, const ReportFinding& item, const std::vector<const ReportEdit*>& edits) {
        auto step = [&](base::TextPosition begin, base::TextPosition end, std::string_view message) {
            json_.begin_object();
            write_location(json_.key("location"), file, begin, end, true, message);
            json_.end_object();
        };
        json_.key("codeFlows").begin_array().begin_object().key("threadFlows").begin_array().begin_object();
        json_.key("locations").begin_array();
        step(item.outcome.begin, item.outcome.end, item.outcome.finding.subject);
        for (const ReportEdit* edit : edits) step(edit->begin, edit->end, "changes with it");
        json_.end_array();
        json_.end_object().end_array().end_object().end_array();
    }

    void write_fix(const ReportFile& file, const std::vector<const ReportEdit*>& edits) {
        json_.key("fixes").begin_array().begin_object();
        json_.key("artifactChanges").begin_array().begin_object();
        write_artifact(json_, file);
        json_.key("replacements").begin_array();
        for (const ReportEdit* edit : edits) {
            json_.begin_object();
            write_region(json_.key("deletedRegion"), edit->begin, edit->end);
            write_text(json_.key("insertedContent"), edit->new_text);
            json_.end_object();
        }
        json_.end_array();
        json_.end_object().end_array();
        json_.end_object().end_array();
    }

    const Report& report_;
    JsonWriter json_;
    std::map<std::string, const ReportFinding*> rules_;  // the first finding of each
    std::map<std::string, std::size_t> places_;
};

}  // namespace

void report_sarif(const Report& report, const base::TextSink& out) {
    Sarif(report, out).write();
    out("\n");
}

}  // namespace migrator
