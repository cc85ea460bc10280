// Formats of checkpoints that are not read: by which files or settings they are recognised, and what reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/file_system.h"
#include "base/json.h"

namespace ckpt {

// An entry of rules/formats/foreign.json.
struct ForeignFormat {
    std::string name;
    std::vector<std::string> files;       // "*/zero_*.pt": paths in the directory, or a file's own name; any of them
    std::vector<std::string> without;     // names that must not stand beside it
    std::vector<std::string> begins;      // bytes that it begins with, one of these; empty: whatever
    std::vector<std::string> begins_not;  // and none of these
    std::string read_by;                  // what to do
};

// A way to quantise weights, as config.json names it.
struct ForeignQuantisation {
    std::string name;
    std::string config;  // dotted path
    std::vector<std::string> values;
    std::string read_by;
};

struct ForeignFormats {
    std::vector<ForeignFormat> files;
    std::vector<ForeignQuantisation> quantised;

    static base::Result<ForeignFormats> load(const base::DataStore& store);

    // Fails with unsupported when the directory, or the file, is one of these.
    base::Status refuse(base::FileSystem& fs, const base::Path& path) const;
    base::Status refuse_quantised(const base::JsonDocument& config) const;
};

}  // namespace ckpt
