// Which jobs the frameworks refuse, or run wrongly: rules/planner/legality.json, each rule with a job that it accepts and
// one that it rejects.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/rule_file.h"
#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/job/training_job.h"
#include "ckpt_convert/mapping/model_values.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// Numbers and switches of a job by the names that rules use.
using JobFacts = std::map<std::string, std::int64_t, std::less<>>;

// What a job says of itself. Scripts know more (options of kernels, of the allocator), and add it.
JobFacts facts_of(const ModelShape& model, const TrainingJob& job, bool npu);

struct LegalityRule {
    std::string id;
    std::optional<Expression> when;  // absent: always
    std::optional<Expression> that;
    std::string because;  // with {names} of facts
    std::string instead;  // what to do
    std::string source;
    JobFacts accepts, rejects;  // facts that differ from those of a plain job on one device
};
constexpr auto record_of(const LegalityRule*) {
    using base::field;
    return base::record(
        "legality_rule", "a job that a framework refuses, or runs wrongly",
        field("id", &LegalityRule::id, "a word that stays").needed(),
        field("when", &LegalityRule::when, "the jobs that it is about: an expression over facts; without it all"),
        field("that", &LegalityRule::that, "what holds for a legal job").needed(),
        field("because", &LegalityRule::because, "what is wrong otherwise; `{name}` is the value of a fact").needed(),
        field("instead", &LegalityRule::instead, "what to do").needed(),
        field("source", &LegalityRule::source, "where the rule comes from").needed(),
        field("accept", &LegalityRule::accepts, "facts of a job that it accepts").needed(),
        field("reject", &LegalityRule::rejects, "facts of a job that it rejects").needed());
}

struct LegalityRules : base::RuleFileHead {
    std::vector<LegalityRule> rules;
};
constexpr auto record_of(const LegalityRules*) {
    return base::extended(record_of(static_cast<const base::RuleFileHead*>(nullptr)), "legality",
                          "jobs that frameworks refuse, or run wrongly",
                          base::field("rules", &LegalityRules::rules, "one each").needed());
}

// Fails with rule_data.
Result<LegalityRules> load_legality(const base::DataStore& store);

struct Illegal {
    const LegalityRule* rule = nullptr;
    std::string because;  // with the values
    std::string instead;
};

// The rules that a job breaks. A rule that asks for a fact that is not there says nothing. Fails with rule_data where an
// expression cannot be computed.
Result<std::vector<Illegal>> broken_rules(const LegalityRules& rules, const JobFacts& facts);
// The first of them; nullptr: the job is legal. Without texts, for searches.
Result<const LegalityRule*> first_broken(const LegalityRules& rules, const JobFacts& facts);

}  // namespace ckpt
