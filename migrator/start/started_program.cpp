#include "migrator/start/started_program.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kPython = ".py";
constexpr std::size_t kMaxCommandShown = 400;
constexpr std::size_t kMaxHeaders = 40;

struct Line {
    std::string text;  // with the lines that continue it, without comments
    std::uint32_t number = 0;
};

std::vector<Line> command_lines(std::string_view text) {
    std::vector<Line> out;
    std::uint32_t number = 0;
    bool continues = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = base::trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (!continues) out.push_back({"", number});
        continues = line.ends_with('\\');
        if (continues) line.remove_suffix(1);
        if (line.starts_with('#')) continue;
        line = line.substr(0, line.find(" #"));
        if (!out.back().text.empty()) out.back().text += ' ';
        out.back().text += base::trimmed(line);
    }
    return out;
}

// Words without their quotes; what separates commands is a word of its own.
std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> out{""};
    const auto next = [&] {
        if (!out.back().empty()) out.emplace_back();
    };
    for (const char c : line) {
        if (c == '"' || c == '\'') continue;
        const bool separates = std::string_view(";&|").find(c) != std::string_view::npos;
        if (separates || c == ' ' || c == '\t') next();
        if (!separates && c != ' ' && c != '\t') out.back() += c;
        if (separates) {
            out.back() = ";";
            next();
        }
    }
    if (out.back().empty()) out.pop_back();
    return out;
}

const Launcher* launcher_at(const std::vector<std::string>& words, std::size_t at, const StartFacts& facts) {
    for (const Launcher& launcher : facts.launchers) {
        if (at + launcher.words.size() > words.size()) continue;
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
        if (std::equal(launcher.words.begin(), launcher.words.end(), begin,
                       [](const auto& pattern, const auto& word) { return fits_launcher(word, pattern); }))
            return &launcher;
    }
    return nullptr;
}

// "$DIR/tools/train.py" -> "tools/train.py"; "./train.py" -> "train.py"
std::string without_variables(std::string_view word) {
    const std::size_t variable = word.find_last_of("$)}");
    if (variable != word.npos) word.remove_prefix(std::min(word.find('/', variable), word.size()));
    while (word.starts_with("./") || word.starts_with('/')) word.remove_prefix(word.find('/') + 1);
    return std::string(word);
}

// SCRIPT="train.py", SCRIPT=${1:-train.py}: variables of a script with one program each.
class ProgramVariables {
public:
    void read(const std::vector<std::string>& words) {
        for (const std::string& word : words) {
            const std::size_t sign = word.find('=');
            const bool is_variable = sign != 0 && sign != word.npos &&
                                     std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(sign),
                                                 [](char c) { return base::is_word_char(c); });
            if (!is_variable) continue;
            std::string_view value = std::string_view(word).substr(sign + 1);
            if (value.starts_with("${") && value.ends_with('}') && value.find(":-") != value.npos)
                value = value.substr(value.find(":-") + 2, value.size() - value.find(":-") - 3);
            const auto [known, is_new] = programs_.try_emplace(word.substr(0, sign), value);
            if (!is_new && known->second != value) known->second.clear();
        }
    }
    // What "$SCRIPT" and "${SCRIPT}" stand for; other words for themselves.
    std::string_view written(std::string_view word) const {
        if (!word.starts_with('$')) return word;
        const auto found = programs_.find(base::trimmed(word, "${}"));
        return found == programs_.end() || !found->second.ends_with(kPython) ? word : found->second;
    }

private:
    std::map<std::string, std::string, std::less<>> programs_;
};

bool is_module_option(std::string_view word) { return word == "-m" || word == "--module"; }

// "pkg.train" -> "pkg/train.py"; empty for what is no module.
std::string file_of_module(std::string_view module) {
    const bool is_name =
        !module.empty() && std::ranges::all_of(module, [](char c) { return base::is_word_char(c) || c == '.'; });
    if (!is_name || module.starts_with('.') || module.ends_with('.')) return {};
    std::string out(module);
    std::ranges::replace(out, '.', '/');
    return out + std::string(kPython);
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() < 6 && text != "0" && text.find_first_not_of("0123456789") == text.npos;
}

// A number behind one of the options; empty when there is none.
std::string number_of(const std::vector<std::string>& words, std::size_t from,
                      const std::vector<std::string>& options) {
    for (std::size_t i = from; i < words.size() && words[i] != ";"; ++i) {
        for (const std::string& option : options) {
            if (words[i] == option && i + 1 < words.size() && is_number(words[i + 1])) return words[i + 1];
            if (words[i].starts_with(option + "=") && is_number(words[i].substr(option.size() + 1)))
                return words[i].substr(option.size() + 1);
        }
    }
    return {};
}

// "cyclic" of `srun -m cyclic python train.py`; behind the launcher inside, options are that launcher's.
bool is_value(const std::vector<std::string>& words, std::size_t at, const Launcher& launcher, const Launcher* inside) {
    return inside == nullptr && std::ranges::find(launcher.values, words[at - 1]) != launcher.values.end();
}

std::vector<std::string> headers_of(std::string_view text, const Launcher& launcher) {
    std::vector<std::string> out;
    for (const std::string_view line : base::split(text, '\n')) {
        const auto has = [&](const std::vector<std::string>& texts, auto where) {
            return std::ranges::any_of(texts, [&](const std::string& one) { return where(one); });
        };
        if (!has(launcher.headers, [&](const std::string& one) { return line.starts_with(one); })) continue;
        if (has(launcher.left_out, [&](const std::string& one) { return line.find(one) != line.npos; })) continue;
        if (out.size() < kMaxHeaders) out.emplace_back(line);
    }
    return out;
}

}  // namespace

bool fits_launcher(std::string_view word, std::string_view pattern) {
    // Of recipes of make, and of notebooks.
    if (word.starts_with('@') || word.starts_with('!')) word.remove_prefix(1);
    word = word.substr(word.rfind('/') == word.npos ? 0 : word.rfind('/') + 1);
    if (!pattern.ends_with('*')) return word == pattern;
    return word.starts_with(pattern.substr(0, pattern.size() - 1)) && !word.ends_with(kPython);
}

std::vector<StartedProgram> started_programs(std::string_view text, const StartFacts& facts) {
    std::vector<StartedProgram> out;
    std::map<const Launcher*, std::vector<std::string>> headers;
    ProgramVariables variables;
    for (const Line& line : command_lines(text)) {
        const bool may_start =
            std::ranges::any_of(std::to_array<std::string_view>({kPython, " -m ", " --module ", "$"}),
                                [&](std::string_view part) { return line.text.find(part) != line.text.npos; });
        if (!may_start) continue;
        const std::vector<std::string> words = words_of(line.text);
        variables.read(words);
        const Launcher* launcher = nullptr;
        const Launcher* inside = nullptr;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == ";") launcher = nullptr;
            if (launcher == nullptr) {
                launcher = launcher_at(words, i, facts);
                inside = nullptr;
                begin = i;
                if (launcher != nullptr) i += launcher->words.size() - 1;
                continue;
            }
            if (is_value(words, i, *launcher, inside)) continue;
            if (inside == nullptr) inside = launcher_at(words, i, facts);
            const bool is_module = is_module_option(words[i - 1]);
            const std::string_view written = variables.written(words[i]);
            const std::string program = is_module                    ? file_of_module(words[i])
                                        : written.ends_with(kPython) ? without_variables(written)
                                                                     : std::string();
            if (program.empty()) continue;
            StartedProgram started{launcher, program, {}, {}, line.number, {}, is_module};
            started.processes = number_of(words, begin, launcher->processes);
            started.command = line.text.substr(0, kMaxCommandShown);
            const auto [known, is_new] = headers.try_emplace(launcher);
            if (is_new && !launcher->headers.empty()) known->second = headers_of(text, *launcher);
            started.headers = known->second;
            out.push_back(std::move(started));
            while (i + 1 < words.size() && words[i + 1] != ";") ++i;  // the program's own arguments
            launcher = nullptr;
        }
    }
    return out;
}

}  // namespace migrator
