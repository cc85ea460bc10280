// Reads one mapping file, with the blocks it includes.
#pragma once

#include <string>

#include "base/data_store.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

base::Result<ModelMapping> load_mapping(const base::DataStore& store, const std::string& path);

}  // namespace ckpt
