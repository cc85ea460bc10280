// What launch --check prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "ckpt_convert/launch/script_check.h"

namespace ckpt {

// `fixed`: the new texts of files that were changed; empty: nothing was.
std::string check_text(const ScriptCheck& check, const std::vector<std::optional<std::string>>& fixed,
                       const base::Language& language);
std::string check_json(const ScriptCheck& check, const std::vector<std::optional<std::string>>& fixed);

}  // namespace ckpt
