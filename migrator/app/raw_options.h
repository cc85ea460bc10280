// RawOptions: what the parser fills in as text, before it becomes Options. Private to the command line.
#pragma once

#include "migrator/app/options.h"

namespace migrator {

struct RawOptions {
    std::vector<std::string> formats;
    std::string apply = "safe";
    std::string style = "npu";
    std::string fail_on = "never";
    std::string scope = "programs";
    std::string torch_version;
    std::string large_files = "link";
    base::Path config;
    bool no_config = false;
    bool no_progress = false;
    bool no_record = false;
    bool in_place = false;
    bool diff = false;
    bool check = false;
};

// Of analyze and migrate: what the words mean, and which of them exclude each other. Fails with usage.
base::Result<Options> checked(Options options, const RawOptions& raw);

}  // namespace migrator
