// RuleSet::restrict_to: what a version of the framework does not have is reported instead of written.
#include "base/format.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

void take_back(MethodRow& row) { row.fix.reset(); }
void take_back(EnvironmentRow& row) { row.same_values = false; }
void take_back(PatternRow& row) { row.write.clear(); }
template <class Row>
void take_back(Row& row) {  // of strings and values
    row.replace.clear();
    row.replace_by.clear();
}
void take_back(ArgumentRow& row) {
    row.add.clear();
    row.replace.clear();
    row.wrap.clear();
    row.remove = false;
}

}  // namespace

void RuleSet::restrict_to(Version version) {
    version_ = version;
    auto reason = [&](const VersionRange& range) {
        const std::string package = framework_.packages.empty() ? "" : framework_.packages.front() + " ";
        return base::Message("in {range} only, and this project has {version}",
                             {{"range", package + range.text()}, {"version", version.text()}});
    };
    auto lacks = [&](const VersionRange& range) { return !range.contains(version); };
    for (auto* names : {&names_, &prefixes_}) {
        for (auto& [name, row] : *names) {
            const VersionRange& range = row.versions.empty() ? row.rule->versions : row.versions;
            if ((!row.to && !row.at_run_time) || !lacks(range)) continue;
            row.kept_because = {"{to} is {reason}",
                                {{"to", row.on_npu.value_or(row.to.value_or(name))}, {"reason", reason(range)}}};
            row.to.reset();
            row.on_npu.reset();
            row.member.reset();
            row.at_run_time = false;
        }
    }
    auto restrict_rows = [&](auto& rows) {
        for (auto& row : rows) {
            if (lacks(row.rule->versions)) take_back(row);
        }
    };
    for (auto* index : {&arguments_, &method_arguments_}) {
        for (auto& [name, rows] : *index) restrict_rows(rows);
    }
    for (auto& [name, rows] : methods_) restrict_rows(rows);
    restrict_rows(patterns_);
    restrict_rows(strings_);
    restrict_rows(values_);
    restrict_rows(environment_list_);
    for (const auto& rule : rules_) {
        if (lacks(rule->versions))
            rule->remark = {"Not rewritten: the fix is right {reason}.", {{"reason", reason(rule->versions)}}};
    }
}

}  // namespace migrator
