#include "migrator/ruleset/places.h"

#include <algorithm>
#include <iterator>

#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

void append(std::vector<std::string>& out, const std::vector<std::string>& more) {
    out.insert(out.end(), more.begin(), more.end());
}

}  // namespace

base::Status add(RuleSet& set, EnvironmentPlaces places, const base::JsonPlace&) {
    add_parameters(set.environment_places.parameters, places.taken_by);
    append(set.environment_places.mappings, places.mappings);
    return {};
}

base::Status add(RuleSet& set, TextPlaces places, const base::JsonPlace&) {
    add_parameters(set.text_places.passed, places.passed_by);
    add_parameters(set.text_places.declared, places.declared_by);
    append(set.text_places.shown, places.shown);
    append(set.text_places.shown_by_methods, places.shown_by_methods);
    append(set.text_places.zipped, places.zipped);
    append(set.text_places.chained, places.chained);
    std::ranges::move(places.started, std::back_inserter(set.text_places.started));
    return {};
}

base::Status add(RuleSet& set, ScriptPlaces places, const base::JsonPlace&) {
    add_parameters(set.script_places.commands, places.started_by);
    for (const SettingsReader& reader : places.settings_read_by)
        add_parameters(set.script_places.settings.emplace_back(reader.as, ParametersByFunction()).second, reader.from);
    append(set.script_places.variable_options, places.variable_options);
    append(set.script_places.directives, places.directives);
    append(set.script_places.installers, places.installers);
    append(set.script_places.python_installers, places.python_installers);
    append(set.script_places.installer_values, places.installer_values);
    append(set.script_places.whole, places.whole);
    append(set.script_places.whole_under, places.whole_under);
    append(set.script_places.class_keys, places.class_keys);
    return {};
}

base::Status add(RuleSet& set, AdaptedNames names, const base::JsonPlace&) {
    append(set.adapted.guards, names.guards);
    append(set.adapted.packages, names.packages);
    append(set.adapted.features, names.features);
    append(set.adapted.source_words, names.source_words);
    append(set.adapted.target_words, names.target_words);
    append(set.adapted.directories_of_tests, names.directories_of_tests);
    append(set.adapted.questions, names.questions);
    append(set.adapted.default_keywords, names.default_keywords);
    append(set.adapted.variable_lookups, names.variable_lookups);
    append(set.adapted.default_lookups, names.default_lookups);
    append(set.adapted.switches, names.switches);
    append(set.adapted.harmless, names.harmless);
    append(set.adapted.values_of_source, names.values_of_source);
    set.adapted.support.insert(set.adapted.support.end(), names.support.begin(), names.support.end());
    set.adapted.forms = names.forms;
    return {};
}

}  // namespace migrator
