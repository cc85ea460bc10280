// The choices of --with in scripts: the options that they add, and those that they take away.
#pragma once

#include "base/data_store.h"
#include "ckpt_convert/job/choices.h"
#include "ckpt_convert/launch/launch_set.h"
#include "ckpt_convert/launch/option_list.h"

namespace ckpt {

// Who trains with the programs of a target.
Engine engine_of(const LaunchTarget& target);

// Adds to the job's choice_lines, and to its numbers `with_WORD`, `without_OPTION` and `with_choices`, as templates ask for
// them. Fails with usage: a choice that there is not, that no option of the target makes, or that contradicts another one.
Status add_choices(const Choices& choices, const LaunchTarget& target, const OptionList& list, const std::string& words,
                   LaunchJob& job);

}  // namespace ckpt
