#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/markup.h"
#include "base/text.h"
#include "migrator/report/formats.h"

namespace migrator {
namespace {

using base::JsonWriter;

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

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
    json.key("uri").string(base::relative_uri(file.path));
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

// What stands on its own in a list of rules.
std::string_view first_sentence(std::string_view text) {
    return text.substr(0, std::min(text.find(". "), text.size()));
}

// Rules may come with the project: nothing else becomes a link.
bool is_web_address(std::string_view url) { return url.starts_with("https://") || url.starts_with("http://"); }

// The first of the sources that a citation names, where it is known where that can be read.
const SourceEntry* cited_source(const Report& report, std::string_view citations) {
    for (const std::string_view citation : base::split(citations, ';')) {
        const auto found = report.sources.find(std::string(cited_name(citation)));
        if (found != report.sources.end()) return &found->second;
    }
    return nullptr;
}

bool is_before(base::TextPosition a, base::TextPosition b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

class Sarif {
public:
    Sarif(const Report& report, const base::TextSink& out) : report_(report), json_(out, 1) {
        for (const RuleRow& rule : report.rules) places_.emplace(rule.id, places_.size());
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
        if (!report_.run.homepage.empty()) json_.key("informationUri").string(report_.run.homepage);
        json_.key("rules").begin_array();
        for (const RuleRow& rule : report_.rules) write_rule(rule);
        json_.end_array();
        json_.end_object().end_object();
    }

    void write_rule(const RuleRow& rule) {
        const std::string message = rule.message.text();
        json_.begin_object();
        json_.key("id").string(rule.id);
        write_text(json_.key("shortDescription"), first_sentence(message));
        write_text(json_.key("fullDescription"), message);
        write_text(json_.key("help"),
                   base::format("{}\nSource: {}\nMore: migrator explain {}", message, rule.source, rule.id));
        const SourceEntry* source = cited_source(report_, rule.source);
        if (source != nullptr && is_web_address(source->url)) json_.key("helpUri").string(source->url);
        json_.key("defaultConfiguration").begin_object();
        json_.key("level").string(level_of(rule.severity));
        json_.end_object();
        json_.key("properties").begin_object();
        json_.key("kind").string(name(rule.kind));
        json_.key("source").string(rule.source);
        json_.end_object();
        json_.end_object();
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
            write_related(file, item, edits);
            write_fix(file, edits);
        }
        if (item.outcome.state == FixState::applied) write_suppression();
        json_.key("properties").begin_object();
        json_.key("subject").string(finding.subject);
        json_.key("certainty").string(name(finding.certainty));
        json_.key("state").string(name(item.outcome.state));
        json_.end_object();
        json_.end_object();
    }

    // The other places that change with what was found.
    void write_related(const ReportFile& file, const ReportFinding& item, const std::vector<const ReportEdit*>& edits) {
        const auto is_apart = [&](const ReportEdit* edit) {
            return is_before(edit->end, item.outcome.begin) || is_before(item.outcome.end, edit->begin);
        };
        if (std::none_of(edits.begin(), edits.end(), is_apart)) return;
        json_.key("relatedLocations").begin_array();
        for (const ReportEdit* edit : edits) {
            if (is_apart(edit)) write_location(json_, file, edit->begin, edit->end, true, "changes with it");
        }
        json_.end_array();
    }

    // What the run has rewritten is no alert, and stays in the list for those who review the run.
    void write_suppression() {
        json_.key("suppressions").begin_array().begin_object();
        json_.key("kind").string("external");
        json_.key("status").string("accepted");
        json_.key("justification").string("rewritten by migrator");
        json_.end_object().end_array();
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
    std::map<std::string, std::size_t> places_;  // of rules
};

}  // namespace

void report_sarif(const Report& report, const base::TextSink& out) {
    Sarif(report, out).write();
    out("\n");
}

}  // namespace migrator
