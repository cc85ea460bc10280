// The rows of tables.
#include <array>

#include "base/format.h"
#include "migrator/ruleset/rule_loader.h"

namespace migrator {

RuleLoader::RowLoader RuleLoader::find_row(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, RowLoader>, 6> kWords{{
        {"symbol", &RuleLoader::load_symbol_row},
        {"variable_value", &RuleLoader::load_variable_row},
        {"name", &RuleLoader::load_name_row},
        {"module", &RuleLoader::load_module_row},
        {"package", &RuleLoader::load_package_row},
        {"environment", &RuleLoader::load_environment_row},
    }};
    for (const auto& [known, loader] : kWords) {
        if (known == word) return loader;
    }
    return nullptr;
}

// What the name becomes in the chosen style.
void RuleLoader::choose_target(const std::string& name, NameRow& row,
                               const std::optional<std::string>& portable) const {
    row.on_npu = row.to;
    const Style& style = set_.style_;
    if (style.kind == StyleKind::automatic && row.at_run_time) row.to.reset();
    if (style.kind != StyleKind::portable || !row.to) return;
    if (portable) row.to = portable;
    else if (const std::string target = style.target(name, *row.to); !target.empty()) row.to = target;
    else row.to.reset();
}

base::Status RuleLoader::add_name(const base::JsonObject& object, std::string name, NameRow row) {
    auto& index = row.reach == NameRow::Reach::below ? set_.prefixes_ : set_.names_;
    auto [at, fresh] = index.emplace(std::move(name), std::move(row));
    if (fresh) return {};
    return object.error(
        base::format("\"{}\" is already spoken for by the rule \"{}\"", at->first, at->second.rule->id));
}

base::Status RuleLoader::load_any_name_row(base::JsonObject& row, const Rule* rule, NameRow::Reach reach) {
    TRY_ASSIGN(std::string name, row.string("name"));
    NameRow out;
    out.rule = rule;
    out.reach = reach;
    TRY_ASSIGN(out.to, optional_string(row, "to"));
    if (out.to == name) return row.error(base::format("\"{}\" is renamed to itself", name));
    TRY_ASSIGN(out.note, row.string_or("note", {}));
    TRY_ASSIGN(out.source, row.string_or("source", {}));
    TRY_ASSIGN(out.effort, effort_of(row, rule->effort));
    TRY_ASSIGN(out.versions, version_range(row));
    if (reach == NameRow::Reach::module) {
        TRY_ASSIGN(out.to_member, row.boolean_or("to_member", false));
    }
    TRY_ASSIGN(out.at_run_time, row.boolean_or("at_run_time", rule->at_run_time));
    out.at_run_time &= set_.style_.kind == StyleKind::automatic;
    TRY_ASSIGN(auto portable, optional_string(row, "portable"));
    choose_target(name, out, portable);
    return add_name(row, std::move(name), std::move(out));
}

base::Status RuleLoader::load_name_row(base::JsonObject& row, const Rule* rule, const std::string&) {
    return load_any_name_row(row, rule, NameRow::Reach::exact);
}

base::Status RuleLoader::load_module_row(base::JsonObject& row, const Rule* rule, const std::string&) {
    return load_any_name_row(row, rule, NameRow::Reach::module);
}

base::Status RuleLoader::load_package_row(base::JsonObject& row, const Rule* rule, const std::string& status) {
    if (status.empty()) return row.error("a table of packages has a \"status\"");
    PackageRow out;
    out.rule = rule;
    out.status = status;
    TRY_ASSIGN(out.name, row.string("package"));
    TRY_ASSIGN(auto modules, row.strings("modules"));
    TRY_ASSIGN(out.advice, row.string_or("advice", {}));
    TRY_ASSIGN(out.source, row.string_or("source", {}));
    TRY_ASSIGN(out.effort, effort_of(row, rule->effort));
    TRY_ASSIGN(out.quiet, row.boolean_or("quiet", false));
    std::string key = normalise_distribution(out.name);
    std::string name = out.name;
    if (!set_.packages_.emplace(key, std::move(out)).second)
        return row.error(base::format("there already is a package \"{}\"", name));
    // Several distributions may bring the same module: the one of its name speaks for it, or else the first.
    for (std::string& module : modules) {
        bool same_name = normalise_distribution(module) == key;
        auto [at, fresh] = set_.package_modules_.emplace(std::move(module), key);
        if (!fresh && same_name) at->second = key;
    }
    return {};
}

base::Status RuleLoader::load_environment_row(base::JsonObject& row, const Rule* rule, const std::string&) {
    EnvironmentRow out;
    out.rule = rule;
    TRY_ASSIGN(out.name, row.string("name"));
    TRY_ASSIGN(out.to, optional_string(row, "to"));
    TRY_ASSIGN(out.same_values, row.boolean_or("same_values", false));
    TRY_ASSIGN(out.note, row.string_or("note", {}));
    TRY_ASSIGN(out.source, row.string_or("source", {}));
    TRY_ASSIGN(out.effort, effort_of(row, rule->effort));
    TRY_ASSIGN(out.values, string_map(row, "values"));
    if ((out.same_values || !out.values.empty()) && !out.to)
        return row.error("a new value (\"same_values\", \"values\") needs a \"to\"");
    if (out.same_values && !out.values.empty()) return row.error("\"same_values\" and \"values\" exclude each other");
    for (const EnvironmentRow& other : set_.environment_list_) {
        if (out.name.ends_with('*') && other.name.ends_with('*') && other.name != out.name &&
            fits(other.name, out.name))
            return row.error(base::format("\"{}\" cannot be reached: \"{}\" covers it", out.name, other.name));
    }
    // Another name of a variable is right on one kind of machine only.
    if (set_.style_.kind == StyleKind::portable) {
        out.same_values = false;
        out.values.clear();
    }
    if (!set_.environment_.emplace(out.name, set_.environment_list_.size()).second) {
        return row.error(base::format("there already is a variable \"{}\"", out.name));
    }
    if (out.name.ends_with('*')) set_.environment_patterns_.push_back(set_.environment_list_.size());
    set_.environment_list_.push_back(std::move(out));
    return {};
}

base::Status RuleLoader::load_symbol_row(base::JsonObject& row, const Rule* rule, const std::string&) {
    SymbolRow out;
    out.rule = rule;
    TRY_ASSIGN(out.name, row.string("name"));
    TRY_ASSIGN(out.to, row.string_or("to", {}));
    TRY_ASSIGN(out.note, row.string_or("note", {}));
    TRY_ASSIGN(out.source, row.string_or("source", {}));
    TRY_ASSIGN(out.effort, effort_of(row, rule->effort));
    if (out.name.find('*') < out.name.size() - 1 || out.name == "*")
        return row.error("a symbol may have a * at its end only, behind something");
    const std::string name = out.name;
    if (!set_.symbols_.emplace(name, std::move(out)).second)
        return row.error(base::format("there already is a symbol \"{}\"", name));
    return {};
}

base::Status RuleLoader::load_variable_row(base::JsonObject& row, const Rule* rule, const std::string&) {
    VariableValues out;
    out.rule = rule;
    TRY_ASSIGN(const std::string name, row.string("name"));
    TRY_ASSIGN(out.limits, ValueLimits::read(row));
    if (const base::Json* options = row.optional("options")) {
        TRY_ASSIGN(auto by_name, base::JsonObject::of(row.document(), *options));
        for (const auto& [option, limits] : by_name.members()) {
            TRY_ASSIGN(auto object, base::JsonObject::of(row.document(), limits));
            TRY_ASSIGN(out.options[option], ValueLimits::read(object));
            TRY(object.finish());
        }
    }
    if (!set_.variable_values_.emplace(name, std::move(out)).second)
        return row.error(base::format("there already is a row for the values of \"{}\"", name));
    return {};
}

}  // namespace migrator
