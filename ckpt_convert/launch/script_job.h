// ScriptJob: a program that a script starts, with its options as the program takes them, and the numbers that they say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/launch/launch_facts.h"
#include "ckpt_convert/launch/option_list.h"
#include "ckpt_convert/launch/script_check.h"
#include "ckpt_convert/launch/script_reading.h"

namespace ckpt {

struct ScriptJob {
    const ScriptProgram* program = nullptr;
    const ScriptReading* script = nullptr;
    const LaunchTarget* target = nullptr;
    const OptionList* list = nullptr;
    std::map<std::string, const ScriptOption*, std::less<>> options;  // the last of each, by its whole name
    ModelValues numbers;
    bool is_open = false;  // it may have more options than are known, so nothing is missing for sure

    const ScriptOption* option(std::string_view name) const;
    // The value of an option with one; nullptr: it is not given, or not known.
    const ScriptWord* value(std::string_view name) const;
    bool has(std::string_view name) const { return option(name) != nullptr; }
    // Whether the program trains or answers, and so is told of the model.
    bool runs_model() const;
    // 1 where "has_NAME" asks for an option that is given, 0 where it is missing for sure.
    Expression::Lookup lookup() const;
};

// The options by name, and what is wrong with them as such: unknown ones, values that do not fit, twice.
ScriptJob script_job(const ScriptProgram& program, const ScriptReading& script, const LaunchTarget& target,
                     const OptionList& list, const std::vector<OptionList>& others, const LaunchFacts& facts,
                     std::vector<ScriptFinding>& findings);

// The number that a text is; nullopt of anything else.
std::optional<double> number_in(std::string_view text);
// A truth as YAML has it, in any case, and as the programs take it on their command line.
std::optional<bool> truth_in(std::string_view text);

// Edits that take an option away, with its values.
std::vector<ScriptEdit> removed_option(const ScriptOption& option);
// An edit that gives the program one more option.
ScriptEdit added_option(const ScriptJob& job, const std::string& text);

}  // namespace ckpt
