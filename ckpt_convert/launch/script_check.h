// check_script: what is wrong in a launch script, by its model, its checkpoint and the machine: line, what, right value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "ckpt_convert/launch/launch_facts.h"
#include "ckpt_convert/launch/launch_request.h"
#include "ckpt_convert/launch/script_reading.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

struct ScriptEdit {
    ScriptPlace place;
    std::string text;  // instead of what stands there
};

struct ScriptFinding {
    std::string id;        // "num_layers", "unknown_option"
    std::string severity;  // one of kSeverities
    ScriptPlace place;
    std::string what;               // a sentence
    std::string right;              // what would be right
    std::vector<ScriptEdit> edits;  // that make it so; none: only a person can tell
    std::uint32_t line = 0;         // of the place, from 1
    base::Message message{};        // `what` as its sentences and values, where a table of rules says it
};

struct ScriptCheck {
    std::string target;  // "MindSpeed-LLM (mcore)"
    std::vector<ScriptFile> files;
    std::vector<ScriptFinding> findings;  // by file and line
    std::size_t programs = 0;

    std::size_t count(std::string_view severity) const;
    // The files with all edits made; nullopt of those that none changes.
    std::vector<std::optional<std::string>> fixed() const;
};

// Fails with usage when the script starts no program that is known.
Result<ScriptCheck> check_script(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                 const CheckRequest& request);

}  // namespace ckpt
