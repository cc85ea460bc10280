// The word "value": constants of a domain, and the places that take them.

#include "base/format.h"
#include "migrator/ruleset/rule_loader.h"

namespace migrator {

base::Status RuleLoader::load_parameters(const base::JsonDocument& document, const base::Json* list,
                                         Parameters& by_function, Parameters* by_method) {
    if (list == nullptr) return {};
    if (list->array() == nullptr) {
        return base::fail(base::ErrorKind::rule_data, "\"parameters\" must be a list of objects",
                          document.where(*list));
    }
    for (const base::Json& item : *list->array()) {
        TRY_ASSIGN(auto object, base::JsonObject::of(document, item));
        TRY_ASSIGN(auto functions, required_strings(object, "of"));
        ParameterRow row;
        TRY_ASSIGN(row.position, optional_position(object));
        TRY_ASSIGN(row.keyword, object.string_or("keyword", {}));
        TRY_ASSIGN(row.methods, object.boolean_or("methods", false));
        if (!row.position && row.keyword.empty())
            return object.error("a parameter has a \"position\", a \"keyword\" or both");
        if (row.methods && by_method == nullptr) return object.error("\"methods\" has no meaning here");
        TRY(object.finish());
        for (const std::string& function : functions) {
            by_function[function].push_back(row);
            if (row.methods) (*by_method)[function.substr(function.rfind('.') + 1)].push_back(row);
        }
    }
    return {};
}

base::Status RuleLoader::load_value(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("value"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    ValueRow row;
    row.rule = words.rule;
    TRY_ASSIGN(std::string form, object.string("form"));
    if (form == "backend") row.form = ValueRow::Form::backend;
    else if (form == "word") row.form = ValueRow::Form::word;
    else if (form != "device") return object.error(base::format("\"form\" cannot be \"{}\"", form));
    TRY_ASSIGN(row.tokens, required_strings(object, "tokens"));
    TRY(load_parameters(object.document(), object.optional("parameters"), row.parameters, &row.methods));
    TRY_ASSIGN(row.results, object.strings("results"));
    TRY_ASSIGN(row.carriers, object.strings("carriers"));
    TRY_ASSIGN(row.kept_keys, object.strings("kept_keys"));
    TRY_ASSIGN(row.properties, object.strings("properties"));
    TRY_ASSIGN(row.text_of, object.strings("text_of"));
    TRY_ASSIGN(row.packages, object.strings("packages"));
    TRY_ASSIGN(row.options, object.strings("options"));
    TRY_ASSIGN(row.option_values, object.strings("option_values"));
    TRY(object.finish());
    if (row.parameters.empty() && row.results.empty() && row.carriers.empty()) {
        return object.error("a value rule needs places to look at: \"parameters\", \"results\" or \"carriers\"");
    }
    TRY_ASSIGN(row.replace, string_map(words.on_npu, "replace"));
    if (set_.style_.kind != StyleKind::portable) static_cast<void>(words.fix.optional("replace"));
    TRY_ASSIGN(row.replace_by, string_map(words.fix, "replace_by"));
    for (const std::string& token : row.tokens) {
        if (!row.replace.contains(token)) {
            return words.on_npu.error(
                base::format("\"{}\" is looked for, but \"replace\" does not say what becomes of it", token));
        }
    }
    set_.values_.push_back(std::move(row));
    return {};
}

}  // namespace migrator
