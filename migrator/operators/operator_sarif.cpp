#include "migrator/operators/operator_sarif.h"

#include <string_view>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/markup.h"
#include "base/version.h"

namespace migrator {
namespace {

constexpr std::string_view kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

bool is_told(OperatorVerdict verdict) { return verdict > OperatorVerdict::npu_aclnn; }

std::string_view level_of(OperatorVerdict verdict) {
    if (verdict == OperatorVerdict::npu_aclop || verdict == OperatorVerdict::unknown) return "note";
    return verdict == OperatorVerdict::cpu_fallback ? "warning" : "error";
}

std::string rule_id(OperatorVerdict verdict) { return base::format("operator.{}", name(verdict)); }

void write_sarif_text(base::JsonWriter& json, std::string_view key, std::string_view text) {
    json.key(key).begin_object();
    json.key("text").string(text);
    json.end_object();
}

void write_sarif_rules(base::JsonWriter& json, const OperatorReport& report) {
    json.key("rules").begin_array();
    for (const OperatorVerdict verdict : base::kAll<OperatorVerdict>) {
        if (!is_told(verdict)) continue;
        json.begin_object();
        json.key("id").string(rule_id(verdict));
        write_sarif_text(json, "shortDescription", report.chips->verdicts.at(std::string(name(verdict))));
        json.key("defaultConfiguration").begin_object();
        json.key("level").string(level_of(verdict));
        json.end_object();
        json.end_object();
    }
    json.end_array();
}

std::string sarif_message(const OperatorReport& report, const JudgedOperator& item) {
    const OperatorJudgement& said = item.judgement;
    const OperatorVerdict verdict = said.worst();
    std::string out = base::format("{} on {}: {}", item.input.name, report.chip->product,
                                   report.chips->verdicts.at(std::string(name(verdict))));
    if (!said.why.empty()) out += base::format(" ({})", said.why);
    out += ".";
    if (!said.instead.empty()) out += " " + said.instead;
    return out;
}

void write_sarif_result(base::JsonWriter& json, const OperatorReport& report, const JudgedOperator& item) {
    const OperatorVerdict verdict = item.judgement.worst();
    json.begin_object();
    json.key("ruleId").string(rule_id(verdict));
    json.key("level").string(level_of(verdict));
    write_sarif_text(json, "message", sarif_message(report, item));
    json.key("locations").begin_array().begin_object();
    json.key("physicalLocation").begin_object().key("artifactLocation").begin_object();
    json.key("uri").string(base::relative_uri(report.input));
    json.end_object().end_object();
    json.key("logicalLocations").begin_array().begin_object();
    json.key("name").string(item.input.name);
    json.key("kind").string("function");
    json.end_object().end_array();
    json.end_object().end_array();
    json.key("partialFingerprints").begin_object();
    json.key("operator/v1").string(base::format("{} {} {}", report.chip->name, item.input.name, item.input.dtype));
    json.end_object();
    json.key("properties").begin_object();
    json.key("by").string(item.judgement.by);
    json.key("count").unsigned_integer(item.input.count);
    json.key("share").number(item.share);
    json.key("source").string(item.judgement.source);
    json.end_object();
    json.end_object();
}

}  // namespace

std::string operator_sarif(const OperatorReport& report) {
    base::JsonWriter json;
    json.begin_object();
    json.key("$schema").string(kSarifSchema);
    json.key("version").string("2.1.0");
    json.key("runs").begin_array().begin_object();
    json.key("tool").begin_object().key("driver").begin_object();
    json.key("name").string("migrator");
    json.key("version").string(base::kVersion);
    write_sarif_rules(json, report);
    json.end_object().end_object();
    json.key("results").begin_array();
    for (const JudgedOperator& item : report.operators) {
        if (is_told(item.judgement.worst())) write_sarif_result(json, report, item);
    }
    json.end_array();
    json.end_object().end_array();
    return std::move(json.end_object()).take() + "\n";
}

}  // namespace migrator
