// TransferRow: whether torch_npu's transfer_to_npu would be enough for one program, and what defeats it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/rewrite/file_outcome.h"

namespace migrator {

// Something that neither transfer_to_npu nor an edit of the style auto settles.
struct TransferPlace {
    base::Path path;
    std::uint32_t line = 0;
    std::string rule;
    std::string subject;
    base::Message message;
};

// What transfer_to_npu does for one file.
struct TransferFacts {
    std::uint64_t redirected = 0;     // findings that it settles while the program runs
    std::uint64_t edited = 0;         // findings that the style auto settles by an edit
    std::vector<TransferPlace> left;  // the other warnings and errors
};

// Of FileOutcome::under_transfer.
TransferFacts transfer_facts(const FileOutcome& outcome);

enum class TransferVerdict {
    nothing_to_do,  // the program has nothing that ties it to CUDA
    enough,         // the two lines that load transfer_to_npu are all it needs
    with_edits,     // and the edits that the style auto makes
    not_enough,     // places are left
};
std::string_view name(TransferVerdict verdict);

struct TransferRow {
    base::Path path;
    std::uint64_t files = 0;  // of the project that it loads, itself included
    TransferVerdict verdict = TransferVerdict::nothing_to_do;
    std::uint64_t redirected = 0;
    std::uint64_t edited = 0;
    std::uint64_t left = 0;
    std::vector<TransferPlace> places;  // the first of what is left
};

// `files`: the facts of all files that the program loads, its own in front.
TransferRow transfer_row(base::Path path, std::span<const TransferFacts* const> files);

}  // namespace migrator
