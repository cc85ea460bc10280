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

struct OptionNames {
    base::StringSet all{"--"};  // which ends the options
    base::StringSet with_value;
};

void collect(CLI::App& app, OptionNames& out) {
    for (CLI::App* part : app.get_subcommands({})) collect(*part, out);
    for (const CLI::Option* option : app.get_options({})) {
        const auto add = [&](const std::string& name) {
            out.all.insert(name);
            if (option->get_expected_max() > 0) out.with_value.insert(name);
        };
        for (const std::string& name : option->get_lnames()) add("--" + name);
        for (const std::string& name : option->get_snames()) add("-" + name);
    }
}

// Names of options behind an option that wants a value. In "--report=--json" there is none: that is a path.
std::shared_ptr<const base::StringSet> names_for_values(CLI::App& app, const std::vector<std::string>& words) {
    OptionNames names;
    collect(app, names);
    auto out = std::make_shared<base::StringSet>();
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (names.with_value.contains(words[i - 1]) && names.all.contains(words[i])) out->insert(words[i]);
    }
    return out;
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

void refuse_missing_values(CLI::App& app, const std::vector<std::string>& words) {
    check_values(app, names_for_values(app, words));
}

}  // namespace command_line
