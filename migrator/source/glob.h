// PathPattern: one line of a .gitignore, or one --include or --exclude pattern, matched against relative paths.
//
//   name      a file or directory of this name, at any depth     /name, a/b   anchored at the pattern's directory
//   name/     directories only                                   **/ /**/ /** any number of directories
//   * ? [a-z] [!x] [[:alpha:]]   within one path component       \c           the character itself
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace migrator {

class PathPattern {
public:
    // nullopt for a pattern that can match nothing: empty, an unclosed bracket, a backslash at the end.
    static std::optional<PathPattern> parse(std::string_view pattern);

    // Whether the pattern names this path, which is relative to the pattern's directory.
    bool matches(std::string_view path, bool is_directory) const;
    // Whether it names the file or one of the directories that lead to it.
    bool matches_file_or_parent(std::string_view path) const;
    // Whether what it names can lie in this directory, as its first components say: those of "a/*.py" lead into "a".
    bool leads_into(std::string_view directory) const;

private:
    std::vector<std::string> components_;  // "**" stands for any number of directories
    bool anchored_ = false;                // else it is one component, matched against the last one of the path
    bool directory_only_ = false;
};

// The rules of one .gitignore.
class IgnoreFile {
public:
    static IgnoreFile parse(std::string_view content);

    // true: ignored; false: kept by a `!` rule; nullopt: no rule speaks of the path. The last rule that matches wins.
    std::optional<bool> decide(std::string_view path, bool is_directory) const;
    bool empty() const { return rules_.empty(); }

private:
    struct Rule {
        PathPattern pattern;
        bool negated = false;
    };
    std::vector<Rule> rules_;
};

}  // namespace migrator
