// What the JSON tables of Ascend's profiler hold, read leniently: what is not there counts as nothing.
#pragma once

#include <string_view>

#include "base/file_system.h"
#include "base/json.h"
#include "base/result.h"

namespace migrator {

// Fails with bad_input for what is no JSON, or beyond 256 MiB.
base::Result<base::JsonDocument> read_document(base::FileSystem& fs, const base::Path& path);

// 0 where there is no number.
double number_at(const base::Json& object, std::string_view key);

// Of an object; none for nullptr and for other values.
const base::Json::Object& members(const base::Json* json);

}  // namespace migrator
