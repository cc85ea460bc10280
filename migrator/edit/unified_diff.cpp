#include <algorithm>

#include "base/format.h"
#include "migrator/edit/edit.h"
#include "migrator/edit/line_diff.h"

namespace migrator {
namespace {

constexpr std::size_t kContextLines = 3;

// git's way to write a path: quoted when it has control characters, quotes or backslashes, and followed by a tab when
// it has blanks, so that the end of the path is known.
std::string header_path(std::string_view prefix, std::string_view path) {
    bool special = std::any_of(path.begin(), path.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f;
    });
    if (!special) return base::format("{}{}{}", prefix, path, path.find(' ') == path.npos ? "" : "\t");
    std::string out = base::format("\"{}", prefix);
    for (char c : path) {
        if (c == '"' || c == '\\') out += base::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += base::format("\\{:03o}", static_cast<unsigned char>(c));
        else out += c;
    }
    return out + "\"";
}

void append_line(std::string& out, char mark, std::string_view line) {
    out += mark;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

// "12,3"; the line before the hunk when it is empty, as diff has it.
std::string hunk_range(std::size_t begin, std::size_t count) {
    if (count == 1) return base::format("{}", begin + 1);
    return base::format("{},{}", count == 0 ? begin : begin + 1, count);
}

struct Hunk {
    std::size_t first = 0, last = 0;  // changes, inclusive
};

std::vector<Hunk> group(const std::vector<LineChange>& changes) {
    std::vector<Hunk> hunks;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        bool near =
            i > 0 && changes[i].old_begin - (changes[i - 1].old_begin + changes[i - 1].old_count) <= 2 * kContextLines;
        if (near) hunks.back().last = i;
        else hunks.push_back({i, i});
    }
    return hunks;
}

}  // namespace

std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view path) {
    if (old_text == new_text) return {};
    std::vector<std::string_view> old_lines = split_lines(old_text);
    std::vector<std::string_view> new_lines = split_lines(new_text);
    std::vector<LineChange> changes = diff_lines(old_lines, new_lines);

    const std::string old_path = old_text.empty() ? "/dev/null" : header_path("a/", path);
    std::string out = base::format("--- {}\n+++ {}\n", old_path, header_path("b/", path));
    for (const Hunk& hunk : group(changes)) {
        const LineChange& first = changes[hunk.first];
        const LineChange& last = changes[hunk.last];
        std::size_t before = std::min(first.old_begin, kContextLines);
        std::size_t old_last = last.old_begin + last.old_count;
        std::size_t after = std::min(old_lines.size() - old_last, kContextLines);
        std::size_t old_begin = first.old_begin - before;
        std::size_t new_begin = first.new_begin - before;
        std::size_t new_end = last.new_begin + last.new_count + after;
        out += base::format("@@ -{} +{} @@\n", hunk_range(old_begin, old_last + after - old_begin),
                            hunk_range(new_begin, new_end - new_begin));
        std::size_t at = old_begin;
        for (std::size_t i = hunk.first; i <= hunk.last; ++i) {
            const LineChange& change = changes[i];
            for (; at < change.old_begin; ++at) append_line(out, ' ', old_lines[at]);
            for (; at < change.old_begin + change.old_count; ++at) append_line(out, '-', old_lines[at]);
            for (std::size_t n = 0; n < change.new_count; ++n) append_line(out, '+', new_lines[change.new_begin + n]);
        }
        for (; at < old_last + after; ++at) append_line(out, ' ', old_lines[at]);
    }
    return out;
}

}  // namespace migrator
