// What launch --check prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "ckpt_convert/launch/script_check.h"

namespace ckpt {

// What --fix has done with the files of a check.
struct CheckedFix {
    std::vector<std::optional<std::string>> texts;  // the new ones; empty: nothing was changed
    std::vector<Path> outside;                      // have something to correct, where --fix does not write
};

std::string check_text(const ScriptCheck& check, const CheckedFix& fix, const base::Language& language);
std::string check_json(const ScriptCheck& check, const CheckedFix& fix);

}  // namespace ckpt
