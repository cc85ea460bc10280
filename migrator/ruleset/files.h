// `text`, `setting`, `command`, `file`: files that are no Python.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

// What more is to be said in some versions of the framework.
struct VersionNote {
    VersionRange versions;
    std::string note;
};
constexpr auto record_of(const VersionNote*) {
    return base::record("version_note", "what is said in some versions of the framework",
                        base::field("versions", &VersionNote::versions, "the versions").needed(),
                        base::field("note", &VersionNote::note, "the `{note}` of the message").needed());
}

// `text`: words in files that are not Python, found outside comments.
struct TextRow {
    const Rule* rule = nullptr;
    std::vector<std::string> words;
    std::vector<std::string> files;        // names of file types
    std::vector<std::string> unless_with;  // what the image, path or address around the word must not have in it
    std::vector<VersionNote> notes;        // the first that is for the version
};

inline constexpr auto kTextFiles =
    std::to_array<std::string_view>({"shell", "dockerfile", "requirements", "yaml", "json", "toml", "setup_cfg", "ini",
                                     "cmake", "protobuf", "cuda", "cpp"});

constexpr auto record_of(const TextRow*) {
    return base::record(
        "text", "words in files that are not Python, outside comments",
        base::field("words", &TextRow::words, "the words").needed(),
        base::field("files", &TextRow::files,
                    "types of files; `shell` are also the commands that Python starts, see `script_places`")
            .needed()
            .one_of(kTextFiles),
        base::field("unless_with", &TextRow::unless_with,
                    "not where the image, path or address around the word has one of these in it"),
        base::field("notes", &TextRow::notes, "what becomes of `{note}`, by the version of the framework"));
}

base::Status add(RuleSet& set, TextRow row, const Adding& adding);

// `setting`: values of keys in settings files, options of commands, variables of scripts.
struct SettingRow {
    const Rule* rule = nullptr;
    std::vector<std::string> keys;
    std::vector<std::string> values;  // empty: any
    std::vector<std::string> under;   // keys, one of which it stands right below; empty: anywhere
    std::vector<std::string> within;  // keys, one of which it stands somewhere below; empty: anywhere
};

constexpr auto record_of(const SettingRow*) {
    return base::record("setting", "values of keys in settings, options of commands and variables of scripts",
                        base::field("keys", &SettingRow::keys, "names of keys, options and variables").needed(),
                        base::field("values", &SettingRow::values, "the values, exactly; without it any"),
                        base::field("under", &SettingRow::under, "only right below one of these keys"),
                        base::field("within", &SettingRow::within, "only somewhere below one of these keys"));
}

// `command`: words of commands.
struct CommandRow {
    const Rule* rule = nullptr;
    std::vector<std::string> programs;  // "module load", or a program alone at the beginning of a command
    std::vector<std::string>
        words;  // behind them, the whole word or what stands behind its last '/'; with at most one *
};

constexpr auto record_of(const CommandRow*) {
    return base::record(
        "command", "words of commands in scripts and wherever else commands stand",
        base::field("programs", &CommandRow::programs,
                    "programs at the beginning of a command, or anywhere in it with their command: `module load`")
            .needed(),
        base::field("words", &CommandRow::words,
                    "words after it, whole or the part after the last `/`, with at most one `*`")
            .needed());
}

// `file`: files by their names: compiled code, and sources in which no other rule finds anything.
struct FileRow {
    static constexpr std::string_view kClaim = "files {}";
    const Rule* rule = nullptr;
    std::vector<std::string> names;     // "*.cubin": exact or with one *
    std::vector<std::string> contains;  // with one of these among their bytes; empty: whatever is in them

    const std::vector<std::string>& claimed() const { return names; }
};

constexpr auto record_of(const FileRow*) {
    return base::record(
        "file", "compiled code by the name of the file, and sources of C++ and CUDA in which nothing else is found",
        base::field("names", &FileRow::names, "names of files, with at most one `*`").needed(),
        base::field("contains", &FileRow::contains, "only with one of these among its bytes"));
}

}  // namespace migrator
