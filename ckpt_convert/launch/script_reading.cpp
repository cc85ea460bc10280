#include "ckpt_convert/launch/script_reading.h"

#include <algorithm>
#include <list>
#include <set>

#include "base/format.h"
#include "base/paths.h"
#include "base/text.h"
#include "ckpt_convert/launch/shell_expansion.h"
#include "shell/shell_words.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kMaxScriptBytes = 4 << 20;
constexpr int kMaxSourced = 8;  // files that source each other
constexpr std::size_t kMaxPrograms = 1000;
constexpr auto kBefore = std::to_array<std::string_view>({"if", "then", "else", "elif", "do", "done", "fi", "while",
                                                          "until", "{", "}", "!", "time", "esac", "exec", "nohup"});
constexpr auto kDeclare = std::to_array<std::string_view>({"export", "declare", "local", "readonly", "typeset"});

// "NAME" of NAME=value and NAME+=value.
std::string_view assigned(std::string_view word) {
    std::size_t end = 0;
    while (end < word.size() && base::is_word_char(word[end])) ++end;
    const bool is_assignment = end > 0 && !(word[0] >= '0' && word[0] <= '9') &&
                               (word.substr(end).starts_with('=') || word.substr(end).starts_with("+="));
    return is_assignment ? word.substr(0, end) : std::string_view();
}

class ScriptReader final : public shell::ShellListener {
public:
    ScriptReader(base::FileSystem& fs, const Path& path, const std::vector<std::string>& programs,
                 const std::vector<std::string>& not_read)
        : fs_(fs), programs_(programs), not_read_(not_read), shell_(directory_of(fs, path)) {}

    Status read(const Path& path) {
        if (depth_ == kMaxSourced) return {};
        TRY_ASSIGN(const auto info, fs_.info(path));
        if (info.bytes > kMaxScriptBytes)
            return base::fail(ErrorKind::unsupported, "this is too large for a script", path);
        TRY_ASSIGN(std::string text, base::read_file(fs_, path));
        const auto number = static_cast<std::uint32_t>(files_.size());
        files_.push_back({path, std::move(text)});
        const std::uint32_t before = current_;
        const std::string_view outer = text_;
        enter(number, files_.back().text);
        ++depth_;
        find_slips();
        shell::read_words(text_, {.is_file = true}, *this);
        --depth_;
        enter(before, outer);
        return {};
    }

    ScriptReading take() && {
        if (shell_.is_exhausted() || out_.programs.size() == kMaxPrograms)
            out_.slips.push_back(
                {{},
                 "the script makes more text of its variables, or starts more programs, than are looked at",
                 "a shorter script",
                 {},
                 false});
        const std::set<std::pair<std::uint32_t, std::uint64_t>> used = used_by_programs();
        for (const auto& [name, place] : shell_.unset()) {
            ScriptSlip slip{place,
                            base::format("the variable {} has no value", name),
                            base::format("set {} before it is used", name),
                            {},
                            true};
            if (used.contains({place.file, place.begin})) out_.slips.push_back(std::move(slip));
        }
        out_.files.assign(std::make_move_iterator(files_.begin()), std::make_move_iterator(files_.end()));
        return std::move(out_);
    }

    void command(std::vector<std::string_view> words, int depth) override {
        if (depth > 0) return;
        const ScriptPlace begin = shell_.place_of(words.front());
        const bool is_cut = words.front().starts_with("--") && !words.front().starts_with("-- ");
        if (is_cut) return cut_command(begin, words.front());
        std::size_t first = 0;
        while (first < words.size() && base::contains(kBefore, words[first])) ++first;
        bool exported = false;
        while (first < words.size() && base::contains(kDeclare, words[first])) exported |= words[first++] == "export";
        const bool declares = exported || (first > 0 && base::contains(kDeclare, words[first - 1]));
        for (; first < words.size(); ++first) {
            const std::string_view name = assigned(words[first]);
            if (name.empty()) {
                if (!declares) break;
                continue;
            }
            assign(name, words[first], exported || first + 1 < words.size());
        }
        if (first >= words.size()) return;
        start({words.begin() + static_cast<std::ptrdiff_t>(first), words.end()});
    }

    void list(std::string_view name, std::vector<std::string_view> words) override {
        const bool appends = name.data() + name.size() < text_.data() + text_.size() && name.data()[name.size()] == '+';
        const bool goes_on = list_ == name.data();
        list_ = name.data();
        std::vector<ScriptWord> values;
        for (const std::string_view word : words) {
            for (ScriptWord& value : shell_.words(word)) values.push_back(std::move(value));
        }
        const std::size_t space = name.find_last_of(" \t");
        shell_.assign(std::string(space == name.npos ? name : name.substr(space + 1)), std::move(values),
                      appends || goes_on);
    }

private:
    static Path directory_of(base::FileSystem& fs, const Path& path) {
        const auto real = fs.real_path(base::parent(path));
        return real ? *real : base::parent(path);
    }

    void enter(std::uint32_t number, std::string_view text) {
        current_ = number;
        text_ = text;
        shell_.in_file(number, text);
        list_ = nullptr;
    }

    void assign(std::string_view name, std::string_view word, bool exported) {
        const std::size_t equals = word.find('=');
        std::vector<ScriptWord> values = shell_.words(word.substr(equals + 1));
        ScriptWord value{{}, shell_.place_of(word.substr(equals + 1)), true};
        if (values.size() == 1) value = values.front();
        for (std::size_t i = 0; i < values.size() && values.size() > 1; ++i) {
            value.text += (i > 0 ? " " : "") + values[i].text;
            value.is_known &= values[i].is_known;
        }
        shell_.assign_text(std::string(name), word.substr(equals + 1), value, word[equals - 1] == '+');
        out_.variables.push_back({std::string(name), value, exported});
    }

    void start(const std::vector<std::string_view>& words) {
        std::vector<ScriptWord> all;
        for (const std::string_view word : words) {
            if (base::trimmed(word) == "\\") continue;  // a blank behind a backslash is said of the line
            for (ScriptWord& value : shell_.words(word)) all.push_back(std::move(value));
        }
        if (all.empty()) return;
        const bool sources = all.size() > 1 && (all.front().text == "source" || all.front().text == ".");
        if (sources) return source(all[1]);
        add_program(all);
        out_.commands.push_back(std::move(all));
    }

    void source(const ScriptWord& file) {
        if (!file.is_known) return;
        const Path path =
            file.text.starts_with('/') ? file.text : base::join(base::parent(files_.front().path), file.text);
        const bool is_read_already =
            std::any_of(files_.begin(), files_.end(), [&](const ScriptFile& known) { return known.path == path; });
        const bool is_of_job = std::none_of(not_read_.begin(), not_read_.end(),
                                            [&](const std::string& end) { return path.ends_with(end); });
        // What is not there cannot be looked into.
        if (is_read_already || !is_of_job || !fs_.exists(path)) return;
        (void)read(path);
    }

    void add_program(const std::vector<ScriptWord>& words) {
        const auto is_program = [&](const ScriptWord& word) {
            return base::contains(programs_, std::string(base::file_name(word.text)));
        };
        const auto found = std::find_if(words.begin(), words.end(), is_program);
        if (found == words.end() || out_.programs.size() == kMaxPrograms) return;
        // A program that is handed on: start_megatron.py pretrain_gpt.py
        ScriptProgram program;
        program.name = base::file_name(found->text);
        program.place = found->place;
        const auto at = static_cast<std::size_t>(found - words.begin());
        program.launcher = options_in(words, 0, at, nullptr);
        program.options = options_in(words, at + 1, words.size(), &program.arguments);
        out_.programs.push_back(std::move(program));
    }

    static bool is_option(const ScriptWord& word) { return word.text.starts_with("--") && word.text.size() > 2; }

    static std::vector<ScriptOption> options_in(const std::vector<ScriptWord>& words, std::size_t begin,
                                                std::size_t end, std::vector<ScriptWord>* arguments) {
        std::vector<ScriptOption> out;
        for (std::size_t i = begin; i < end; ++i) {
            const ScriptWord& word = words[i];
            if (is_option(word)) {
                const std::size_t equals = word.text.find('=');
                out.push_back({word.text.substr(0, equals), word.place, {}});
                if (equals == word.text.npos) continue;
                ScriptWord value{word.text.substr(equals + 1), word.place, word.is_known};
                const bool is_literal = word.place.end - word.place.begin == word.text.size();
                if (is_literal) value.place.begin += equals + 1;
                out.back().values.push_back(std::move(value));
            } else if (!out.empty()) {
                out.back().values.push_back(word);
            } else if (arguments != nullptr) {
                arguments->push_back(word);
            }
        }
        return out;
    }

    void cut_command(const ScriptPlace& begin, std::string_view word) {
        // One line of them is enough; what follows is of the same command.
        if (!out_.slips.empty() && out_.slips.back().place.file == begin.file && slips_cut_) return;
        slips_cut_ = true;
        const std::string_view before = text_.substr(0, begin.begin);
        const std::size_t end = before.find_last_not_of(" \t\r\n");
        if (end == before.npos) return;
        const std::size_t line = before.rfind('\n', end);
        const std::string_view last = before.substr(line + 1, end - line);
        const std::uint64_t last_begin = line + 1;
        if (const std::size_t comment = last.find(" #"); comment != last.npos || base::trimmed(last).starts_with('#')) {
            const std::size_t from = comment == last.npos ? 0 : comment;
            out_.slips.push_back(
                {{begin.file, last_begin + from, last_begin + last.size()},
                 base::format("a comment ends the command here: {} and what follows are not given to it", word),
                 "no comment inside a command",
                 from == 0 ? "\\" : " \\",
                 true});
        } else {
            out_.slips.push_back({{begin.file, last_begin + last.size(), last_begin + last.size()},
                                  base::format("the command ends here: {} and what follows are not given to it", word),
                                  "a backslash at the end of this line",
                                  " \\",
                                  true});
        }
    }

    // Blanks behind a backslash, ends of lines of Windows.
    void find_slips() {
        for (std::size_t at = text_.find('\\'); at != text_.npos; at = text_.find('\\', at + 1)) {
            const std::size_t end = text_.find_first_not_of(" \t", at + 1);
            const bool is_slip = end != text_.npos && end > at + 1 && (text_[end] == '\n' || text_[end] == '\r');
            if (!is_slip) continue;
            const std::size_t line = text_.rfind('\n', at) + 1;
            if (base::trimmed(text_.substr(line, at - line)).starts_with('#')) continue;
            out_.slips.push_back({{current_, at + 1, end},
                                  "a blank after the backslash ends the command: what follows is not given to it",
                                  "nothing after the backslash",
                                  "",
                                  true});
            slips_cut_ = true;
        }
        if (const std::size_t windows = text_.find("\r\n"); windows != text_.npos)
            out_.slips.push_back({{current_, windows, windows + 1},
                                  "the lines end as those of Windows do: bash takes the "
                                  "carriage return for a part of the last word",
                                  "line ends of Unix",
                                  "",
                                  true});
    }

    // Where values of options come from: file and byte.
    std::set<std::pair<std::uint32_t, std::uint64_t>> used_by_programs() const {
        std::set<std::pair<std::uint32_t, std::uint64_t>> out;
        for (const ScriptProgram& program : out_.programs) {
            for (const ScriptOption& option : program.options) {
                for (const ScriptWord& value : option.values) out.insert({value.place.file, value.place.begin});
            }
        }
        return out;
    }

    base::FileSystem& fs_;
    const std::vector<std::string>& programs_;
    const std::vector<std::string>& not_read_;
    ShellExpansion shell_;
    std::list<ScriptFile> files_;  // views of their texts are kept
    std::uint32_t current_ = 0;
    std::string_view text_;
    const char* list_ = nullptr;  // the list whose lines are being read
    int depth_ = 0;
    bool slips_cut_ = false;
    ScriptReading out_;
};

}  // namespace

bool ScriptOption::has_known_values() const {
    return std::all_of(values.begin(), values.end(), [](const ScriptWord& value) { return value.is_known; });
}

const ScriptVariable* ScriptReading::variable(std::string_view name) const {
    const auto found = std::find_if(variables.rbegin(), variables.rend(),
                                    [&](const ScriptVariable& variable) { return variable.name == name; });
    return found == variables.rend() ? nullptr : &*found;
}

Result<ScriptReading> read_script(base::FileSystem& fs, const Path& path, const std::vector<std::string>& programs,
                                  const std::vector<std::string>& not_read) {
    ScriptReader reader(fs, path, programs, not_read);
    TRY(reader.read(path));
    return std::move(reader).take();
}

}  // namespace ckpt
