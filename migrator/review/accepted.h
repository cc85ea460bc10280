// Accepted: the edits of a report that a person wants, and the files they make.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "migrator/review/decisions.h"
#include "migrator/review/saved_report.h"

namespace migrator {

// A finding that was accepted and makes no edit, and why.
struct LeftOut {
    std::string place;  // "train.py:12"
    std::string rule;
    std::string reason;
};

// Fails with bad_input when the decisions name a finding that the report does not have.
base::Status check_named(const SavedReport& report, const Decisions& decisions);

struct Accepted {
    std::set<std::string> findings;  // ids of those whose edits are made
    std::vector<LeftOut> left_out;
};

// What was accepted, and of what nobody has decided about that which the run made, or would have: what the page shows as "after".
// `decisions`: nullptr when there are none. `only_accepted`: not the latter. Fails as check_named does.
base::Result<Accepted> accepted_of(const SavedReport& report, const Decisions* decisions, bool only_accepted);

// The edits of the file that these findings want.
std::vector<SavedEdit> wanted_edits(const SavedFile& file, const std::set<std::string>& findings);

// The bytes after the edits. Fails with bad_input when an edit lies behind the end, with unsupported when its text has no
// form in the file's encoding.
base::Result<std::string> bytes_after(const SavedFile& file, const std::vector<SavedEdit>& edits,
                                      std::string_view original);

}  // namespace migrator
