#include "migrator/project/api_coverage.h"

#include <set>
#include <string_view>

namespace migrator {
namespace {

void count(std::optional<ApiTable::Facts> facts, ApiCoverageRow& row) {
    const ApiSupport support = !facts ? ApiSupport::unknown : facts->quiet ? ApiSupport::yes : facts->support;
    switch (support) {
        case ApiSupport::yes: ++row.supported; break;
        case ApiSupport::partly: ++row.limited; break;
        case ApiSupport::no: ++row.unsupported; break;
        case ApiSupport::unknown: ++row.not_listed; break;
    }
}

}  // namespace

std::vector<ApiCoverageRow> api_coverage(const RuleSet& rules, const std::vector<JobFacts>& facts, Version chosen) {
    std::set<std::string_view> names;
    for (const JobFacts& file : facts) names.insert(file.interfaces.begin(), file.interfaces.end());
    std::vector<ApiCoverageRow> rows;
    if (names.empty()) return rows;
    const std::vector<Version> versions = rules.apis.versions();
    for (std::size_t i = 0; i < versions.size(); ++i) {
        ApiCoverageRow row;
        row.version = versions[i].text();
        row.chosen = versions[i] <= chosen && (i + 1 == versions.size() || chosen < versions[i + 1]);
        for (std::string_view name : names) count(rules.apis.find(name, versions[i]), row);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace migrator
