// CommandPage: what a program says of one of its commands. Help, manual, reference and completions are made of it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace command_line {

struct OptionLine {
    std::vector<std::string> names;   // "-o", "--output"; of a positional: its name
    std::string value;                // "OUT"; empty: a flag
    std::string about;                // one line
    std::vector<std::string> values;  // all that it may be; empty: anything
    bool required = false;

    // "-o, --output OUT"
    std::string head() const;
};

struct OptionGroup {
    std::string title;
    std::vector<OptionLine> options;
};

struct CommandPage {
    std::string path;  // "migrator rules list"
    std::string about;
    std::string footer;  // examples and notes
    std::vector<OptionLine> positionals;
    std::vector<OptionGroup> groups;
    std::vector<OptionGroup> rare_groups;  // shown by --help-all
    std::vector<CommandPage> commands;

    std::string word() const;   // "list"
    std::string usage() const;  // "migrator rules list [OPTIONS] DIR"
    // All groups, the rare ones last.
    std::vector<OptionGroup> all_groups() const;
};

// What the description of a group of options is when only --help-all shows it.
inline constexpr const char* kRare = "rare";

CommandPage page_of(const CLI::App& app);

// The page and those of its commands, from the outside in.
std::vector<const CommandPage*> flattened(const CommandPage& page);

}  // namespace command_line
