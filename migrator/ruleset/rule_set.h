// RuleSet: all rules of rules/, checked and indexed by what they look for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "migrator/ruleset/api_table.h"
#include "migrator/ruleset/library_table.h"
#include "migrator/ruleset/pattern_rows.h"
#include "migrator/ruleset/rule.h"
#include "migrator/ruleset/style.h"
#include "migrator/ruleset/tensor_facts.h"
#include "migrator/ruleset/variable_values.h"

namespace migrator {

class RuleSet {
public:
    // Reads every JSON file below the rule folders of `store`. Strict: an unknown key or word, a rule that looks for
    // nothing, two rules with one id or two rows for one name are rule_data errors with file:line:column.
    // The fixes are those of the style: rules without one in it only report.
    static base::Result<RuleSet> load(const base::DataStore& store, StyleKind style = StyleKind::npu);
    // The folders of rules/ that rule files are read from, and whether a file of the store is one of theirs; files that
    // lie in rules/ itself are read as well.
    static std::span<const std::string_view> folders();
    static bool is_read(std::string_view path);

    const Style& style() const { return style_; }

    std::span<const std::unique_ptr<Rule>> rules() const { return rules_; }
    const Rule* find_rule(std::string_view id) const;

    const Framework& framework() const { return framework_; }
    bool is_framework(std::string_view distribution) const;
    // Takes back the fixes that are not right in this version of the framework; what they find is reported, with the
    // reason.
    void restrict_to(Version version);

    // The row of exactly this name (`exact` or `module`), or nullptr.
    const NameRow* name_row(std::string_view qualified) const;
    // The `below` row of the longest module that the name is in, or nullptr. Not for the module itself.
    const NameRow* prefix_row(std::string_view qualified) const;
    // What `qualified` is called after all renames: its own row, or that of the longest renamed module above it.
    std::string renamed(std::string_view qualified) const;

    std::span<const MethodRow> methods(std::string_view member) const;
    std::span<const ArgumentRow> arguments(std::string_view function) const;
    // The rows for members of this name on objects of unknown class.
    std::span<const ArgumentRow> method_arguments(std::string_view member) const;
    // By qualified function, and by member for objects of unknown class.
    std::span<const CallRow> calls(std::string_view function) const;
    std::span<const CallRow> method_calls(std::string_view member) const;
    std::span<const IndexRow> indexes() const { return indexes_; }
    std::span<const TakenApartRow> taken_apart() const { return taken_apart_; }
    std::span<const TrainingRow> trainings() const { return trainings_; }
    std::span<const StringRow> strings() const { return strings_; }
    std::span<const ValueRow> values() const { return values_; }

    const EnvironmentRow* environment_row(std::string_view variable) const;
    std::span<const EnvironmentRow> environment_rows() const { return environment_list_; }
    // Which values a variable of the target takes; nullptr: not known.
    const std::map<std::string, VariableValues, std::less<>>& variable_values() const { return variable_values_; }
    const VariableValues* variable_values(std::string_view variable) const;
    bool knows_variable(std::string_view name) const {
        return environment_row(name) != nullptr || variable_values(name) != nullptr;
    }
    const EnvironmentPlaces& environment_places() const { return environment_places_; }
    const ScriptPlaces& script_places() const { return script_places_; }

    // By module: the longest listed one that `module` is or is in ("nvidia.dali" before "nvidia").
    const PackageRow* package_of_module(std::string_view module) const;
    // By distribution, as requirements spell it: case, '-', '_' and '.' make no difference.
    const PackageRow* package(std::string_view distribution) const;
    // Distribution -> status ("native", "ascend_fork" ...), for the report's table.
    std::map<std::string, std::string> package_status() const;

    std::span<const ImportRow> imports() const { return imports_; }
    std::span<const TextRow> texts() const { return texts_; }
    std::span<const FileRow> files() const { return files_; }
    std::span<const RegistrationRow> registrations() const { return registrations_; }
    // The row of a name as a source spells it: a part of the qualified name at its end is enough, and of the rows with a
    // * the longest counts. nullptr: none.
    const SymbolRow* symbol(std::string_view spelled) const;
    const std::map<std::string, SymbolRow, std::less<>>& symbols() const { return symbols_; }
    std::span<const KernelRow> kernels() const { return kernels_; }
    std::span<const ProgramRow> programs() const { return programs_; }
    const AdaptedNames& adapted() const { return adapted_; }
    const TextPlaces& text_places() const { return text_places_; }

    std::span<const PatternRow> patterns() const { return patterns_; }
    std::span<const OperationRow> operations() const { return operations_; }
    // By key; nullptr when it is no spelling of a known operation.
    const OperationSpelling* spelling(std::string_view key) const;
    std::span<const DefinitionRow> definitions() const { return definitions_; }

    // How the version that the rules are restricted to supports an interface; nullopt: the tables do not have it.
    std::optional<ApiTable::Facts> api(std::string_view qualified) const { return apis_.find(qualified, version_); }
    const ApiTable& apis() const { return apis_; }
    const ApiRules& api_rules() const { return api_rules_; }
    const TensorFacts& tensors() const { return tensors_; }

    // What functions of libraries lead to, and the rule that says so (nullptr: nothing is said).
    LibraryTable& libraries() { return libraries_; }
    const LibraryTable& libraries() const { return libraries_; }
    const Rule* library_rule() const { return library_rule_; }

    // All exact and module rows, by name: for the runner that makes a case of every row.
    const std::map<std::string, NameRow, std::less<>>& name_rows() const { return names_; }

private:
    friend class RuleLoader;
    template <class T>
    using ByName = std::map<std::string, T, std::less<>>;

    Framework framework_;
    Style style_;
    std::vector<std::unique_ptr<Rule>> rules_;
    ByName<const Rule*> by_id_;
    ByName<NameRow> names_;
    ByName<NameRow> prefixes_;
    ByName<std::vector<MethodRow>> methods_;
    ByName<std::vector<ArgumentRow>> arguments_;
    ByName<std::vector<ArgumentRow>> method_arguments_;
    ByName<std::vector<CallRow>> calls_;
    ByName<std::vector<CallRow>> method_calls_;
    std::vector<IndexRow> indexes_;
    std::vector<TakenApartRow> taken_apart_;
    std::vector<TrainingRow> trainings_;
    std::vector<StringRow> strings_;
    std::vector<ValueRow> values_;
    ByName<std::size_t> environment_;  // exact names -> environment_list_
    std::vector<EnvironmentRow> environment_list_;
    std::vector<std::size_t> environment_patterns_;  // those of them whose names end with "*"
    ByName<VariableValues> variable_values_;
    EnvironmentPlaces environment_places_;
    ScriptPlaces script_places_;
    ByName<PackageRow> packages_;          // by normalised distribution
    ByName<std::string> package_modules_;  // module -> normalised distribution
    std::vector<ImportRow> imports_;
    std::vector<TextRow> texts_;
    std::vector<FileRow> files_;
    std::vector<RegistrationRow> registrations_;
    ByName<SymbolRow> symbols_;
    std::vector<KernelRow> kernels_;
    std::vector<ProgramRow> programs_;
    AdaptedNames adapted_;
    TextPlaces text_places_;
    std::vector<PatternRow> patterns_;
    std::vector<OperationRow> operations_;
    ByName<OperationSpelling> spellings_;
    std::vector<DefinitionRow> definitions_;
    ApiTable apis_;
    ApiRules api_rules_;
    TensorFacts tensors_;
    LibraryTable libraries_;
    const Rule* library_rule_ = nullptr;
    Version version_{1000, 0};  // the newest, until restrict_to
};

// "Flash_Attn" -> "flash-attn": how package names are compared.
std::string normalise_distribution(std::string_view name);

// True when `pattern`, which may hold one '*', fits the whole of `name`.
bool fits(std::string_view pattern, std::string_view name);

// The message with values for its {name}, {to} and {note}.
base::Message fill_message(const std::string& message, std::string_view name, std::string_view to,
                           const base::Message& note);
// The message without a finding: "NAME becomes NEW NAME."
base::Message general_message(const Rule& rule);

}  // namespace migrator
