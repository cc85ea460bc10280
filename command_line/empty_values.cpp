#include "command_line/empty_values.h"

#include <CLI/CLI.hpp>

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

std::string refusal(const std::string& value) { return value.empty() ? "the value is empty" : std::string(); }

}  // namespace

void allow_empty(CLI::Option& option) {
    option.check([](const std::string&) { return std::string(); }, "", kAllowed);
}

void refuse_empty_values(CLI::App& app) {
    for (CLI::App* part : app.get_subcommands({})) refuse_empty_values(*part);
    for (CLI::Option* option : app.get_options({})) {
        if (option->get_expected_max() > 0 && !is_allowed(*option)) option->check(&refusal);
    }
}

}  // namespace command_line
