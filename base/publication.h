// Publication: complete files move from a staging directory to where their readers look, or none of them does.
#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/in_json.h"
#include "base/record.h"

namespace base {

struct PlannedFile {
    std::string path;  // relative to the output directory
    std::uint64_t bytes = 0;
};

// A file as it was when it was complete.
struct WrittenFile {
    std::string path;  // relative
    FileInfo info;
};

// What moves at once: a file, or a directory with all that is in it.
struct PublishedEntry {
    std::string name;  // relative
    std::uint64_t inode = 0;
    std::int64_t modified = 0;  // of a file: who writes to it afterwards makes it another one

    Status check(const JsonPlace& at) const;
};
constexpr auto record_of(const PublishedEntry*) {
    return record("entry", "what is published",
                  field("name", &PublishedEntry::name, "in the output directory").always(),
                  field("inode", &PublishedEntry::inode, "which file of that name").always(),
                  field("modified", &PublishedEntry::modified, "of a file, in nanoseconds since 1970"));
}

// Of the staging directory, those named in `last` at the end, in that order.
Result<std::vector<PublishedEntry>> entries_to_publish(FileSystem& fs, const Path& staging,
                                                       const std::vector<std::string>& last);

// One line of text and back, for the journal. Fails with bad_input.
std::string to_line(const std::vector<PublishedEntry>& entries);
Result<std::vector<PublishedEntry>> entries_of_line(const std::string& line, const Path& journal);

// Moves the entries that have not moved yet. `last`: before the first of these, what is there is brought to the disk.
Status publish(FileSystem& fs, const Path& staging, const Path& directory, const std::vector<PublishedEntry>& entries,
               const std::vector<std::string>& last);

// Whether the entry has its place, and not another file of that name.
Result<bool> is_published(FileSystem& fs, const Path& directory, const PublishedEntry& entry);

// Removes what was published; nothing that has one of the names and is another file, or was written to since.
Status take_back(FileSystem& fs, const Path& directory, const std::vector<PublishedEntry>& entries);

// Fails with write_failed when a file below the directory is not as it should be.
Status check_files(FileSystem& fs, const Path& directory, const std::vector<WrittenFile>& written,
                   const std::vector<PlannedFile>& planned);

}  // namespace base
