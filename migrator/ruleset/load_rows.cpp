// The rows of tables.
#include <array>

#include "base/format.h"
#include "migrator/ruleset/rule_loader.h"

namespace migrator {

RuleLoader::RowLoader RuleLoader::find_row(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, RowLoader>, 4> kWords{{
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
    if (out.same_values && !out.to) return row.error("\"same_values\" needs a \"to\"");
    // Another name of a variable is right on one kind of machine only.
    out.same_values &= set_.style_.kind != StyleKind::portable;
    if (!set_.environment_.emplace(out.name, set_.environment_list_.size()).second) {
        return row.error(base::format("there already is a variable \"{}\"", out.name));
    }
    set_.environment_list_.push_back(std::move(out));
    return {};
}

}  // namespace migrator
