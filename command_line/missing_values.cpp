#include "command_line/missing_values.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/string_map.h"

namespace command_line {
namespace {

constexpr const char* kAllowed = "empty";

bool is_allowed(CLI::Option& option) {
    try {
        return option.get_validator(kAllowed) != nullptr;
    } catch (const CLI::OptionNotFound&) {
        return false;
    }
}

void add_option_names(CLI::App& app, base::StringSet& out) {
    for (CLI::App* part : app.get_subcommands({})) add_option_names(*part, out);
    for (const CLI::Option* option : app.get_options({})) {
        for (const std::string& name : option->get_lnames()) out.insert("--" + name);
    }
}

void check_values(CLI::App& app, const std::shared_ptr<const base::StringSet>& names) {
    for (CLI::App* part : app.get_subcommands({})) check_values(*part, names);
    for (CLI::Option* option : app.get_options({})) {
        if (option->get_expected_max() == 0) continue;
        const bool may_be_empty = is_allowed(*option);
        const bool is_positional = !option->nonpositional();
        option->check([names, may_be_empty, is_positional](const std::string& value) -> std::string {
            if (value.empty()) return may_be_empty ? "" : "the value is empty";
            if (is_positional || !names->contains(value)) return "";
            return base::format("the value is missing before {}", value);
        });
    }
}

}  // namespace

void allow_empty(CLI::Option& option) {
    option.check([](const std::string&) { return std::string(); }, "", kAllowed);
}

void refuse_missing_values(CLI::App& app) {
    const auto names = std::make_shared<base::StringSet>();
    names->insert("--");  // which ends the options
    add_option_names(app, *names);
    check_values(app, names);
}

}  // namespace command_line
