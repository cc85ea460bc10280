// Instrumentation: `--instrument`: which training loop of the projects it is for, and its lines in the migrated text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "migrator/app/new_files.h"
#include "migrator/app/options.h"
#include "migrator/instrument/instrument.h"
#include "migrator/project/knowledge.h"
#include "migrator/project/project.h"
#include "migrator/rewrite/file_outcome.h"

namespace migrator {

class Instrumentation {
public:
    // Finds the loop. Fails with usage when the options name no instrument or no loop of the projects, with unsupported
    // and the reasons when there is none, are several, or the lines cannot be put there.
    static base::Result<Instrumentation> plan(base::FileSystem& fs, const Options& options, const Knowledge& knowledge,
                                              const std::vector<Project>& projects);

    // Takes lines of an earlier run out of the migrated text, and puts the new ones around the loop if it is here.
    base::Status apply(const ModuleContext& module, FileOutcome& outcome) const;

    // The file that the inserted lines read; nullopt: they read none, or the project has it already.
    base::Result<std::optional<NewFile>> file(base::FileSystem& fs, const std::vector<Project>& projects) const;

private:
    // A training loop of a file.
    struct Place {
        base::Path file;           // as the report shows it
        std::size_t project = 0;   // among the projects
        std::size_t index = 0;     // among the files of the project
        std::size_t number = 0;    // among the loops of the file
        base::ByteRange range;     // in the file's text
        base::TextPosition begin;  // and where that is
        base::TextPosition end;
    };
    struct Search;

    base::Result<std::string> with_lines(const std::string& text, const ModuleContext& module) const;

    const Knowledge* knowledge_ = nullptr;
    std::string name_;  // "profiler", "none"; empty: not asked for
    std::optional<Instrument> instrument_;
    std::vector<std::string> files_;  // that the lines of some instrument read
    Place place_;
};

}  // namespace migrator
