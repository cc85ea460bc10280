#include "migrator/project/registered_operators.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/format.h"

namespace migrator {
namespace {

constexpr std::size_t kPlacesShown = 3;

std::set<std::string_view> registering_rules(const RuleSet& rules) {
    std::set<std::string_view> out;
    for (const RegistrationRow& row : rules.registrations) out.insert(row.rule->id);
    return out;
}

base::Message sentence(const std::vector<std::string>& places) {
    const std::size_t shown = std::min(places.size(), kPlacesShown);
    const std::string first = base::joined(
        std::vector<std::string>(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shown)), ", ");
    if (places.size() == shown) return {"It is called from {places}.", {{"places", first}}};
    return {"It is called from {places} and {count} more.",
            {{"places", first}, {"count", std::to_string(places.size() - shown)}}};
}

}  // namespace

bool registers_operators(const std::vector<Job>& jobs) {
    return std::ranges::any_of(
        jobs, [](const Job& job) { return job.file->type == FileType::cuda || job.file->type == FileType::cpp; });
}

void add_operator_calls(const RuleSet& rules, const std::vector<JobFacts>& facts, std::vector<ReportFile>& files) {
    const std::set<std::string_view> registering = registering_rules(rules);
    std::vector<Finding*> registrations;
    std::map<std::string, std::vector<std::string>> places;  // by the operator in Python: "train.py:12"
    for (ReportFile& file : files) {
        for (ReportFinding& item : file.findings) {
            Finding& finding = item.outcome.finding;
            if (!registering.contains(finding.rule)) continue;
            registrations.push_back(&finding);
            places[operator_in_python(finding.subject)];
        }
    }
    for (std::size_t i = 0; i < facts.size(); ++i) {
        for (const OperatorCall& call : facts[i].operator_calls) {
            const auto op = places.find(call.op);
            const std::string place = base::format("{}:{}", files[i].path, call.line);
            if (op != places.end() && (op->second.empty() || op->second.back() != place)) op->second.push_back(place);
        }
    }
    for (Finding* finding : registrations) {
        if (const auto& called = places[operator_in_python(finding->subject)]; !called.empty())
            finding->message.add(sentence(called));
    }
}

}  // namespace migrator
