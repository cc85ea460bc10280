// `text`, `file`: files that are no Python.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

// `text`: words in files that are not Python, found outside comments.
struct TextRow {
    const Rule* rule = nullptr;
    std::vector<std::string> words;
    std::vector<std::string> files;  // names of file types
};

inline constexpr auto kTextFiles = std::to_array<std::string_view>(
    {"shell", "dockerfile", "requirements", "yaml", "json", "toml", "setup_cfg", "ini", "cmake", "cuda", "cpp"});

constexpr auto record_of(const TextRow*) {
    return base::record(
        "text", "words in files that are not Python, outside comments",
        base::field("words", &TextRow::words, "the words").needed(),
        base::field("files", &TextRow::files,
                    "types of files; `shell` are also the commands that Python starts, see `script_places`")
            .needed()
            .one_of(kTextFiles));
}

base::Status add(RuleSet& set, TextRow row, const Adding& adding);

// `file`: files by their names that hold no text: compiled code.
struct FileRow {
    static constexpr std::string_view kClaim = "files {}";
    const Rule* rule = nullptr;
    std::vector<std::string> names;     // "*.cubin": exact or with one *
    std::vector<std::string> contains;  // with one of these among their bytes; empty: whatever is in them

    const std::vector<std::string>& claimed() const { return names; }
};

constexpr auto record_of(const FileRow*) {
    return base::record("file", "compiled code, by the name of the file",
                        base::field("names", &FileRow::names, "names of files, with at most one `*`").needed(),
                        base::field("contains", &FileRow::contains, "only with one of these among its bytes"));
}

}  // namespace migrator
