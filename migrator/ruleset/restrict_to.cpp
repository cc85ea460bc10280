// RuleSet::restrict_to: what a version of the framework does not have is reported instead of written.
#include "base/format.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

void take_back(EnvironmentRow& row) { row.same_values = false; }
template <class Row>
void take_back(Row& row) {
    row.fix = {};
}

}  // namespace

void RuleSet::restrict_to(Version chosen) {
    version = chosen;
    auto reason = [&](const VersionRange& range) {
        const std::string package = framework.packages.empty() ? "" : framework.packages.front() + " ";
        return base::Message("in {range} only, and this project has {version}",
                             {{"range", package + range.text()}, {"version", version.text()}});
    };
    auto lacks = [&](const VersionRange& range) { return !range.contains(version); };
    names.each([&](const std::string& name, NameRow& row) {
        const VersionRange& range = row.versions.empty() ? row.rule->versions : row.versions;
        if ((!row.to && !row.at_run_time) || !lacks(range)) return;
        row.kept_because = {"{to} is {reason}",
                            {{"to", row.on_npu.value_or(row.to.value_or(name))}, {"reason", reason(range)}}};
        row.to.reset();
        row.on_npu.reset();
        row.member.reset();
        row.at_run_time = false;
    });
    auto restrict_rows = [&](auto& rows) {
        for (auto& row : rows) {
            if (lacks(row.rule->versions)) take_back(row);
        }
    };
    for (auto* index : {&arguments, &method_arguments}) {
        for (auto& [name, rows] : index->all) restrict_rows(rows);
    }
    for (auto& [name, rows] : methods.all) restrict_rows(rows);
    restrict_rows(patterns);
    restrict_rows(strings);
    restrict_rows(values);
    restrict_rows(environment.rows());
    for (const auto& rule : rules) {
        rule->holds = !lacks(rule->holds_in);
        if (lacks(rule->versions))
            rule->remark = {"Not rewritten: the fix is right {reason}.", {{"reason", reason(rule->versions)}}};
    }
}

}  // namespace migrator
