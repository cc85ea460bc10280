#include "migrator/edit/moved_edits.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "migrator/edit/line_diff.h"

namespace migrator {
namespace {

constexpr std::size_t kShownBytes = 60;

// A text as lines with their ends, and where they begin.
struct LinesOf {
    std::vector<std::string_view> lines;
    std::vector<std::uint64_t> begins;  // one more than lines

    explicit LinesOf(std::string_view text) : lines(split_lines(text)) {
        begins.push_back(0);
        for (std::string_view line : lines) begins.push_back(begins.back() + line.size());
    }
    std::size_t count() const { return lines.size(); }
    // Behind the last line end: count().
    std::size_t at(std::uint64_t offset) const {
        if (offset >= begins.back()) return lines.empty() || lines.back().ends_with('\n') ? count() : count() - 1;
        return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), offset) - begins.begin()) - 1;
    }
    std::string_view content(std::size_t line) const {
        const std::string_view text = lines[line];
        return text.substr(0, text.find_last_not_of("\r\n") + 1);
    }
    std::uint64_t content_end(std::size_t line) const { return begins[line] + content(line).size(); }
};

std::string_view indentation(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(base::kBlanks), line.size()));
}

std::string shown(std::string_view line) {
    const std::string_view text = base::trimmed(line);
    if (text.size() <= kShownBytes) return std::string(text);
    std::size_t end = kShownBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;  // not inside a character
    return std::string(text.substr(0, end)) + "...";
}

class Merge {
public:
    Merge(std::string_view original, const std::vector<Edit>& edits, std::string_view now)
        : original_(original), edits_(edits), old_(original), new_(now), changes_(diff_lines(old_.lines, new_.lines)) {
        std::size_t new_line = 0;
        for (const LineChange& change : changes_) {
            while (kept_.size() < change.old_begin) kept_.emplace_back(new_line++);
            kept_.resize(change.old_begin + change.old_count);
            new_line = change.new_begin + change.new_count;
        }
        while (kept_.size() < old_.count()) kept_.emplace_back(new_line++);
    }

    MovedEdit moved(const Edit& edit) const {
        if (old_.count() == 0) return {MovedEdit::State::lost, {}, "the file was empty"};
        if (is_behind_line(edit)) return inserted(edit, place_behind(edit));
        if (is_before_line(edit)) return inserted(edit, place_before(edit));
        return moved_inside(edit);
    }

private:
    using Line = std::optional<std::size_t>;  // of the newer text

    // "\nimport b" at the end of a line.
    bool is_behind_line(const Edit& edit) const {
        if (edit.range.size() > 0 || !(edit.replacement.starts_with('\n') || edit.replacement.starts_with("\r\n")))
            return false;
        const std::size_t line = old_.at(edit.range.begin);
        return line < old_.count() && old_.content_end(line) == edit.range.begin;
    }
    // "import b\n" at the begin of a line.
    bool is_before_line(const Edit& edit) const {
        return edit.range.size() == 0 && edit.replacement.ends_with('\n') &&
               old_.begins[old_.at(edit.range.begin)] == edit.range.begin;
    }

    const LineChange* change_at(std::size_t line) const {
        for (const LineChange& change : changes_) {
            if (line >= change.old_begin && line < change.old_begin + change.old_count) return &change;
        }
        return nullptr;
    }

    // What has become of a line: as many lines stand in its place, or one of them still has its text.
    Line counterpart(std::size_t line) const {
        if (kept_[line]) return kept_[line];
        const LineChange& change = *change_at(line);
        Line found;
        if (change.old_count == change.new_count) found = change.new_begin + (line - change.old_begin);
        const std::string_view text = base::trimmed(old_.lines[line]);
        for (std::size_t i = change.new_begin; i < change.new_begin + change.new_count && !found && !text.empty();
             ++i) {
            if (new_.lines[i].find(text) != std::string_view::npos) found = i;
        }
        if (found && indentation(new_.lines[*found]) != indentation(old_.lines[line])) return std::nullopt;
        return found;
    }

    std::optional<std::uint64_t> place_behind(const Edit& edit) const {
        const std::size_t line = old_.at(edit.range.begin);
        if (const Line same = counterpart(line)) return new_.content_end(*same);
        const Line next = line + 1 < old_.count() ? kept_[line + 1] : std::nullopt;
        if (next && *next > 0) return new_.content_end(*next - 1);
        return std::nullopt;
    }

    std::optional<std::uint64_t> place_before(const Edit& edit) const {
        const std::size_t line = old_.at(edit.range.begin);
        if (line < old_.count() && kept_[line]) return new_.begins[*kept_[line]];
        const Line previous = line > 0 ? counterpart(line - 1) : std::nullopt;
        if (previous && new_.lines[*previous].ends_with('\n')) return new_.begins[*previous + 1];
        const Line same = line < old_.count() ? counterpart(line) : std::nullopt;
        if (same) return new_.begins[*same];
        return std::nullopt;
    }

    MovedEdit inserted(const Edit& edit, std::optional<std::uint64_t> place) const {
        if (is_among_added(edit.replacement)) return {MovedEdit::State::there_already, {}, {}};
        if (place) return {MovedEdit::State::fits, {*place, *place}, {}};
        return lost(std::min(old_.at(edit.range.begin), old_.count() - 1));
    }

    // Somebody has added the same lines.
    bool is_among_added(std::string_view text) const {
        const LinesOf wanted(base::trimmed(text, "\r\n"));
        if (wanted.count() == 0) return false;
        for (const LineChange& change : changes_) {
            for (std::size_t i = 0; i + wanted.count() <= change.new_count; ++i) {
                std::size_t same = 0;
                while (same < wanted.count() && wanted.content(same) == new_.content(change.new_begin + i + same))
                    ++same;
                if (same == wanted.count()) return true;
            }
        }
        return false;
    }

    MovedEdit moved_inside(const Edit& edit) const {
        const std::size_t first = old_.at(edit.range.begin);
        if (first == old_.count()) return lost(first - 1);
        const std::size_t last = edit.range.size() == 0 ? first : old_.at(edit.range.end - 1);
        for (std::size_t line = first; line <= last; ++line) {
            if (kept_[line] && *kept_[line] == kept_[first].value_or(0) + (line - first)) continue;
            return is_made(first, last) ? MovedEdit{MovedEdit::State::there_already, {}, {}} : lost(line);
        }
        const std::uint64_t begin = new_.begins[*kept_[first]] + (edit.range.begin - old_.begins[first]);
        return {MovedEdit::State::fits, {begin, begin + edit.range.size()}, {}};
    }

    // The lines are now what the edits inside of them make.
    bool is_made(std::size_t first, std::size_t last) const {
        const Line begin = counterpart(first);
        const Line end = counterpart(last);
        if (!begin || !end || *end - *begin != last - first) return false;
        EditSet inside;
        for (const Edit& edit : edits_) {
            const bool touches = edit.range.begin >= old_.begins[first] && edit.range.end <= old_.begins[last + 1];
            if (!touches || is_behind_line(edit) || is_before_line(edit)) continue;
            const std::uint64_t begin_of_lines = old_.begins[first];
            CHECK(
                inside.add({{{edit.range.begin - begin_of_lines, edit.range.end - begin_of_lines}, edit.replacement}}));
        }
        const std::uint64_t size = old_.begins[last + 1] - old_.begins[first];
        std::string now;
        for (std::size_t line = *begin; line <= *end; ++line) now += new_.lines[line];
        return inside.apply(original_.substr(old_.begins[first], size)) == now;
    }

    MovedEdit lost(std::size_t line) const {
        const std::string was = shown(old_.lines[line]);
        const Line now = kept_[line] ? std::nullopt : counterpart(line);
        if (kept_[line]) return {MovedEdit::State::lost, {}, base::format("other lines stand around `{}` now", was)};
        if (now)
            return {MovedEdit::State::lost,
                    {},
                    base::format("the line was `{}` and is `{}`", was, shown(new_.lines[*now]))};
        return {MovedEdit::State::lost, {}, base::format("the line `{}` is gone, or has changed", was)};
    }

    std::string_view original_;
    const std::vector<Edit>& edits_;
    LinesOf old_;
    LinesOf new_;
    std::vector<LineChange> changes_;
    std::vector<Line> kept_;  // by line of the original: where it is now, unchanged
};

}  // namespace

std::vector<MovedEdit> moved_edits(std::string_view original, const std::vector<Edit>& edits, std::string_view now) {
    const Merge merge(original, edits, now);
    std::vector<MovedEdit> out;
    for (const Edit& edit : edits) out.push_back(merge.moved(edit));
    return out;
}

}  // namespace migrator
