// CUDA-only code: what ends in kernels or libraries that the NPU does not have, and the names that lead there.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_ranges.h"
#include "base/string_map.h"
#include "migrator/python/match_context.h"
#include "migrator/python/python_file.h"

namespace migrator {

// A variable that keeps the answer to a question for CUDA: somewhere CUDA-only code runs only where it is true, or, with `holds`
// false, only where it is not.
struct CudaFlag {
    std::string name;
    bool holds = true;
    bool has_other_way = false;  // see has_other_way of a Guarded
};

// Qualified names of a project's functions, classes and variables that lead to CUDA-only code, and of modules that do not load
// without it: "pkg.ops.fused".
class CudaNames {
public:
    bool add(std::string name);  // false: it was there
    bool empty() const { return names_.empty(); }
    bool contains(std::string_view name) const { return names_.contains(name); }
    // Whether a text is the last part of one of them.
    bool has_last_part(std::string_view word) const { return last_parts_.contains(word); }

    void add_flag(CudaFlag flag);
    bool guards(std::string_view name, bool holds) const { return flags_[holds].contains(name); }
    // Whether the code that it guards is done without wherever it is read.
    bool has_other_way(std::string_view name) const { return !needed_.contains(name); }

private:
    base::StringSet names_;
    base::StringSet last_parts_;
    std::array<base::StringSet, 2> flags_;  // by `holds`
    base::StringSet needed_;                // flags
};

// What a file tells others of its CUDA-only code.
struct CudaLeads {
    std::vector<std::string> names;  // that lead there
    std::vector<CudaFlag> flags;
};

// The words without which a Python file has no CUDA-only code of its own.
class CudaCodeWords {
public:
    explicit CudaCodeWords(const RuleSet& rules);
    bool any_in(std::string_view text) const;

private:
    base::StringSet words_;
    std::vector<std::pair<std::string, std::string>> patterns_;  // what stands before and after the *
};

// The CUDA-only code of a file: what findings say is to be ported, what the context knows of other files, and what is made
// of it or leads there in the file.
class CudaOnlyCode {
public:
    CudaOnlyCode(const PythonFile& file, const FindingSink& findings);

    bool empty() const { return uses_.empty(); }
    // The first use in the range, or kNoNode.
    NodeId in(base::ByteRange range) const;
    // For other files.
    CudaLeads leads() const;

private:
    void add(NodeId use);
    void add_reads(NodeId name);
    void add_imported_names();
    void add_known_names();
    void follow(NodeId use);
    bool is_needed_to_load() const;

    const PythonFile& file_;
    const SyntaxTree& tree_;
    base::ByteRanges guarded_;  // code behind questions for CUDA
    std::vector<NodeId> uses_;  // sorted
    std::vector<NodeId> pending_;
    std::set<NodeId> known_;
    std::set<NodeId> followed_;  // names of functions, classes and variables
    std::vector<std::string> names_;
};

// Whether the finding is such a question.
bool asks_for_cuda(const Finding& finding);

// CudaOnlyCode::leads of a file, by all that is found in it.
CudaLeads cuda_leads(std::string_view path, const ParsedText& parsed, const MatchContext& context);

}  // namespace migrator
