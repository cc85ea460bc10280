// OptionList: the options that training programs know: rules/launch/options_*.json and fsdp2_yaml_keys.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule_file.h"
#include "ckpt_convert/base_names.h"

namespace ckpt {

// What argparse takes behind an option.
inline constexpr auto kOptionValues =
    std::to_array<std::string_view>({"none", "switch", "maybe", "any", "some", "many"});
inline constexpr auto kOptionTypes = std::to_array<std::string_view>({"int", "float", "bool", "list", "any"});

struct OptionRow {
    std::string name;
    std::string takes;
    std::string type;
    std::vector<std::string> words;
    std::optional<std::string> default_value;
    std::vector<std::string> aliases;
    std::string layer, program, since, until;
    bool required = false;

    bool takes_nothing() const { return takes == "none" || takes == "switch"; }
};
constexpr auto record_of(const OptionRow*) {
    using base::field;
    return base::record(
        "launch_option", "an option of a program, or a key of its YAML file",
        field("name", &OptionRow::name, "its name: `--num-layers`, or `section.key` of YAML").needed(),
        field(
            "takes", &OptionRow::takes,
            "`none`: no value, `switch`: none, and there is --no-NAME, `maybe`: one or none, `any` number, `some`: at "
            "least one, `many`: a fixed number; without it one")
            .one_of(kOptionValues),
        field("type", &OptionRow::type, "of its values; without it a text").one_of(kOptionTypes),
        field("words", &OptionRow::words, "the values that it takes; without them any"),
        field("default", &OptionRow::default_value, "what it is when it is not given"),
        field("aliases", &OptionRow::aliases, "its other names"),
        field("layer", &OptionRow::layer, "the project that adds it; without it the one that all are based on"),
        field("program", &OptionRow::program, "the program that has it; without it all that train"),
        field("since", &OptionRow::since, "the first release that has it"),
        field("until", &OptionRow::until, "the last one"), field("required", &OptionRow::required, "it must be given"));
}

struct OptionFile : base::RuleFileHead {
    std::vector<std::string> releases;
    std::map<std::string, std::string, std::less<>> reads;
    std::vector<OptionRow> options;
};
constexpr auto record_of(const OptionFile*) {
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "launch_options",
        "the options of a project's programs",
        base::field("releases", &OptionFile::releases, "those that `since` and `until` name, in order"),
        base::field("reads", &OptionFile::reads, "by program another one, whose options it takes as well"),
        base::field("options", &OptionFile::options, "the options").needed());
}

class OptionList {
public:
    // rules/launch/NAME.json; `release`: of its releases the one that counts, empty: any.
    static Result<OptionList> load(const base::DataStore& store, const std::string& name, const std::string& release);

    // Of a program, or of all that train; by the name, an alias, or --no-NAME of a switch. nullptr: the release has none.
    const OptionRow* find(std::string_view name, std::string_view program) const;
    // Those that a word stands for as argparse has it: what begins with it.
    std::vector<const OptionRow*> beginning(std::string_view word, std::string_view program) const;
    // Of another release, when this one does not have it: "0.17.1 and later", "0.12.1 and before"; empty: of none.
    std::string elsewhere(std::string_view name) const;
    // Whether any option belongs to this program alone.
    bool has_program(std::string_view program) const;
    std::vector<std::string> names(std::string_view program) const;
    // The keys of YAML that must be given.
    std::vector<std::string> required(std::string_view program) const;

private:
    bool has(const OptionRow& row, std::string_view program) const;

    OptionFile file_;
    std::size_t release_ = 0;  // in file_.releases
};

}  // namespace ckpt
