// Which part of a conversion a run does: what the user says, or the variables of the program that started it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/data_store.h"
#include "ckpt_convert/execute/shard.h"

namespace ckpt {

// The value of an environment variable; nullptr when it is not set.
using Environment = std::function<const char*(const char* name)>;
Environment process_environment();

// `text`: "3/16", "auto", or "" for a run that does everything, which is nullopt. The launchers are those of
// rules/launchers/, of which the first counts that started more than one worker. Fails with usage.
Result<std::optional<Shard>> shard_of(const base::DataStore& store, const std::string& text,
                                      const Environment& environment = process_environment());

}  // namespace ckpt
