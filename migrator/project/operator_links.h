// OperatorLinks: bindings of a project's C++ sources taken together to operators, with functions, kernels and calls.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/project/job.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

// Something of one file: the number of its job, and the number in the file's list.
struct InFile {
    std::size_t file = 0;
    std::size_t number = 0;
    auto operator<=>(const InFile&) const = default;
};

struct LinkedOperator {
    static constexpr std::size_t kNone = SIZE_MAX;

    std::string name;               // as operator_in_python names it
    std::vector<InFile> bindings;   // in the order of the rules
    std::vector<InFile> functions;  // that they name, definitions in front
    std::vector<InFile> kernels;    // functions that are reached and run on the device
    std::vector<InFile> calls;
    std::set<std::string> modules;
    std::set<std::string> wrappers;
    std::set<std::string> classes;  // of C++ that compute it with its gradient
    std::size_t gradient = kNone;   // among the operators
    bool is_gradient = false;       // of another one
};

class OperatorLinks {
public:
    OperatorLinks(const RuleSet& rules, const std::vector<JobFacts>& facts, const std::vector<base::Path>& paths)
        : rules_(rules), facts_(facts), paths_(paths) {}

    std::vector<LinkedOperator> run();

private:
    const OperatorBinding& binding(InFile at) const { return facts_[at.file].operators.bindings[at.number]; }
    const CppFunction& function(InFile at) const { return facts_[at.file].operators.functions[at.number]; }

    void index_functions();
    void gather_bindings();
    void name_modules();
    void find_functions(LinkedOperator& op) const;
    void find_calls();
    void join_classes();
    void find_gradients();
    void pair(std::size_t forward, std::size_t backward);

    const RuleSet& rules_;
    const std::vector<JobFacts>& facts_;
    const std::vector<base::Path>& paths_;
    std::vector<LinkedOperator> out_;
    std::map<std::string_view, std::vector<InFile>> functions_;           // by name
    std::map<std::string, std::vector<std::size_t>, std::less<>> named_;  // operators by name
};

}  // namespace migrator
