#include "ckpt_convert/launch/script_reading.h"

#include <algorithm>
#include <list>
#include <set>

#include "base/format.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/text_lines.h"
#include "ckpt_convert/launch/script_options.h"
#include "ckpt_convert/launch/script_slips.h"
#include "ckpt_convert/launch/shell_branches.h"
#include "ckpt_convert/launch/shell_expansion.h"
#include "shell/environment.h"
#include "shell/shell_words.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kMaxScriptBytes = 4 << 20;
constexpr int kMaxSourced = 8;  // files that source each other
constexpr std::size_t kMaxPrograms = 1000;
constexpr auto kBefore = std::to_array<std::string_view>({"if", "then", "else", "elif", "do", "done", "fi", "while",
                                                          "until", "{", "}", "!", "time", "esac", "exec", "nohup"});
constexpr auto kSeparators = std::to_array<std::string_view>({"&&", "||", ";", "|", "&", ";}"});
constexpr auto kTests = std::to_array<std::string_view>({"[", "[[", "test"});
constexpr auto kIsThere = std::to_array<std::string_view>({"-f", "-e", "-r", "-s"});
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
    ScriptReader(base::FileSystem& fs, const Path& path, const ScriptNames& names)
        : fs_(fs),
          names_(names),
          shell_(directory_of(fs, path), names.given),
          branches_(shell_),
          environment_([&](std::string_view name) { return names_.held.contains(name); },
                       [&](const auto& words) { add_start(words); }) {}

    Status read(const Path& path) {
        if (depth_ == kMaxSourced)
            return base::fail(ErrorKind::unsupported, "too many scripts source each other", path);
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
        slips_cut_ |= add_line_slips(text_, number, out_.slips);
        if (!names_.batch_comment.empty()) read_batch();
        shell::read_words(text_, {.is_file = true, .has_whole_words = true}, *this);
        --depth_;
        enter(before, outer);
        return {};
    }

    ScriptReading take() && {
        environment_.end();
        if (shell_.is_exhausted() || out_.programs.size() == kMaxPrograms)
            out_.slips.push_back(
                {{},
                 "the script makes more text of its variables, or starts more programs, than are looked at",
                 "a shorter script",
                 {},
                 false,
                 false});
        const std::set<std::pair<std::uint32_t, std::uint64_t>> used = used_by_programs();
        for (const auto& [name, place] : shell_.unset()) {
            ScriptSlip slip{place,
                            base::format("nothing here gives the variable {} a value", name),
                            base::format("set {} before it is used, or export it before the script is started", name),
                            {},
                            false,
                            false};
            if (used.contains({place.file, place.begin})) out_.slips.push_back(std::move(slip));
        }
        for (const std::vector<const char*>& words : starts_) {
            out_.starts.emplace_back();
            for (const char* word : words) {
                if (const auto found = assigned_.find(word); found != assigned_.end())
                    out_.starts.back().push_back(found->second);
            }
        }
        out_.is_undecided = branches_.is_undecided();
        out_.files.assign(std::make_move_iterator(files_.begin()), std::make_move_iterator(files_.end()));
        return std::move(out_);
    }

    void command(std::vector<std::string_view> words, int depth) override {
        if (depth > 0) return;
        const ScriptPlace begin = shell_.place_of(words.front());
        const bool is_cut = words.front().starts_with("--") && !words.front().starts_with("-- ");
        if (is_cut) return cut_command(begin, words.front());
        note_test(words);
        const std::vector<std::string_view> all = words;
        const bool runs = branches_.runs(words);
        environment_.command(all);
        if (!runs) return;
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

    void comparison(std::string_view variable, std::string_view pattern) override {
        branches_.pattern(variable, pattern);
        environment_.pattern(pattern);
    }
    void enter(bool is_substitution) override { environment_.enter(is_substitution); }
    void leave() override { environment_.leave(); }

    void list(std::string_view name, std::vector<std::string_view> words) override {
        if (!branches_.is_running()) return;
        const bool appends = name.data() + name.size() < text_.data() + text_.size() && name.data()[name.size()] == '+';
        const bool goes_on = list_ == name.data();
        list_ = name.data();
        const std::size_t space = name.find_last_of(" \t");
        shell_.assign_list(std::string(space == name.npos ? name : name.substr(space + 1)), words, appends || goes_on);
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
        ScriptWord value = shell_.assign_text(std::string(name), word.substr(equals + 1), word[equals - 1] == '+');
        assigned_[word.data()] = out_.variables.size();
        out_.variables.push_back({std::string(name), std::move(value), exported});
    }

    // What a part that does not run sets is not in the list.
    void add_start(const std::vector<std::string_view>& words) {
        if (!branches_.is_running() || starts_.size() == kMaxPrograms) return;
        starts_.emplace_back();
        for (const std::string_view word : words) starts_.back().push_back(word.data());
    }

    void start(const std::vector<std::string_view>& words) {
        std::vector<ScriptWord> all;
        std::vector<ScriptPlace> ends;  // where each can be followed by one more
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string_view word = words[i];
            if (base::trimmed(word) == "\\") continue;  // a blank behind a backslash is said of the line
            const bool is_text = is_command_text(words, i);
            std::vector<ScriptWord> values = is_text ? shell_.words_in(word) : shell_.words(word);
            for (ScriptWord& value : values) {
                ends.push_back(is_text || values.size() > 1 ? value.place : shell_.place_of(word, value.place));
                all.push_back(std::move(value));
            }
        }
        if (all.empty()) return;
        assign_by_command(all);
        const std::size_t called = called_script(all);
        if (called < all.size()) follow(all, called);
        else add_program(all, ends);
        if (!base::contains(names_.shown_by, std::string(base::file_name(all.front().text)))) tested_.clear();
        out_.commands.push_back(std::move(all));
    }

    // What only the run knows: `read -r NAME ...`, and `for NAME in ...`, of which the last one counts.
    void assign_by_command(const std::vector<ScriptWord>& all) {
        for (std::size_t i = 1; i < all.size() && all.front().text == "read"; ++i) {
            if (!all[i].text.starts_with('-'))
                shell_.assign_given(all[i].text, {"", all[i].place, all[i].at, false, true});
        }
        if (all.size() < 4 || all.front().text != "for" || all[2].text != "in") return;
        ScriptWord last = all.back();
        last.is_known = false;
        shell_.assign_given(all[1].text, last);
    }

    // `[ -f FILE ]`: one that is sourced where it is there may be missing.
    void note_test(const std::vector<std::string_view>& words) {
        const auto test = std::find_if(words.begin(), words.end(),
                                       [](std::string_view word) { return base::contains(kTests, word); });
        for (auto word = test; word != words.end() && word + 1 != words.end(); ++word) {
            if (!base::contains(kIsThere, *word) || *(word - 1) == "!") continue;
            const std::vector<ScriptWord> file = shell_.words(*(word + 1));
            tested_ = file.size() == 1 ? file.front().text : std::string();
        }
    }

    // eval "$COMMAND", bash -c "...": the shell reads the text as a command once more.
    static bool is_command_text(const std::vector<std::string_view>& words, std::size_t at) {
        if (at > 0 && words.front() == "eval") return true;
        if (at < 2 || !words[at - 1].starts_with('-') || words[at - 1].starts_with("--")) return false;
        return words[at - 1].ends_with('c') && is_shell(words[at - 2]);
    }
    static bool is_shell(std::string_view word) {
        const std::string_view name = base::file_name(word);
        return name == "bash" || name == "sh";
    }

    // Of `source FILE`, `bash FILE` and FILE.sh, where it stands; the size: there is none.
    static std::size_t called_script(const std::vector<ScriptWord>& words) {
        const std::string& first = words.front().text;
        if (words.size() > 1 && (first == "source" || first == ".")) return 1;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const bool is_called = i == 0 || is_shell(words[i - 1].text);
            if (is_called && words[i].text.ends_with(".sh")) return i;
        }
        return words.size();
    }

    // Reads the script of a command, unless it says nothing of the job.
    void follow(const std::vector<ScriptWord>& command, std::size_t called) {
        const ScriptWord& file = command[called];
        if (base::contains(names_.not_read, std::string(base::file_name(file.text)))) return;
        const bool is_sourced = called == 1 && !is_shell(command.front().text);
        const bool is_of_home = file.text.starts_with('~') && written(file.at).starts_with('~');
        if (!file.is_known || is_of_home) return add_not_read(file, NotRead::unknown_place, is_sourced);
        const Path path = place_of_script(file.text);
        if (path.empty()) {
            if (file.text != tested_) add_not_read(file, NotRead::not_found, is_sourced);
            return;
        }
        const bool is_read_already =
            std::any_of(files_.begin(), files_.end(), [&](const ScriptFile& known) { return known.path == path; });
        if (is_read_already) return;
        for (std::size_t i = called + 1; i < command.size(); ++i)
            shell_.assign_given(base::format("{}", i - called), command[i]);
        if (!read(path)) add_not_read(file, NotRead::unreadable, is_sourced);
    }

    // A relative one lies beside the first script, or where the check is started; empty: it is not there.
    Path place_of_script(const std::string& name) const {
        const bool is_whole = name.starts_with('/');
        const Path beside = is_whole ? name : base::join(base::parent(files_.front().path), name);
        if (fs_.exists(beside)) return base::normal_path(beside);
        return fs_.exists(name) ? base::normal_path(name) : Path();
    }

    std::string_view written(const ScriptPlace& place) const {
        const std::string_view text = std::next(files_.begin(), place.file)->text;
        return text.substr(place.begin, place.end - place.begin);
    }

    void add_not_read(const ScriptWord& file, NotRead why, bool is_sourced) {
        if (is_sourced) shell_.expect_more();
        const std::string_view name = base::trimmed(written(file.at), "\"'");
        ScriptSlip slip = not_read_slip(file.at, name.empty() ? file.text : name, why, is_sourced);
        if (not_read_.insert(slip.what).second) out_.not_read.push_back(std::move(slip));
    }

    void add_program(const std::vector<ScriptWord>& words, const std::vector<ScriptPlace>& ends) {
        const bool is_shown = base::contains(names_.shown_by, std::string(base::file_name(words.front().text)));
        if (is_shown) return;
        const auto is_program = [&](const ScriptWord& word) {
            return base::contains(names_.programs, std::string(base::file_name(word.text)));
        };
        const auto found = std::find_if(words.begin(), words.end(), is_program);
        if (found == words.end() || out_.programs.size() == kMaxPrograms) return;
        // A program that is handed on: start_megatron.py pretrain_gpt.py
        ScriptProgram program;
        program.name = base::file_name(found->text);
        program.place = found->place;
        const auto at = static_cast<std::size_t>(found - words.begin());
        program.end = ends[at];
        program.launcher = options_in(words, 0, at, nullptr, program.is_launcher_open);
        const auto end =
            std::find_if(found, words.end(), [](const ScriptWord& word) { return ends_command(word.text); });
        program.options = options_in(words, at + 1, static_cast<std::size_t>(end - words.begin()), &program.arguments,
                                     program.is_open);
        out_.programs.push_back(std::move(program));
    }

    // Of a text that is a command.
    static bool ends_command(std::string_view word) {
        const std::size_t sign = word.find_first_not_of("0123456789&");
        return base::contains(kSeparators, word) || (sign != word.npos && word[sign] == '>');
    }

    void cut_command(const ScriptPlace& begin, std::string_view word) {
        // One line of them is enough; what follows is of the same command.
        if (!out_.slips.empty() && out_.slips.back().place.file == begin.file && slips_cut_) return;
        slips_cut_ = true;
        if (auto slip = cut_slip(text_, begin, word)) out_.slips.push_back(std::move(*slip));
    }

    // #SBATCH --nodes=2 -n 16
    void read_batch() {
        for (std::size_t at = text_.find(names_.batch_comment); at != text_.npos;
             at = text_.find(names_.batch_comment, at + 1)) {
            if (at > 0 && text_[at - 1] != '\n') continue;
            std::string_view line = base::line_at(text_, at);
            if (const std::size_t comment = line.find(" #"); comment != line.npos) line = line.substr(0, comment);
            std::vector<std::string_view> words;
            for (const std::string_view word : base::split(line, ' '))
                if (!word.empty()) words.push_back(word);
            for (std::size_t i = 1; i < words.size(); ++i) {
                const std::size_t equals = words[i].find('=');
                const std::string_view name = words[i].substr(0, equals);
                if (equals != name.npos) add_batch(name, words[i].substr(equals + 1));
                else if (i + 1 < words.size()) add_batch(name, words[i + 1]);
            }
        }
    }

    void add_batch(std::string_view name, std::string_view value) {
        const auto known = names_.batch_options.find(std::string(name));
        if (known == names_.batch_options.end()) return;
        const ScriptPlace place = shell_.place_of(value);
        const ScriptWord word{std::string(value), place, place};
        out_.batch.push_back({std::string(name), shell_.place_of(name), shell_.place_of(name), {word}});
        for (const std::string& variable : known->second) shell_.assign_given(variable, word);
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
    const ScriptNames& names_;
    ShellExpansion shell_;
    ShellBranches branches_;
    shell::Environment environment_;
    std::map<const char*, std::size_t> assigned_;   // words to ScriptReading::variables
    std::vector<std::vector<const char*>> starts_;  // such words
    std::list<ScriptFile> files_;                   // views of their texts are kept
    std::uint32_t current_ = 0;
    std::string_view text_;
    const char* list_ = nullptr;  // the list whose lines are being read
    int depth_ = 0;
    std::set<std::string> not_read_;  // what has been said of them
    std::string tested_;              // the file that the command before this one asks for
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

Result<ScriptReading> read_script(base::FileSystem& fs, const Path& path, const ScriptNames& names) {
    ScriptReader reader(fs, path, names);
    TRY(reader.read(path));
    return std::move(reader).take();
}

}  // namespace ckpt
