#include "migrator/project/operators.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "migrator/match/known_operators.h"
#include "migrator/project/operator_links.h"
#include "migrator/project/project.h"

namespace migrator {
namespace {

std::string signature_text(std::string_view name, const CppSignature& signature) {
    if (!signature.known) return {};
    std::string parameters;
    for (const CppParameter& each : signature.parameters) {
        parameters += parameters.empty() ? "" : ", ";
        parameters += each.type;
        if (!each.name.empty()) parameters += " " + each.name;
        if (!each.fallback.empty()) parameters += "=" + each.fallback;
    }
    return base::format("{}({}){}", name, parameters, signature.result.empty() ? "" : " -> " + signature.result);
}

std::string joined_names(const std::vector<NamedPlace>& all) {
    std::vector<std::string> names;
    for (const NamedPlace& each : all) {
        if (!base::contains(names, each.name)) names.push_back(each.name);
    }
    return some_of(names).text();
}

class OperatorFinder {
public:
    OperatorFinder(const RuleSet& rules, const std::vector<JobFacts>& facts, std::vector<ReportFile>& files)
        : rules_(rules), facts_(facts), files_(files) {}

    std::vector<ProjectOperator> run() {
        std::vector<base::Path> paths;
        for (std::size_t i = 0; i < facts_.size(); ++i) paths.push_back(files_[i].path);
        const std::vector<LinkedOperator> linked = OperatorLinks(rules_, facts_, paths).run();
        index_findings();
        std::vector<ProjectOperator> out;
        for (const LinkedOperator& op : linked) {
            if (op.is_gradient) continue;
            ProjectOperator made = described(op, linked);
            take_together(op, made);
            out.push_back(std::move(made));
        }
        for (std::size_t i = 0; i < files_.size(); ++i) {
            std::size_t number = 0;
            std::erase_if(files_[i].findings, [&](const ReportFinding&) { return gone_.contains({i, number++}); });
        }
        return out;
    }

private:
    const OperatorBinding& binding(InFile at) const { return facts_[at.file].operators.bindings[at.number]; }
    const CppFunction& function(InFile at) const { return facts_[at.file].operators.functions[at.number]; }
    std::string place(std::size_t file, std::uint32_t line) const {
        return base::format("{}:{}", files_[file].path, line);
    }

    // "Scale::backward"
    std::string gradient_of(const LinkedOperator& op, const std::string& of_class) const {
        for (const InFile& at : op.bindings) {
            const RegistrationRow& row = *binding(at).row;
            if (!row.bases.empty() && binding(at).subject == of_class)
                return base::format("{}::{}", of_class, row.methods.back());
        }
        return {};
    }

    ProjectOperator described(const LinkedOperator& op, const std::vector<LinkedOperator>& all) const {
        ProjectOperator out;
        OperatorRow& row = out.row;
        row.name = op.modules.size() == 1 ? base::format("{}.{}", *op.modules.begin(), op.name) : op.name;
        row.modules.assign(op.modules.begin(), op.modules.end());
        row.wrappers.assign(op.wrappers.begin(), op.wrappers.end());
        if (op.gradient != LinkedOperator::kNone) row.gradient = all[op.gradient].name;
        else if (!op.classes.empty()) row.gradient = gradient_of(op, *op.classes.begin());
        for (const InFile& at : op.bindings)
            row.bindings.push_back({binding(at).subject, place(at.file, binding(at).line)});
        for (const InFile& at : op.functions)
            row.functions.push_back({function(at).name, place(at.file, function(at).line)});
        for (const InFile& at : op.kernels)
            row.kernels.push_back({function(at).name, place(at.file, function(at).line)});
        for (const InFile& at : op.calls) {
            std::string where = place(at.file, facts_[at.file].operator_uses.calls[at.number].line);
            if (row.calls.empty() || row.calls.back() != where) row.calls.push_back(std::move(where));
        }
        out.signature = binding(op.bindings.front()).signature;
        if (!out.signature.known && !op.functions.empty()) out.signature = function(op.functions.front()).signature;
        row.signature = signature_text(last_part(op.name), out.signature);
        out.known = known(op, out);
        if (out.known != nullptr) {
            row.what = out.known->computes;
            row.replacement = out.known->to;
            row.difference = out.known->note;
        }
        return out;
    }

    // Names of kernels count where no other does.
    const KnownOperatorRow* known(const LinkedOperator& op, const ProjectOperator& described) const {
        std::vector<std::string> names{last_part(op.name)}, kernels;
        for (const InFile& at : op.bindings) names.push_back(binding(at).function);
        for (const NamedPlace& kernel : described.row.kernels) kernels.push_back(kernel.name);
        const KnownOperatorRow* found = known_operator(rules_, names, described.signature);
        return found != nullptr ? found : known_operator(rules_, kernels, described.signature);
    }

    // Where findings of bindings, kernels and calls of operators are, to be found again by what they are about.
    void index_findings() {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            for (std::size_t k = 0; k < files_[i].findings.size(); ++k) {
                const Finding& finding = files_[i].findings[k].outcome.finding;
                if (finding.kind != FindingKind::cuda_extension) continue;
                at_.emplace(std::pair{i, finding.range.begin}, k);
                // A function of a compiled module has no qualified name.
                const std::string_view op = operator_without_overload(finding.subject);
                if (files_[i].type == FileType::python && op.find('.') != op.npos)
                    called_[std::string(op)].push_back({i, k});
            }
        }
    }

    void absorb(InFile at, ReportFinding& into) {
        const ReportFinding& item = files_[at.file].findings[at.number];
        if (&item == &into || !gone_.insert(at).second) return;
        into.also.push_back(place_of(files_[at.file].path, item.outcome));
        Finding& kept = into.outcome.finding;
        kept.severity = std::max(kept.severity, item.outcome.finding.severity);
        kept.effort = std::max(kept.effort, item.outcome.finding.effort);
    }
    void absorb_at(std::size_t file, std::uint64_t begin, ReportFinding& into) {
        const auto found = at_.find(std::pair{file, begin});
        if (found != at_.end()) absorb({file, found->second}, into);
    }

    void take_together(const LinkedOperator& op, ProjectOperator& made) {
        const InFile first = op.bindings.front();
        const auto found = at_.find(std::pair{first.file, binding(first).range.begin});
        if (found == at_.end()) return;
        ReportFinding& item = files_[first.file].findings[found->second];
        Finding& finding = item.outcome.finding;
        // By a signature in another file it may not be what its name says.
        if (made.known == nullptr) become_unknown(*binding(first).row->rule, finding);
        for (const InFile& at : op.bindings) absorb_at(at.file, binding(at).range.begin, item);
        for (const InFile& at : op.kernels) absorb_at(at.file, function(at).begin, item);
        for (const InFile& at : called_[op.name]) absorb(at, item);
        if (made.known != nullptr) become_known(*made.known, finding);
        add_sentences(made.row, finding.message);
        made.row.effort = finding.effort;
        made.row.finding_id = item.id;
    }

    static void add_sentences(const OperatorRow& row, base::Message& message) {
        if (!row.gradient.empty()) message.add({"Its gradient is {name}.", {{"name", last_part(row.gradient)}}});
        if (!row.kernels.empty()) message.add({"It runs on kernels: {names}.", {{"names", joined_names(row.kernels)}}});
        if (!row.calls.empty()) message.add({"It is called from {places}.", {{"places", some_of(row.calls)}}});
    }

    const RuleSet& rules_;
    const std::vector<JobFacts>& facts_;
    std::vector<ReportFile>& files_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> at_;  // (file, offset) -> finding
    std::map<std::string, std::vector<InFile>, std::less<>> called_;   // findings of calls by operator
    std::set<InFile> gone_;
};

}  // namespace

std::vector<OperatorRow> operator_rows(const std::vector<ProjectOperator>& operators) {
    std::vector<OperatorRow> out;
    for (const ProjectOperator& op : operators) out.push_back(op.row);
    return out;
}

std::vector<ProjectOperator> find_operators(const RuleSet& rules, const std::vector<JobFacts>& facts,
                                            std::vector<ReportFile>& files) {
    return OperatorFinder(rules, facts, files).run();
}

}  // namespace migrator
