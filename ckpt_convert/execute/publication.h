// Publication: complete files move from a staging directory to where their readers look, or none of them does.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/execute/manifest.h"

namespace ckpt {

struct PlannedFile {
    std::string path;  // relative to the output directory
    std::uint64_t bytes = 0;
};

// A file as it was when it was complete.
struct WrittenFile {
    std::string path;  // relative
    base::FileInfo info;
};

// An entry of the staging directory itself: a file, or a directory with all that is in it.
struct PublishedEntry {
    std::string name;
    std::uint64_t inode = 0;

    Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const PublishedEntry*) {
    return base::record("entry", "what is published",
                        base::field("name", &PublishedEntry::name, "in the output directory").always(),
                        base::field("inode", &PublishedEntry::inode, "which file of that name").always());
}

// Of the staging directory, those named in `last` at the end, in that order.
Result<std::vector<PublishedEntry>> entries_to_publish(base::FileSystem& fs, const Path& staging,
                                                       const std::vector<std::string>& last);

// One line of text and back, for the journal. Fails with bad_input.
std::string to_line(const std::vector<PublishedEntry>& entries);
Result<std::vector<PublishedEntry>> entries_of_line(const std::string& line, const Path& journal);

// Moves the entries that have not moved yet. `last`: before the first of these, what is there is brought to the disk.
Status publish(base::FileSystem& fs, const Path& staging, const Path& directory,
               const std::vector<PublishedEntry>& entries, const std::vector<std::string>& last);

// Removes what was published; nothing that has one of the names and is another file.
Status take_back(base::FileSystem& fs, const Path& directory, const std::vector<PublishedEntry>& entries);

// Fails with write_failed when a file below the directory is not as it should be.
Status check_files(base::FileSystem& fs, const Path& directory, const std::vector<WrittenFile>& written,
                   const std::vector<PlannedFile>& planned);

}  // namespace ckpt
