// OwnSupport: signs in a Python file that programs run on the target by the project's own work.
#pragma once

#include <cstdint>
#include <vector>

#include "migrator/python/match_context.h"

namespace migrator {

enum class SignKind { import, name, value, listed, library };

struct OwnSupport {
    struct Sign {
        std::uint32_t line = 0;  // from 1
        SignKind kind = SignKind::import;
        std::uint64_t percent = 0;  // how sure it is by itself
    };
    std::vector<Sign> signs;           // by line
    bool needs_target = false;         // without the target's packages the file does not run
    bool redirects = false;            // what asks for CUDA afterwards is answered by the target
    std::vector<std::string> options;  // of its command line, by which it is told: "--use_npu"
    bool asks = false;                 // it asks whether the target is there, and does not wait to be told
};

// Only code that makes or uses a device of the target is a sign; what merely asks for one, or refuses it, is none.
OwnSupport own_support(std::string_view path, const ParsedText& parsed, const MatchContext& context);

}  // namespace migrator
