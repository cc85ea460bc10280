// DatabaseFile: a file as SQLite reads it, through the seam to the disk. Nothing else is opened, and nothing is written.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "base/file_system.h"

namespace migrator {

class DatabaseFile {
public:
    // Of a file that stays open; its address must not change.
    explicit DatabaseFile(std::unique_ptr<base::ReadableFile> file);
    ~DatabaseFile();
    DatabaseFile(const DatabaseFile&) = delete;
    DatabaseFile& operator=(const DatabaseFile&) = delete;

    // By which SQLite finds it.
    const char* system_name() const { return name_.c_str(); }
    base::ReadableFile& file() { return *file_; }
    // Why a read failed; the last one counts.
    base::Status status;

private:
    std::unique_ptr<base::ReadableFile> file_;
    std::string name_;
    sqlite3_vfs system_{};
};

}  // namespace migrator
