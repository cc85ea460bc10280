// Round: one pass over a text: match, decide what becomes of every fix, and edit. Private to this folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/edit/composed_edits.h"
#include "migrator/rewrite/file_outcome.h"
#include "migrator/rewrite/rewriter.h"

namespace migrator {

struct Decided {
    Finding finding;
    FixState state = FixState::none;
};

// A text of the file: the original one, or what a round made of it.
struct TextVersion {
    std::string owned;  // of a later version
    std::string_view text;
    std::optional<SyntaxTree> own_tree;
    ParsedText parsed;  // what is there already of a Python text
};

struct Round {
    std::vector<Decided> findings;
    std::vector<OwnedEdit> edits;       // all that were made, imports included, by position; owners in `findings`
    std::unique_ptr<TextVersion> next;  // after them; nullptr when there are none

    // Of the first round, in which the text is the original:
    std::vector<OwnedEdit> proposals;     // of uncertain findings: what they would take, beside `edits`
    std::vector<std::string> interfaces;  // that the text uses
    TrainingCode training;
    OperatorUses operator_uses;
    CppOperators operators;
    std::vector<Decided> under_transfer;
};

Round run_round(const SourceFile& file, const TextVersion& version, const RewriteContext& context, bool is_first);

}  // namespace migrator
