// What the mapping files say, for people: which families there are, how one is stored, whether a new file is sound.
#pragma once

#include <string>

#include "base/data_store.h"
#include "base/language.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

std::string list_models(const base::Language& say, const MappingRegistry& families, bool json);

// The weights of a family with their shapes, and what each side makes of them. Fails with usage.
Result<std::string> show_model(const base::Language& say, const MappingRegistry& families, const std::string& family);

// Loads the mapping file `path` with the built-in blocks. Fails with rule_data, naming file, line and column.
Result<std::string> check_model(const base::Language& say, base::FileSystem& fs, const base::DataStore& store,
                                const Path& path);

}  // namespace ckpt
