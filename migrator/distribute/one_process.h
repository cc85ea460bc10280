// What must happen in one process only: printing, saving, logging. Private to this folder.
#pragma once

#include <string_view>
#include <vector>

#include "base/message.h"
#include "migrator/distribute/distribute_facts.h"
#include "migrator/distribute/loaded_loop.h"
#include "migrator/edit/edit.h"
#include "migrator/loops/script.h"

namespace migrator {

inline constexpr std::string_view kIsMainProcess = "is_main_process";

// Guards in front of the statements that can have one. What writes and stays in every process is told in `notes`.
std::vector<Edit> keep_to_one_process(const Script& script, const DistributeFacts& facts,
                                      const std::vector<LoadedLoop>& loops, std::vector<base::Message>& notes);

}  // namespace migrator
