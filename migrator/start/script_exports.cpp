#include "migrator/start/script_exports.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr auto kOpening = std::to_array<std::string_view>({"if", "case", "for", "while", "until", "function", "{"});
constexpr auto kClosing = std::to_array<std::string_view>({"fi", "esac", "done", "}"});
constexpr auto kExporting = std::to_array<std::string_view>({"export", "declare", "typeset"});
// What a command may stand behind.
constexpr auto kInFront = std::to_array<std::string_view>(
    {"then", "else", "elif", "do", "if", "while", "until", "time", "exec", "nohup", "env", "readonly", "{", "(", "!"});

// The words of a line, with their quotes; ends of commands are words. A quote that stays open ends with the line.
std::vector<std::string_view> quoted_words(std::string_view line) {
    std::vector<std::string_view> out;
    std::size_t begin = std::string_view::npos;
    char quote = 0;
    const auto end_word = [&](std::size_t at) {
        if (begin != std::string_view::npos) out.push_back(line.substr(begin, at - begin));
        begin = std::string_view::npos;
    };
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (quote != 0) {
            if (c == '\\' && quote == '"') ++at;
            else if (c == quote) quote = 0;
            continue;
        }
        if (c == '#' && begin == std::string_view::npos) break;
        const bool separates = c == ';' || c == '&' || c == '|';
        if (separates || c == ' ' || c == '\t' || c == '\r') end_word(at);
        else if (begin == std::string_view::npos) begin = at;
        if (separates) out.push_back(line.substr(at, 1));
        if (c == '\\') ++at;
        if (c == '"' || c == '\'') quote = c;
    }
    end_word(line.size());
    return out;
}

bool is_assignment(std::string_view word) {
    const std::size_t sign = word.find('=');
    return sign != 0 && sign != word.npos && !(word.front() >= '0' && word.front() <= '9') &&
           std::ranges::all_of(word.substr(0, sign), base::is_word_char);
}

// A+=b
bool is_changed(std::string_view word) {
    const std::size_t sign = word.find("+=");
    return sign != 0 && sign != word.npos && std::ranges::all_of(word.substr(0, sign), base::is_word_char);
}

// It means something else in another script: a command's output, arguments, the script's own path.
bool is_computed_value(std::string_view value) {
    if (value.starts_with('\'')) return false;
    for (std::size_t at = value.find('$'); at != value.npos; at = value.find('$', at + 1)) {
        const std::string_view behind = value.substr(at + 1);
        const std::string_view name = behind.starts_with('{') ? behind.substr(1) : behind;
        if (behind.starts_with('(') || name.empty() || !base::is_word_char(name.front()) ||
            (name.front() >= '0' && name.front() <= '9') || name.starts_with("BASH_SOURCE"))
            return true;
    }
    return value.find('`') != value.npos || value.starts_with('(');
}

// A quote may go on in the next line.
bool has_open_quote(std::string_view value) {
    char quote = 0;
    for (std::size_t at = 0; at < value.size(); ++at) {
        const char c = value[at];
        if (c == '\\' && quote != '\'') ++at;
        else if (quote == 0 && (c == '"' || c == '\'')) quote = c;
        else if (c == quote) quote = 0;
    }
    return quote != 0;
}

bool is_plain(std::string_view value) { return !is_computed_value(value) && !has_open_quote(value); }

bool reads_variable(std::string_view value, std::string_view name) {
    for (std::size_t at = value.find(name); at != value.npos; at = value.find(name, at + 1)) {
        const bool begins = at > 0 && (value[at - 1] == '$' || value[at - 1] == '{');
        const std::size_t end = at + name.size();
        if (begins && (end == value.size() || !base::is_word_char(value[end]))) return true;
    }
    return false;
}

// "$(dirname "$0")/env.sh", $ROOT/env.sh, ./env.sh: env.sh
std::string_view sourced_path(std::string_view word) {
    word = base::trimmed(word, "\"'");
    const std::size_t variable = word.find_last_of("$)}");
    if (variable != word.npos) word.remove_prefix(std::min(word.find('/', variable), word.size()));
    while (word.starts_with('/') && variable != word.npos) word.remove_prefix(1);
    while (word.starts_with("./")) word.remove_prefix(2);
    return word;
}

constexpr std::size_t kMostAssignments = 1000;  // of one script; more are no script of a person
constexpr std::size_t kMostSourced = 20;
// So deep that no word of a sourced file ends it.
constexpr std::size_t kUnderCondition = 1U << 31U;

class ExportReader {
public:
    explicit ExportReader(const ReadSourced& read_sourced) : read_sourced_(read_sourced) {}

    // `of`: how places of this text end.
    void read_text(std::string_view text, std::uint32_t last_line, std::string_view of) {
        std::string joined_line;
        std::uint32_t number = 0;
        while (!text.empty() && (number < last_line || !joined_line.empty()) && out_.size() < kMostAssignments) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = base::trimmed(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            ++number;
            joined_line += line;
            if (joined_line.ends_with('\\') && !text.empty()) {
                joined_line.back() = ' ';
                continue;
            }
            read_line(joined_line, base::format("line {}{}", number, of), number >= last_line);
            joined_line.clear();
        }
    }

    void read_line(std::string_view line, const std::string& place, bool starts_program) {
        bool begins = true, exports = false, sources = false, sets = false, unsets = false, chooses = false;
        std::vector<std::size_t> in_front;  // assignments that are perhaps for one command
        for (const std::string_view word : quoted_words(line)) {
            // export "A=1"
            const std::string_view assigned = is_assignment(word) ? word : base::trimmed(word, "\"'");
            if (word == ";" || word == "&" || word == "|") {
                if (word != ";") is_conditional_ = true;
                begins = true, exports = false, sources = false, sets = false, unsets = false;
                in_front.clear();
                continue;
            }
            if (sources) source(word);
            if (sets && (word == "-a" || word == "+a")) exports_all_ = word == "-a";
            sources = begins && (word == "source" || word == ".");
            sets = begins && word == "set";
            if (chooses && word == "in") {
                chooses = false;
                begins = true;
                continue;
            }
            chooses |= begins && word == "case";
            if (begins && base::contains(kOpening, word)) ++depth_;
            if (begins && base::contains(kClosing, word) && depth_ > 0) --depth_;
            if (begins && base::contains(kExporting, word)) {
                exports = true;
            } else if (begins && word == "unset") {
                unsets = true;
            } else if (unsets || (exports && word == "-n")) {
                unsets = true;
                forget(word);
            } else if (begins && (base::contains(kInFront, word) || (depth_ > 0 && word.ends_with(')')))) {
                continue;
            } else if (begins && is_changed(word)) {
                make_uncertain(word.substr(0, word.find('+')));
            } else if (is_assignment(assigned) && (begins || exports)) {
                add(assigned, place, exports || exports_all_);
                if (!exports) in_front.push_back(out_.size() - 1);
                continue;
            } else if (exports) {
                export_named(word);
            } else if (begins && starts_program) {
                // Whatever leads to the command, these are set when it starts.
                for (const std::size_t at : in_front) {
                    out_[at].is_exported = true;
                    out_[at].is_certain = depth_ == 0 && is_plain(out_[at].value);
                }
            }
            if (word.ends_with('{') && word != "{" && !word.ends_with("${")) ++depth_;
            begins = false;
        }
        is_conditional_ = false;
    }

    std::vector<ScriptAssignment> take() {
        std::vector<ScriptAssignment> kept;
        for (std::size_t at = out_.size(); at-- > 0;) {
            const bool is_read = std::ranges::any_of(
                kept, [&](const ScriptAssignment& later) { return reads_variable(later.value, out_[at].name); });
            if (out_[at].is_exported || is_read) kept.push_back(std::move(out_[at]));
        }
        std::ranges::reverse(kept);
        // What is made of a value that is not copied is not copied either.
        for (std::size_t at = 0; at < kept.size(); ++at) {
            for (std::size_t before = 0; before < at && kept[at].is_certain; ++before)
                kept[at].is_certain = kept[before].is_certain || !reads_variable(kept[at].value, kept[before].name);
        }
        return kept;
    }

private:
    // It is read where it is sourced first; under a condition, all that it sets is under one.
    void source(std::string_view word) {
        const std::string_view path = sourced_path(word);
        if (sourced_.size() == kMostSourced || base::contains(sourced_, path)) return;
        sourced_.emplace_back(path);
        const std::optional<std::string> text = read_sourced_ ? read_sourced_(path) : std::nullopt;
        if (!text) return;
        const bool is_conditional = is_conditional_;
        const std::size_t depth = depth_;
        depth_ = depth > 0 || is_conditional ? kUnderCondition : 0;
        is_conditional_ = false;
        read_text(*text, static_cast<std::uint32_t>(-1), base::format(" of {}", path));
        depth_ = depth;
        is_conditional_ = is_conditional;
    }

    void add(std::string_view word, const std::string& place, bool exported) {
        const std::size_t sign = word.find('=');
        const std::string_view value = word.substr(sign + 1);
        out_.push_back({std::string(word.substr(0, sign)), std::string(value), place,
                        exported || is_exported(word.substr(0, sign)),
                        depth_ == 0 && !is_conditional_ && is_plain(value)});
    }

    bool is_exported(std::string_view name) const {
        return std::ranges::any_of(out_,
                                   [&](const ScriptAssignment& one) { return one.is_exported && one.name == name; });
    }

    // unset A, export -n A
    void forget(std::string_view name) {
        if (depth_ > 0 || is_conditional_) return make_uncertain(name);
        std::erase_if(out_, [&](const ScriptAssignment& one) { return one.name == name; });
    }

    // A+=b: the joined value is not worked out, so A is no longer certain.
    void make_uncertain(std::string_view name) {
        for (ScriptAssignment& one : out_) {
            if (one.name == name) one.is_certain = false;
        }
    }

    void export_named(std::string_view name) {
        for (ScriptAssignment& one : out_) {
            if (one.name == name) one.is_exported = true;
        }
    }

    const ReadSourced& read_sourced_;
    std::vector<ScriptAssignment> out_;
    std::size_t depth_ = 0;
    std::vector<std::string> sourced_;
    bool is_conditional_ = false;  // behind && or ||
    bool exports_all_ = false;     // set -a
};

}  // namespace

std::vector<ScriptAssignment> script_exports(std::string_view text, std::uint32_t last_line,
                                             const ReadSourced& read_sourced) {
    ExportReader reader(read_sourced);
    reader.read_text(text, last_line, "");
    return reader.take();
}

}  // namespace migrator
