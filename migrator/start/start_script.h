// start_script: a shell script that starts a program on Ascend NPUs: templates/start/, filled in.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/file_system.h"
#include "migrator/start/started_program.h"

namespace migrator {

struct ProgramToStart {
    const Launcher* launcher = nullptr;
    base::Path program;      // from the directory that it is started in, or its module: "train.py", "pkg.train"
    bool is_module = false;  // it is started with -m
    std::size_t levels = 0;  // so many directories lie between that one and the script
    std::string processes;   // empty: as many as there are NPUs
    std::string origin;      // a sentence: how the project starts it
    std::vector<std::string> headers;
    std::vector<std::string> exports;  // lines of the shell: what the script of `origin` exports
};

// `variables`: those that the project does not set itself.
std::string start_script(const ProgramToStart& program, const StartFacts& facts,
                         std::vector<const StartVariable*> variables, const base::DataStore& templates);

}  // namespace migrator
