#include "migrator/source/notebook.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kEndOfDocument = "END_OF_CELL";

// Text of one JSON string, with the place of each of its bytes.
struct SourceString {
    std::string text;
    std::vector<std::uint32_t> begins;
    std::vector<std::uint8_t> sizes;
    base::ByteRange range;  // with the quotes
};

bool is_magic(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    return first != line.npos && (line[first] == '%' || line[first] == '!' || line.ends_with('?'));
}

// Behind the words in front of `at` that are options: "-n 10 -q x = 1" gives "x = 1".
std::size_t behind_options(std::string_view line, std::size_t at) {
    for (;;) {
        at = std::min(line.find_first_not_of(" \t", at), line.size());
        if (at == line.size() || line[at] != '-') return at;
        const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
        const std::size_t value = std::min(line.find_first_not_of(" \t", end), line.size());
        const bool has_value = end - at == 2 && value < line.size() && line[value] >= '0' && line[value] <= '9';
        at = has_value ? std::min(line.find_first_of(" \t", value), line.size()) : end;
    }
}

// The name of the line magic, and what stands behind it: "%time f()" gives "time" and the offset of "f()".
std::pair<std::string_view, std::size_t> line_magic(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == line.npos || line[first] != '%' || line.substr(first).starts_with("%%")) return {{}, line.size()};
    const std::size_t end = std::min(line.find_first_of(" \t", first), line.size());
    return {line.substr(first + 1, end - first - 1), std::min(line.find_first_not_of(" \t", end), line.size())};
}

// Where the statement begins that the magic of a line runs: "%timeit -n 10 f()"; the line's size without one. That of a
// cell runs what stands behind its name before the cell: "%%timeit x = f()".
std::size_t begin_of_statement(std::string_view line) {
    if (line.starts_with("%%timeit ")) return behind_options(line, line.find(' '));
    const auto [magic, behind] = line_magic(line);
    const bool runs = magic == "time" || magic == "timeit" || magic == "prun" || magic == "memit";
    return runs ? behind_options(line, behind) : line.size();
}

// Where the command of a shell begins: at "!", also as in "files = !ls", at the variable of %env, at the name of %pip, at
// the program of %run; the line's size without one.
std::size_t begin_of_command(std::string_view line) {
    const auto [magic, behind] = line_magic(line);
    if (magic == "env" || magic == "set_env" || magic == "run") return behind;
    if (magic == "pip" || magic == "conda" || magic == "mamba") return line.find('%') + 1;
    const std::size_t mark = line.find('!');
    if (mark == line.npos) return line.size();
    std::size_t before = mark;
    while (before > 0 && (line[before - 1] == ' ' || line[before - 1] == '\t')) --before;
    if (before == 0) return mark;
    const bool is_assigned = line[before - 1] == '=' && before > 1 && mark + 1 < line.size() && line[mark + 1] != '=' &&
                             line.substr(0, before - 1).find_first_of("=!<>()[]{}\"'#%") == line.npos;
    return is_assigned ? mark : line.size();
}

// The quote that opens the string which ends right before `end`: quotes inside a string have a backslash.
std::size_t opening_quote(std::string_view json, std::size_t end) {
    for (std::size_t at = end - 1; at > 0;) {
        at = json.rfind('"', at - 1);
        if (at == json.npos) return 0;
        std::size_t slashes = 0;
        while (slashes < at && json[at - 1 - slashes] == '\\') ++slashes;
        if (slashes % 2 == 0) return at;
    }
    return 0;
}

std::size_t escape_size(std::string_view json, std::size_t at) {
    if (json[at] != '\\') return 1;
    if (json[at + 1] != 'u') return 2;
    // Two of them make one character.
    const bool high =
        json.substr(at + 2, 1).find_first_of("dD") == 0 && json.substr(at + 3, 1).find_first_of("89abAB") == 0;
    return high && json.substr(at + 6).starts_with("\\u") ? 12 : 6;
}

// How many bytes the character has that begins with this one.
std::size_t utf8_size(char first) {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// `text` is what the token that ends at `end` means. Every escape gives one character, every other byte itself.
SourceString source_string(std::string_view json, const std::string& text, std::uint64_t end) {
    SourceString out{text, {}, {}, {opening_quote(json, end), end}};
    std::size_t at = out.range.begin + 1;
    for (std::size_t i = 0; i < text.size() && at < end;) {
        const std::size_t raw = escape_size(json, at);
        const std::size_t bytes = raw == 1 ? 1 : utf8_size(text[i]);
        for (std::size_t b = 0; b < bytes; ++b) {
            out.begins.push_back(static_cast<std::uint32_t>(at));
            out.sizes.push_back(b == 0 ? static_cast<std::uint8_t>(raw) : 0);
        }
        i += bytes;
        at += raw;
    }
    out.begins.resize(text.size(), static_cast<std::uint32_t>(end - 1));
    out.sizes.resize(text.size(), 0);
    return out;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default: out += c; break;
        }
    }
    return out;
}

}  // namespace

class NotebookReader {
public:
    NotebookReader(std::string_view json, NotebookCode& out) : json_(json), out_(out) {}

    void add_cell(const base::Json& cell, std::size_t number) {
        const base::Json* source = cell.find("source");
        if (source == nullptr) return;
        cell_ = number;
        line_ = 0;
        shell_cell_ = other_cell_ = file_cell_ = false;
        if (const std::string* whole = source->string()) add_string(source_string(json_, *whole, source->offset()), {});
        if (source->array() != nullptr) {
            for (const base::Json& item : *source->array()) {
                if (item.string() == nullptr) continue;
                SourceString string = source_string(json_, *item.string(), item.offset());
                add_string(string, separator(string.range.begin));
            }
        }
        if (file_cell_) add_end_of_document();
    }

    void finish() {
        for (CellText* text : {&out_.python_, &out_.shell_}) {
            text->begins_.push_back(static_cast<std::uint32_t>(json_.size()));
            text->sizes_.push_back(0);
        }
    }

private:
    // Between two strings of a list: a comma, and the blanks in front of this one.
    std::string separator(std::size_t quote) const {
        std::size_t begin = quote;
        while (begin > 0 && (json_[begin - 1] == ' ' || json_[begin - 1] == '\n' || json_[begin - 1] == '\r' ||
                             json_[begin - 1] == '\t'))
            --begin;
        return "\"," + std::string(json_.substr(begin, quote - begin)) + "\"";
    }

    void add_string(const SourceString& string, std::string separator) {
        out_.strings_.emplace_back(string.range, std::move(separator));
        for (std::size_t begin = 0; begin < string.text.size();) {
            const std::size_t end = std::min(string.text.find('\n', begin), string.text.size());
            add_line(string, begin, end);
            begin = end + 1;
        }
    }

    void add_line(const SourceString& string, std::size_t begin, std::size_t end) {
        const std::string_view line = std::string_view(string.text).substr(begin, end - begin);
        const CellText::Place place{cell_, ++line_, string.range};
        if (line_ == 1 && line.starts_with("%%")) set_cell_magic(line);
        end_ = string.range.end - 1;
        const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
        const std::size_t command = begin_of_command(line);
        const std::size_t statement = begin_of_statement(line);
        out_.python_.lines_.push_back({out_.python_.text_.size(), place});
        out_.shell_.lines_.push_back({out_.shell_.text_.size(), place});
        // A magic stands where a statement may stand.
        if (shell_cell_ || other_cell_) {
            add_ours(out_.python_, "pass", string, begin);
        } else if (statement < line.size()) {
            add_ours(out_.python_, line.substr(0, first), string, begin);
            add_text(out_.python_, string, begin + statement, end);
        } else if (is_magic(line)) {
            add_ours(out_.python_, std::string(line.substr(0, first)) + "pass", string, begin);
        } else {
            // files = !ls
            add_text(out_.python_, string, begin, std::min(begin + command, end));
            if (command < line.size()) add_ours(out_.python_, "0", string, begin);
        }
        if (line_ == 1 && file_cell_) add_document(line, string, begin);
        else if ((shell_cell_ || file_cell_) && line_ > 1) add_text(out_.shell_, string, begin, end);
        else if (!shell_cell_ && !other_cell_ && command < line.size())
            add_text(out_.shell_, string, begin + command + (line[command] == '!' ? 1 : 0), end);
        add_line_end(out_.python_, string, end);
        add_line_end(out_.shell_, string, end);
    }

    void set_cell_magic(std::string_view line) {
        const std::string_view magic = line.substr(2, line.find(' ') - 2);
        constexpr auto kShell = std::to_array<std::string_view>({"!", "bash", "script", "sh", "sx", "system"});
        constexpr auto kPython =
            std::to_array<std::string_view>({"capture", "debug", "memit", "prun", "time", "timeit"});
        shell_cell_ = base::contains(kShell, magic);
        file_cell_ = magic == "writefile" || magic == "file" || magic.starts_with("python");
        other_cell_ = !shell_cell_ && !base::contains(kPython, magic);
    }

    // %%writefile NAME, %%python: to a shell, the cell is a here-document.
    void add_document(std::string_view line, const SourceString& string, std::size_t begin) {
        const std::size_t name_end = line.find(' ');
        const std::size_t file = name_end == line.npos ? line.size() : behind_options(line, name_end);
        const bool is_program = line.starts_with("%%python");
        add_ours(out_.shell_, is_program ? "python - <<" : "cat <<", string, begin);
        add_ours(out_.shell_, kEndOfDocument, string, begin);
        if (is_program) return;
        add_ours(out_.shell_, " > ", string, begin);
        add_text(out_.shell_, string, begin + file, begin + line.size());
    }

    void add_end_of_document() {
        for (const std::string_view text : {kEndOfDocument, std::string_view("\n")}) {
            out_.shell_.text_ += text;
            out_.shell_.begins_.insert(out_.shell_.begins_.end(), text.size(), static_cast<std::uint32_t>(end_));
            out_.shell_.sizes_.insert(out_.shell_.sizes_.end(), text.size(), 0);
        }
    }

    static void add_text(CellText& to, const SourceString& from, std::size_t begin, std::size_t end) {
        to.text_.append(from.text, begin, end - begin);
        const auto at = [&](const auto& list, std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
        to.begins_.insert(to.begins_.end(), at(from.begins, begin), at(from.begins, end));
        to.sizes_.insert(to.sizes_.end(), at(from.sizes, begin), at(from.sizes, end));
    }

    void add_ours(CellText& to, std::string_view text, const SourceString& string, std::size_t at) {
        to.text_ += text;
        to.begins_.insert(to.begins_.end(), text.size(), string.begins[at]);
        to.sizes_.insert(to.sizes_.end(), text.size(), 0);
    }

    // The end of a cell is the end of a line, although none is written there.
    void add_line_end(CellText& to, const SourceString& string, std::size_t end) {
        if (end < string.text.size()) return add_text(to, string, end, end + 1);
        to.text_ += '\n';
        to.begins_.push_back(static_cast<std::uint32_t>(string.range.end - 1));
        to.sizes_.push_back(0);
    }

    std::string_view json_;
    NotebookCode& out_;
    std::size_t cell_ = 0;
    std::size_t line_ = 0;
    bool shell_cell_ = false;
    bool file_cell_ = false;
    bool other_cell_ = false;
    std::uint64_t end_ = 0;  // of the last string
};

base::Result<NotebookCode> NotebookCode::read(std::string_view json, const std::string& path) {
    TRY_ASSIGN(const base::JsonDocument document, base::parse_json(json, path));
    const base::Json* cells = document.root.find("cells");
    if (cells == nullptr || cells->array() == nullptr)
        return base::fail(base::ErrorKind::bad_input, "it has no list of cells");
    NotebookCode out;
    out.json_ = json;
    NotebookReader reader(json, out);
    std::size_t number = 0;
    for (const base::Json& cell : *cells->array()) {
        ++number;
        const base::Json* type = cell.find("cell_type");
        if (type != nullptr && type->string() != nullptr && *type->string() == "code") reader.add_cell(cell, number);
    }
    reader.finish();
    return out;
}

std::optional<base::ByteRange> CellText::in_json(base::ByteRange range) const {
    if (range.begin > range.end || range.end >= begins_.size()) return std::nullopt;
    std::uint64_t end = begins_[range.begin];
    for (std::uint64_t at = range.begin; at < range.end; ++at) {
        const bool character = sizes_[at] > 0;
        const bool inside = at > range.begin && begins_[at] == begins_[at - 1];  // of a character of several bytes
        if ((!character && !inside) || (character && begins_[at] != end)) return std::nullopt;
        end = begins_[at] + std::max<std::uint64_t>(sizes_[at], end - begins_[at]);
    }
    return base::ByteRange{begins_[range.begin], end};
}

CellText::Place CellText::place(std::uint64_t offset) const {
    const auto next = std::ranges::upper_bound(lines_, offset, {}, &Line::begin);
    return next == lines_.begin() ? Place{} : (next - 1)->place;
}

bool CellText::is_behind_magic(std::uint64_t offset) const {
    const auto next = std::ranges::upper_bound(lines_, offset, {}, &Line::begin);
    if (next == lines_.begin()) return false;
    const Line& line = *(next - 1);
    const auto blanks = in_json({line.begin, offset});
    if (!blanks || blanks->end != begins_[offset]) return true;
    const bool begins_string = blanks->begin == line.place.in_json.begin + 1;
    return !begins_string && (line.begin == 0 || begins_[line.begin - 1] + sizes_[line.begin - 1] != blanks->begin);
}

std::string NotebookCode::in_string(std::string_view text, std::uint64_t offset) const {
    std::string out = escaped(text);
    const auto next =
        std::ranges::upper_bound(strings_, offset, {}, [](const auto& string) { return string.first.begin; });
    const std::string& separator = next == strings_.begin() ? std::string() : (next - 1)->second;
    if (separator.empty()) return out;
    for (std::size_t at = out.find("\\n"); at != out.npos; at = out.find("\\n", at + 2 + separator.size()))
        out.insert(at + 2, separator);
    return out;
}

}  // namespace migrator
