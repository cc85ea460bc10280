// Settings as options of the command line. Private to it.
#pragma once

#include <vector>

#include "base/message.h"
#include "migrator/app/settings.h"

namespace CLI {
class App;
}

namespace migrator {

// Gives the command what the settings say and the command line does not; the note says what was read. A key of the `other`
// command is no mistake for this one. Of a file that the user has not named, what a project does not choose is left out: where is
// written, whether a record is kept, what is read from elsewhere, and rules that are not in what is analysed. Fails with usage for a key
// that is no setting.
base::Result<std::vector<base::Message>> apply_settings(base::FileSystem& fs, CLI::App& command, const CLI::App& other,
                                                        const std::vector<base::Path>& analysed,
                                                        const Settings& settings);

}  // namespace migrator
