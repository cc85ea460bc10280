#include "command_line/command_page.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/text.h"

namespace command_line {
namespace {

// What CLI11 says of a type: "TEXT:{npu,portable}".
std::vector<std::string> values_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{'), end = type.find('}');
    if (begin == type.npos || end == type.npos) return {};
    return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

// What stands behind the name.
std::string value_of(const CLI::Option& option, const std::vector<std::string>& values) {
    if (option.get_expected_max() == 0) return "";
    if (!option.get_option_text().empty()) return std::string(base::trimmed(option.get_option_text(), " "));
    constexpr std::size_t kShown = 4;
    if (!values.empty() && values.size() <= kShown) return base::joined(values, "|");
    const bool is_text = option.get_type_name().starts_with("TEXT");
    return is_text ? "TEXT" : "N";
}

constexpr const char* kSeveral = "...";

OptionLine line_of(const CLI::Option& option, bool is_positional) {
    OptionLine out;
    if (is_positional) {
        out.names.push_back(option.get_name(true, false));
    } else {
        for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
        for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
    }
    out.values = values_of(option);
    // A positional has a name instead of a value; "..." says that there may be several.
    if (!is_positional || option.get_option_text() == kSeveral) out.value = value_of(option, out.values);
    out.about = option.get_description();
    std::replace(out.about.begin(), out.about.end(), '\n', ' ');
    out.required = option.get_required();
    return out;
}

void add_options(CommandPage& page, const CLI::App& app, const std::string& title, bool is_rare) {
    OptionGroup group{title, {}};
    for (const CLI::Option* option : app.get_options()) {
        // A group of options is an App of its own, with help of its own.
        const bool is_help = option == app.get_help_ptr() || option == app.get_help_all_ptr();
        if (option->get_group().empty() || (is_help && app.get_name().empty())) continue;
        if (option->get_positional()) page.positionals.push_back(line_of(*option, true));
        if (option->nonpositional()) group.options.push_back(line_of(*option, false));
    }
    if (!group.options.empty()) (is_rare ? page.rare_groups : page.groups).push_back(std::move(group));
}

}  // namespace

std::string OptionLine::head() const {
    return value.empty() ? base::joined(names, ", ") : base::format("{} {}", base::joined(names, ", "), value);
}

std::string CommandPage::word() const { return path.substr(path.rfind(' ') + 1); }

std::string CommandPage::usage() const {
    std::string out = path;
    if (!groups.empty()) out += " [OPTIONS]";
    for (const OptionLine& positional : positionals) {
        const std::string name = positional.names.front() + positional.value;
        out += " " + (positional.required ? name : "[" + name + "]");
    }
    return commands.empty() ? out : out + " [COMMAND]";
}

std::vector<OptionGroup> CommandPage::all_groups() const {
    std::vector<OptionGroup> out = groups;
    out.insert(out.end(), rare_groups.begin(), rare_groups.end());
    return out;
}

CommandPage page_of(const CLI::App& app) {
    CommandPage out;
    for (const CLI::App* at = &app; at != nullptr; at = at->get_parent())
        out.path = out.path.empty() ? at->get_name() : at->get_name() + " " + out.path;
    out.about = app.get_description();
    out.footer = app.get_footer();
    add_options(out, app, "Options", false);
    for (const CLI::App* command : app.get_subcommands({})) {
        if (!command->get_name().empty()) {
            if (!command->get_group().empty()) out.commands.push_back(page_of(*command));
            continue;
        }
        add_options(out, *command, command->get_group(), command->get_description() == kRare);
    }
    return out;
}

std::vector<const CommandPage*> flattened(const CommandPage& page) {
    std::vector<const CommandPage*> out{&page};
    for (const CommandPage& command : page.commands) {
        const auto inner = flattened(command);
        out.insert(out.end(), inner.begin(), inner.end());
    }
    return out;
}

}  // namespace command_line
