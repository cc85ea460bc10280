#include "migrator/start/start_script.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/shell_word.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kEveryNpu = "$(find /dev -maxdepth 1 -name 'davinci[0-9]*' | wc -l)";

std::string template_named(const base::DataStore& templates, std::string_view name) {
    const std::string_view* text = templates.find(base::format("templates/start/{}", name));
    CHECK(text != nullptr);
    return std::string(*text);
}

void fill_place(std::string& text, std::string_view place, std::string_view value) {
    const std::size_t at = text.find(place);
    CHECK(at != text.npos);
    text.replace(at, place.size(), value);
}

// For a line of its own: without a value the line goes.
void fill_line(std::string& text, std::string_view place, const std::string& value) {
    fill_place(text, base::format("{}\n", place), value.empty() ? "" : value + "\n");
}

std::string without_line_ends(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
    return text;
}

std::string directory_of(const ProgramToStart& program) {
    std::string up;
    for (std::size_t i = 0; i < program.levels; ++i) up += "/..";
    const std::string own = base::format("$(dirname \"${{BASH_SOURCE[0]}}\"){}", up);
    // sbatch runs a copy of the script: it is to be submitted from its own directory.
    return program.headers.empty() ? own : base::format("${{SLURM_SUBMIT_DIR:-{}}}", own);
}

bool uses(std::string_view text, std::string_view name) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool is_whole =
            (at == 0 || !base::is_word_char(text[at - 1])) && (end == text.size() || !base::is_word_char(text[end]));
        if (is_whole) return true;
    }
    return false;
}

// Without the lines `name=value` of names that nothing uses.
std::string used_lines(std::string_view lines, std::string_view users) {
    std::string out;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        const std::string_view name = line.substr(0, line.find('='));
        const bool assigns = name.size() < line.size() && std::ranges::all_of(name, base::is_word_char);
        if (!assigns || uses(users, name)) out += base::format("{}{}", out.empty() ? "" : "\n", line);
    }
    return out;
}

std::string exports_of(const std::vector<const StartVariable*>& variables) {
    std::string out;
    for (const StartVariable* variable : variables) {
        out += base::format("{}# {}\nexport {}=\"${{{}:-{}}}\"", out.empty() ? "" : "\n", variable->why, variable->name,
                            variable->name, variable->value);
    }
    return out;
}

// A script may read what nobody has set.
std::string own_exports(const std::vector<std::string>& lines) {
    return base::format("\n# What the project's own script exports.\nset +u\n{}\nset -u", base::joined(lines, "\n"));
}

}  // namespace

std::string start_script(const ProgramToStart& program, const StartFacts& facts,
                         std::vector<const StartVariable*> variables, const base::DataStore& templates) {
    const bool several = program.launcher->starts_several();
    std::string numbers = template_named(templates, several ? "several.sh" : "one.sh");
    if (several)
        fill_place(numbers, "@PROCESSES@", program.processes.empty() ? kEveryNpu : std::string_view(program.processes));
    std::string start = base::joined(program.launcher->start, "\n");
    std::erase_if(variables, [&](const StartVariable* variable) { return variable->several && !several; });
    std::string users = start;
    for (const StartVariable* variable : variables) users += "\n" + variable->value;
    fill_place(start, "@PROGRAM@",
               base::format("{}{}", program.is_module ? "-m " : "", base::shell_path(program.program)));

    const std::string exports = program.exports.empty() ? "" : own_exports(program.exports);
    std::string out = template_named(templates, "run_npu.sh");
    std::vector<std::string> headers;
    for (const std::string& header : program.headers) headers.push_back(without_line_ends(header));
    // From the last to the first, so that a name which looks like a place behind it is none.
    fill_line(out, "@START@", start);
    fill_line(out, "@VARIABLES@", exports_of(variables));
    fill_line(out, "@NUMBERS@", used_lines(numbers, users));
    fill_line(out, "@EXPORTS@", exports);
    fill_line(out, "@CANN@", facts.cann);
    fill_place(out, "@DIRECTORY@", directory_of(program));
    fill_line(out, "# @ORIGIN@", program.origin.empty() ? "" : "# " + without_line_ends(program.origin));
    fill_place(out, "@NAME@", without_line_ends(program.program));
    fill_line(out, "@HEADERS@", base::joined(headers, "\n"));
    return out;
}

}  // namespace migrator
