#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "migrator/start/script_exports.h"

namespace migrator {
namespace {

constexpr auto kConditions = std::to_array<std::string_view>({"ifeq", "ifneq", "ifdef", "ifndef"});
constexpr std::size_t kMostOfMake = 1000;  // assignments, and names; more are no makefile of a person

// A line with those that continue it.
struct MakeLine {
    std::string text;
    std::uint32_t number = 0;
    bool is_recipe = false;
};

std::vector<MakeLine> make_lines(std::string_view text) {
    std::vector<MakeLine> out;
    std::uint32_t number = 0;
    bool continues = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (!continues) out.push_back({"", number, line.starts_with('\t')});
        std::string_view part = base::trimmed(line);
        continues = part.ends_with('\\');
        if (continues) part.remove_suffix(1);
        out.back().text += part;
        if (continues) out.back().text += ' ';
    }
    return out;
}

// Writes a variable of make, $(NAME) or $N, as the output of a command, whose value counts as not known; $$ is the shell's $.
std::string recipe_as_shell(std::string_view text) {
    while (!text.empty() && std::string_view("@-+ ").find(text.front()) != std::string_view::npos)
        text.remove_prefix(1);
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_escaped = text.substr(at).starts_with("$$");
        out += text[at];
        if (is_escaped) ++at;
        else if (text[at] == '$') out += '(';
    }
    return out;
}

struct MakeAssignment {
    std::string_view name, value;
};

// NAME = value, NAME := value, NAME ?= value
std::optional<MakeAssignment> make_assignment(std::string_view text) {
    const std::size_t sign = text.find('=');
    if (sign == text.npos) return std::nullopt;
    const std::string_view name = base::trimmed(text.substr(0, sign), " \t:?");
    if (name.empty() || !std::ranges::all_of(name, base::is_word_char)) return std::nullopt;
    const std::string_view value = text.substr(sign + 1);
    return MakeAssignment{name, base::trimmed(value.substr(0, value.find(" #")))};
}

class MakeReader {
public:
    void read(const MakeLine& line, std::string_view targets) {
        std::string_view text = line.text;
        if (base::contains(kConditions, text.substr(0, text.find(' ')))) ++depth_;
        if (text == "endif" && depth_ > 0) --depth_;
        // TARGET: export A = 1
        const std::size_t colon = text.find(": ");
        if (colon != text.npos && text.substr(0, colon).find('=') == text.npos) {
            if (text.substr(0, colon) != targets) return;
            text = base::trimmed(text.substr(colon + 1));
        }
        const bool exports = text.starts_with("export ");
        if (exports) text = base::trimmed(text.substr(text.find(' ')));
        if (const auto found = make_assignment(text)) return add(*found, line.number, exports);
        if (text.starts_with(".EXPORT_ALL_VARIABLES")) exports_all_ = true;
        if (!exports) return;
        for (const std::string_view name : base::split(text, ' ')) {
            if (exported_.size() < kMostOfMake) exported_.emplace_back(name);
        }
    }

    // Of several of one name the last counts, for the whole file.
    std::vector<ScriptAssignment> take() {
        std::vector<ScriptAssignment> out;
        for (std::size_t at = 0; at < all_.size(); ++at) {
            ScriptAssignment& one = all_[at];
            const bool is_last = std::none_of(all_.begin() + static_cast<std::ptrdiff_t>(at) + 1, all_.end(),
                                              [&](const ScriptAssignment& later) { return later.name == one.name; });
            one.is_exported = one.is_exported || exports_all_ || base::contains(exported_, std::string_view(one.name));
            if (one.is_exported && is_last) out.push_back(one);
        }
        return out;
    }

private:
    void add(const MakeAssignment& found, std::uint32_t number, bool exports) {
        if (all_.size() == kMostOfMake) return;
        all_.push_back({std::string(found.name), base::shell_word(found.value), base::format("line {}", number),
                        exports, depth_ == 0 && found.value.find('$') == found.value.npos});
    }

    std::vector<ScriptAssignment> all_;
    std::vector<std::string> exported_;
    std::size_t depth_ = 0;
    bool exports_all_ = false;
};

}  // namespace

std::vector<ScriptAssignment> make_exports(std::string_view text, std::uint32_t line) {
    const std::vector<MakeLine> lines = make_lines(text);
    std::string_view targets, of_recipe;
    const MakeLine* recipe = nullptr;
    for (const MakeLine& one : lines) {
        const std::size_t colon = one.text.find(':');
        if (!one.is_recipe && colon != one.text.npos && one.text.find('=') == one.text.npos)
            targets = std::string_view(one.text).substr(0, colon);
        if (one.is_recipe && one.number == line) recipe = &one, of_recipe = targets;
    }
    if (recipe == nullptr) return {};
    MakeReader reader;
    for (const MakeLine& one : lines) {
        if (!one.is_recipe) reader.read(one, of_recipe);
    }
    std::vector<ScriptAssignment> out = reader.take();
    for (ScriptAssignment& one : script_exports(recipe_as_shell(recipe->text), 1)) {
        one.place = base::format("line {}", line);
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace migrator
