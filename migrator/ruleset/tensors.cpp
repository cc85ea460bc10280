#include "migrator/ruleset/tensors.h"

#include "base/text.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status add(RuleSet& set, TensorFacts facts, const base::JsonPlace& at) {
    if (!set.tensors.type.empty()) return at.error("there already is a \"tensors\"");
    set.tensors = std::move(facts);
    return {};
}

bool TensorFacts::excludes(const std::vector<std::string>& accepted, std::string_view dtype) const {
    auto lists = [&](std::string_view word) { return base::contains(accepted, word); };
    return !lists(dtype) && std::count_if(proof.begin(), proof.end(), lists) >= 2;
}

}  // namespace migrator

base::Result<migrator::WordsByName> base::InJson<migrator::WordsByName>::read(const JsonPlace& at) {
    TRY_ASSIGN(auto lists, read_json<migrator::ByName<std::vector<std::string>>>(at));
    migrator::WordsByName out;
    for (auto& [word, names] : lists) {
        for (std::string& name : names) out.emplace(std::move(name), word);
    }
    return out;
}
