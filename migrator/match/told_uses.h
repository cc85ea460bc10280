// ToldUses: what a Python file uses of names whose operators leave the NPU. One finding for each operator and function.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "migrator/operators/told_names.h"
#include "migrator/python/python_file.h"

namespace migrator {

class ToldUses {
public:
    // Without names that are told, and without rules, it finds nothing.
    explicit ToldUses(const PythonFile& file) : file_(file), told_(file.context().told_names) {}

    // Whether something is said of this name at this place. `denied`: the API pages call it not supported.
    bool add(NodeId node, const Reference& reference, bool denied);
    // What was found.
    void give(FindingSink& sink);

private:
    struct Use {
        Finding finding;
        std::vector<std::uint32_t> lines;  // all of them, ascending
    };
    struct Said {
        RunsCase which;
        std::string by;  // the operator that decides
    };

    std::optional<Said> said_of(NodeId node, const Reference& reference, bool denied) const;
    bool has_argument(NodeId node, const ToldName& told) const;

    const PythonFile& file_;
    const ToldNames* told_;
    std::map<std::tuple<RunsCase, std::string, ScopeId>, std::size_t> known_;  // in uses_
    std::vector<Use> uses_;
};

}  // namespace migrator
