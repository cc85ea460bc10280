// ScriptReading: what a launch script does when a shell runs it straight through: its variables expanded, the scripts that it
// sources read, and the programs that it starts with their options. Nothing is executed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"

namespace ckpt {

// Where a text stands: what --fix replaces.
struct ScriptPlace {
    std::uint32_t file = 0;   // in ScriptReading::files
    std::uint64_t begin = 0;  // bytes in the file
    std::uint64_t end = 0;
};

struct ScriptFile {
    Path path;
    std::string text;
};

// A word after expansion. Its place is that of what it came from: of "$TP" the value of TP=2.
struct ScriptWord {
    std::string text;
    ScriptPlace place;
    ScriptPlace at{};          // where the word stands that it came from: "$TP"
    bool is_known = true;      // false: a part of it is what a command prints, or what the environment has
    bool may_be_none = false;  // it may be no word at all, or several: $UNKNOWN without quotes, "$@"
    bool is_open = false;      // a script that was not read may set it, to options as well
};

struct ScriptOption {
    std::string name;
    ScriptPlace place;
    ScriptPlace at;  // as of a word
    std::vector<ScriptWord> values;

    bool has_known_values() const;
};

// A program that is started, with all that stands behind its name.
struct ScriptProgram {
    std::string name;  // "pretrain_gpt.py"
    ScriptPlace place;
    ScriptPlace end;  // where one more option can be written: behind the name, or behind what became it
    std::vector<ScriptOption> launcher;  // options in front of the program: --nproc_per_node
    std::vector<ScriptOption> options;
    std::vector<ScriptWord> arguments;  // in front of the options
    bool is_open = false;               // a script that was not read may give it more options
    bool is_launcher_open = false;      // the same of those in front of it
};

struct ScriptVariable {
    std::string name;
    ScriptWord value;
    bool exported = false;
};

// A slip of the shell's own language, which it says nothing of.
struct ScriptSlip {
    ScriptPlace place;
    std::string what;  // a sentence
    std::string right;
    std::string fixed;  // what stands there instead
    bool is_error = true;
    bool can_fix = true;
    std::vector<ScriptPlace> also{};  // more places of the same
};

struct ScriptReading {
    std::vector<ScriptFile> files;
    std::vector<ScriptProgram> programs;
    std::vector<ScriptVariable> variables;         // every assignment, in order
    std::vector<std::vector<std::size_t>> starts;  // of ScriptNames::held, the assignments that a program starts with
    std::vector<ScriptSlip> slips;
    std::vector<ScriptSlip> not_read;               // scripts that are sourced or started, and were not read
    std::vector<std::vector<ScriptWord>> commands;  // all of them
    std::vector<ScriptOption> batch;                // what the comments tell a batch system
    bool is_undecided = false;                      // of some `if` and `case` several parts were read

    // The last one of the name; nullptr: none.
    const ScriptVariable* variable(std::string_view name) const;
};

// What is known of the words of scripts.
struct ScriptNames {
    std::vector<std::string> programs;                              // those that are looked for
    std::vector<std::string> not_read;                              // names of scripts that say nothing of a job
    std::vector<std::string> shown_by;                              // commands that name a program without starting it
    std::vector<std::string> given;                                 // variables that who starts the script sets
    std::string batch_comment;                                      // how the comments begin that a batch system reads
    std::map<std::string, std::vector<std::string>> batch_options;  // by option, the variables that it gives
    std::set<std::string, std::less<>> held{};                      // variables that are compared with each other
};

// Fails with what reading the file fails with.
Result<ScriptReading> read_script(base::FileSystem& fs, const Path& path, const ScriptNames& names);

}  // namespace ckpt
