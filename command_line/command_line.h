// What both programs do alike with their words: help, version, manual, completions, licences, and errors that name
// what was meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace command_line {

// help and version are written as commands too: "help COMMAND" is "COMMAND --help".
std::vector<std::string> spelled_out(std::vector<std::string> words);

// Before options and commands are added: commands take over what is set here.
void begin(CLI::App& app);

// After all commands are added.
void add_common(CLI::App& app);

// nullopt: the words are parsed. Else what is to be printed instead: help, the version ... Fails with usage.
base::Result<std::optional<std::string>> parse(CLI::App& app, std::vector<std::string> words,
                                               const base::Language& language = {});

// The names of its commands.
std::vector<std::string> command_names(const CLI::App& app);

}  // namespace command_line
