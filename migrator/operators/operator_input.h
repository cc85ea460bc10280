// OperatorInput: the operators that a list, a log, counts of a recorder, a trace or an exported graph names, each once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "migrator/operators/operator_rows.h"
#include "migrator/profile/profile_knowledge.h"

namespace migrator {

struct InputOperator {
    std::string name;              // as the input has it
    std::string dtype;             // as torch calls it; empty: not said
    std::uint64_t dimensions = 0;  // the most that one of its tensors has; 0: not said
    std::uint64_t count = 0;
    double microseconds = 0;  // of its own, without the operators in it
};

struct OperatorInput {
    std::string kind;  // "list", "recording", "log", "counts", "trace", "graph"
    std::vector<InputOperator> operators;
    bool has_times = false;
    bool times_of_device = false;  // else those of the host
    std::string warning;           // what could not be read; empty: nothing
};

// Whether the NPU takes an operator whole: what a GPU runs inside of it is then nothing that the NPU meets.
using TakesWhole = std::function<bool(const std::string& name)>;

// A trace, which is not held in memory, a database, or the folder of a profile with one; a graph, a log, counts, a list. Fails with bad_input when
// there is no operator in it.
base::Result<OperatorInput> read_operator_input(base::FileSystem& fs, const base::Path& path, const ChipsFile& chips,
                                                const ProfileKnowledge& profiles, const TakesWhole& takes_whole);
// The same of the bytes of a file, which may be packed with gzip.
base::Result<OperatorInput> read_operator_input(std::string_view text, const std::string& name, const ChipsFile& chips,
                                                const ProfileNames& names, const TakesWhole& takes_whole);

}  // namespace migrator
