// FileOutcome: what became of one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "migrator/edit/composed_edits.h"
#include "migrator/match/cpp_operators.h"
#include "migrator/match/operator_calls.h"
#include "migrator/python/finding.h"
#include "migrator/python/training_code.h"
#include "migrator/source/source_file.h"

namespace migrator {

enum class FixState {
    none,  // there is nothing to apply: a person must act, or only know
    applied,
    available,     // could be applied, but was not asked for (analyse, --apply none)
    uncertain,     // the certainty is below what the rule's fix needs
    conflict,      // overlaps a fix that was applied
    at_run_time,   // not needed: redirected when the program runs
    syntax_guard,  // would have broken the syntax, or touches a part that does not parse
};
std::string_view name(FixState state);

struct FindingOutcome {
    Finding finding;
    FixState state = FixState::none;
    base::TextPosition begin;  // in the original text, columns in code points
    base::TextPosition end;
    std::string old_text;  // the original lines that the finding or its edits touch, without the last line end
    std::string new_text;  // the same lines after the fix; empty unless there is one
};

struct FileOutcome {
    base::Path path;  // relative to the project root
    FileType type = FileType::other;
    std::uint64_t lines = 0;
    bool parsed = false;                         // Python: the whole file parsed without an error node
    std::vector<FindingOutcome> findings;        // by position, then rule
    std::vector<FindingOutcome> under_transfer;  // of RewriteContext::transfer, by position; nothing is applied
    std::vector<std::string> interfaces;         // of the API tables, that the original uses, sorted
    TrainingCode training;                       // of the original
    OperatorUses operator_uses;                  // of the original, when RewriteContext asks for them
    CppOperators operators;                      // the same of C++ and CUDA sources
    std::string original;                        // UTF-8 text
    std::string rewritten;                       // equal to `original` when nothing was applied
    TextEncoding encoding;                       // of the bytes behind `original`
    // Of `original`; owners are places in `findings`. Those with an owner that is applied make `rewritten`; the others
    // are proposals of uncertain findings.
    std::vector<OwnedEdit> edits;
    std::vector<std::vector<std::size_t>> bound;  // findings whose edits became one: all are applied, or none
    bool changed() const { return original != rewritten; }
};

}  // namespace migrator
