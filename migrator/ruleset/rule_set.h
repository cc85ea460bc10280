// RuleSet: all rules of rules/, checked, and kept by each word in the way in which they are looked for.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "migrator/rule/rule.h"
#include "migrator/rule/style.h"
#include "migrator/ruleset/api.h"
#include "migrator/ruleset/argument.h"
#include "migrator/ruleset/code.h"
#include "migrator/ruleset/cuda.h"
#include "migrator/ruleset/environment.h"
#include "migrator/ruleset/files.h"
#include "migrator/ruleset/foreign.h"
#include "migrator/ruleset/framework.h"
#include "migrator/ruleset/import.h"
#include "migrator/ruleset/method.h"
#include "migrator/ruleset/name.h"
#include "migrator/ruleset/operator_call.h"
#include "migrator/ruleset/operators.h"
#include "migrator/ruleset/package.h"
#include "migrator/ruleset/pattern.h"
#include "migrator/ruleset/places.h"
#include "migrator/ruleset/process.h"
#include "migrator/ruleset/program.h"
#include "migrator/ruleset/runs.h"
#include "migrator/ruleset/sources.h"
#include "migrator/ruleset/tensors.h"
#include "migrator/ruleset/text_literal.h"
#include "migrator/ruleset/value.h"

namespace migrator {

class RuleSet {
public:
    // Reads every JSON file below the rule folders of `store`. Strict: an unknown key or word, a rule that looks for
    // nothing, two rules with one id or two rows for one name are rule_data errors with file:line:column.
    // The fixes are those of the style: rules without one in it only report.
    // Rules of another style or another road to Megatron are left out.
    static base::Result<RuleSet> load(const base::DataStore& store, StyleKind style = StyleKind::npu,
                                      std::string_view megatron = kMegatronRoads.front());
    // The same in each of these styles; every file is parsed once.
    static base::Result<std::vector<RuleSet>> load_styles(const base::DataStore& store,
                                                          std::span<const StyleKind> styles, std::string_view megatron);
    // The folders of rules/ that rule files are read from, and whether a file of the store is one of theirs; files that
    // lie in rules/ itself are read as well.
    static std::span<const std::string_view> folders();
    static bool is_read(std::string_view path);

    // Takes back the fixes that are not right in this version of the framework; what they find is reported, with the
    // reason.
    void restrict_to(Version version);

    const Rule* find_rule(std::string_view id) const;
    bool is_framework(std::string_view distribution) const;
    // The row of a name as a source spells it: a part of the qualified name at its end is enough, and of the rows with a
    // * the longest counts. nullptr: none.
    const SymbolRow* symbol(std::string_view spelled) const;
    // By key; nullptr when it is no spelling of a known operation.
    const OperationSpelling* spelling(std::string_view key) const;
    // Which values a variable of the target takes; nullptr: not known.
    const VariableValues* values_of(std::string_view variable) const;
    const ValueRemark* remark_on(std::string_view variable, std::string_view value) const;
    bool knows_variable(std::string_view name) const {
        return environment.find(name) != nullptr || values_of(name) != nullptr || value_remarks.contains(name);
    }
    // How the version that the rules are restricted to supports an interface; nullopt: the tables do not have it.
    std::optional<ApiTable::Facts> api(std::string_view qualified) const { return apis.find(qualified, version); }

    Style style;
    std::string megatron;            // the route
    std::set<std::string> left_out;  // ids of rules for other styles and routes
    std::vector<std::unique_ptr<Rule>> rules;
    ByName<const Rule*> by_id;
    Version version{1000, 0};  // the newest, until restrict_to

    // What the words, the tables and the sections of files keep.
    NameIndex names;
    RowsByName<MethodRow> methods;
    RowsByName<ArgumentRow> arguments;         // by qualified function
    RowsByName<ArgumentRow> method_arguments;  // by member, for objects of unknown class
    RowsByName<CallRow> calls;                 // by qualified function
    RowsByName<CallRow> method_calls;          // by member, for objects of unknown class
    std::vector<IndexRow> indexes;
    std::vector<TakenApartRow> taken_apart;
    std::vector<TrainingRow> trainings;
    std::vector<StringRow> strings;
    std::vector<ValueRow> values;
    std::vector<ImportRow> imports;
    std::vector<OwnImportRow> own_imports;
    std::vector<ForeignRow> foreign;
    std::vector<TextRow> texts;
    std::vector<SettingRow> settings;
    std::vector<CommandRow> commands;
    std::vector<FileRow> files;
    std::vector<RegistrationRow> registrations;
    std::vector<KernelRow> kernels;
    ByName<SymbolRow> symbols;
    std::vector<KnownOperatorRow> known_operators;
    OperatorPlaces operator_places;
    std::vector<ProgramRow> programs;
    std::vector<ProcessRow> processes;
    ApiTable apis;
    ApiRules api_rules;
    RunsRules runs_rules;
    std::vector<OperatorCallRow> operator_calls;
    LibraryTable libraries;  // what functions of libraries lead to
    const Rule* library_rule = nullptr;
    std::vector<PatternRow> patterns;
    std::vector<OperationRow> operations;
    ByName<OperationSpelling> spellings;
    std::vector<DefinitionRow> definitions;
    PackageIndex packages;
    EnvironmentIndex environment;
    ByName<VariableValues> variable_values;
    ByName<std::vector<ValueRemark>> value_remarks;  // by variable
    EnvironmentPlaces environment_places;
    ScriptPlaces script_places;
    TextPlaces text_places;
    AdaptedNames adapted;
    Framework framework;
    TensorFacts tensors;
    ByName<SourceEntry> sources;
};

// True when `pattern`, which may hold one '*', fits the whole of `name`.
bool fits(std::string_view pattern, std::string_view name);

// The message with values for its {name}, {to} and {note}.
base::Message fill_message(const std::string& message, std::string_view name, std::string_view to,
                           const base::Message& note);
// The message without a finding: "NAME becomes NEW NAME."
base::Message general_message(const Rule& rule);

}  // namespace migrator
