// The checks of a program that a script starts, each by what it compares with. Private to this folder.
#pragma once

#include <vector>

#include "base/file_system.h"
#include "base/variable_values.h"
#include "ckpt_convert/launch/benchmarks.h"
#include "ckpt_convert/launch/device_memory.h"
#include "ckpt_convert/launch/script_job.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

// With the flags of the model's family: sizes, switches, constants.
Status check_model_options(const Knowledge& knowledge, const LaunchFacts& facts, const Source& model,
                           const ScriptJob& job, std::vector<ScriptFinding>& findings);
// With the layout of a Megatron checkpoint.
void check_checkpoint_layout(const Source& checkpoint, const ScriptJob& job, std::vector<ScriptFinding>& findings);
// Each other: what one converts and another one loads.
void check_conversions(const std::vector<ScriptJob>& jobs, std::vector<ScriptFinding>& findings);
// With the memory of the machine's devices.
Status check_memory(const DeviceMemory& memory, const ScriptJob& job, std::vector<ScriptFinding>& findings);
// With each other: the rules of launch.json.
void check_numbers(const LaunchFacts& facts, const ScriptJob& job, std::vector<ScriptFinding>& findings);
// With the disk: what is loaded, data, tokenizer.
void check_paths(base::FileSystem& fs, const LaunchFacts& facts, const ScriptJob& job,
                 std::vector<ScriptFinding>& findings);
// With what the evaluation program knows: tasks, their folders, the length of their answers.
void check_benchmarks(base::FileSystem& fs, const Benchmarks& known, const ScriptJob& job,
                      std::vector<ScriptFinding>& findings);
// The whole script: variables of the environment, files that commands write.
void check_environment(const LaunchFacts& facts, const base::VariableTable& known, const ScriptReading& script,
                       const std::vector<ScriptJob>& jobs, std::vector<ScriptFinding>& findings);
void check_logs(base::FileSystem& fs, const ScriptReading& script, std::vector<ScriptFinding>& findings);

}  // namespace ckpt
