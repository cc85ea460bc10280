// moved_edits: where the edits of a text go in a newer version of it. A three-way merge by lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrator/edit/edit.h"

namespace migrator {

struct MovedEdit {
    enum class State { fits, there_already, lost };
    State state = State::lost;
    base::ByteRange range;  // of the newer text, when it fits
    std::string reason;     // when it is lost
};

// One for each of `edits`, which are of `original`, sorted and without conflicts. An edit inside of lines fits where they
// are as they were, wherever they have moved. Whole lines that an edit inserts go behind the line that they stood behind,
// also when that has changed.
std::vector<MovedEdit> moved_edits(std::string_view original, const std::vector<Edit>& edits, std::string_view now);

}  // namespace migrator
