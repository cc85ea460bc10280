// Runs in memory, for the tests of the pipeline.
#pragma once

#include <string_view>
#include <utility>

#include "migrator/app/pipeline.h"

namespace test {

inline constexpr const char* kTrain = "import torch\nprint(torch.cuda.current_device())\n";

inline migrator::Options options_for(migrator::Command command, base::Path path) {
    using namespace migrator;
    Options options;
    options.command = command;
    options.paths = {std::move(path)};
    options.threads = 1;  // the file system in memory is for one thread
    options.progress = false;
    if (command == Command::migrate) options.output = "out";
    if (command == Command::migrate) options.report_directory = "out_report";
    return options;
}

inline const migrator::ReportFile* file_named(const migrator::Report& report, std::string_view path) {
    for (const migrator::ReportFile& file : report.files) {
        if (file.path == path) return &file;
    }
    return nullptr;
}

}  // namespace test
