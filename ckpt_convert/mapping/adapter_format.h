// AdapterFormat: what trainers call the two factors of a low-rank adapter; rules/adapters/ lists them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/stem_pattern.h"

namespace ckpt {

struct AdapterFormat {
    std::string name;
    StemPattern weights;
    StemPattern left;  // weights + scale * left * right
    StemPattern right;
};

struct AdapterFormats {
    std::vector<AdapterFormat> formats;
    // What weights are called while an adapter wraps their layer, and what otherwise.
    std::vector<std::pair<StemPattern, StemPattern>> wrapped;

    // rules/adapters/formats.json, strictly.
    static base::Result<AdapterFormats> load(const base::DataStore& store);
};

}  // namespace ckpt
