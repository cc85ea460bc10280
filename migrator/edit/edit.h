// Edit and Fix: replacements of byte ranges of one text. Pure bytes: no syntax, no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text_position.h"

namespace migrator {

// Replaces `range` of the original text by `replacement`; an empty range inserts.
struct Edit {
    base::ByteRange range;
    std::string replacement;
    bool operator==(const Edit&) const = default;
};

// A module that a fix needs bound at module level: merged with the requests of other fixes, once per file.
struct ImportRequest {
    std::string module;       // "torch_npu": `import torch_npu`
    std::string after;        // placed after the import of this module where there is one: "torch"
    bool when_named = false;  // only where the fix writes the module's name into an expression
    bool operator==(const ImportRequest&) const = default;
};

// All edits of a fix are applied, or none.
struct Fix {
    std::vector<Edit> edits;
    std::vector<ImportRequest> imports;
};

// A conflict-free set of edits, sorted by position.
class EditSet {
public:
    // Adds all edits or none. False when one overlaps an accepted edit; an equal edit that is already there is no
    // conflict and is kept once. Insertions at the same place keep the order they were added in.
    [[nodiscard]] bool add(const std::vector<Edit>& edits);

    const std::vector<Edit>& edits() const { return edits_; }
    bool empty() const { return edits_.empty(); }
    std::string apply(std::string_view original) const;

private:
    std::vector<Edit> edits_;
};

// Where `offset` of the text after `edits`, which are sorted and without conflicts, stood in the text before them. For
// what an edit has written: where it was put.
std::uint64_t offset_before(const std::vector<Edit>& edits, std::uint64_t offset);

// A unified diff with three lines of context that `git apply` takes; empty when the texts are equal. Lines keep their
// own ends ("\r" shows as part of the line); a missing newline at the end is marked as git does.
std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view path);

}  // namespace migrator
