// Finding: one place where a rule has something to say about the user's code.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/message.h"
#include "base/text_position.h"
#include "migrator/edit/edit.h"
#include "migrator/rule/finding_kind.h"
#include "migrator/semantic/reference.h"
#include "migrator/syntax/code_standing.h"

namespace migrator {

struct Finding {
    std::string rule;  // id of the rule: "cuda.module"
    FindingKind kind = FindingKind::cuda_api;
    Severity severity = Severity::warning;
    Certainty certainty = Certainty::resolved;
    base::ByteRange range;         // in the file's text
    std::string subject;           // what was found, qualified: "torch.cuda.nvtx.range_push", "flash_attn"
    base::Message message;         // one or two sentences: what it means on the NPU and what to do
    std::string source;            // where the fact comes from
    Effort effort = Effort::none;  // what is left to a person as long as it is not fixed
    bool at_run_time = false;      // needs no edit in the chosen style: it is redirected when the program runs
    // Of files of programs that choose the device by themselves: they do without it on the NPU; it only names something; it
    // is a device of CUDA that is taken where nothing else is said, and that nobody can be told of.
    bool is_left_to_choice = false;
    bool is_only_named = false;
    bool is_assumed = false;
    bool is_needed = false;        // a question for CUDA that stays, and the NPU has no other way
    bool is_done_without = false;  // a question for CUDA that stays, and the NPU takes the other way
    CodeStanding standing{};       // of Python
    // Few findings have these, and files have many findings. Counts only when training comes here, which other files decide:
    // when a program that trains loads the file, and, where a function is named, when each round calls it.
    std::shared_ptr<const std::string> needs_training{};
    std::shared_ptr<const std::string> told{};  // what a person gives the program in place of an edit: "--device npu"
    std::optional<Fix> fix;                     // present only when the finding may be fixed here
};

}  // namespace migrator
