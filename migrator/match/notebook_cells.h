// What the rules have to say about the cells of a notebook, and how findings and edits get into its JSON.
#pragma once

#include <optional>
#include <vector>

#include "migrator/match/matcher.h"
#include "migrator/source/notebook.h"

namespace migrator {

// In the places of the Python and of the shell text.
std::vector<Finding> match_cells(const SourceFile& file, const ParsedText& python, const MatchContext& context);
std::vector<Finding> match_shell_lines(const SourceFile& file, const NotebookCode& code, const MatchContext& context);

// The same in the places of the JSON; nullopt when it is not within one string of it. A finding loses a fix that has no
// place.
std::optional<Edit> edit_in_json(const NotebookCode& code, const CellText& text, const Edit& edit);
Finding finding_in_json(const NotebookCode& code, const CellText& text, Finding finding);

// The finding of a file that is no notebook.
Finding not_a_notebook(const base::Error& error);

}  // namespace migrator
