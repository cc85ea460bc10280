#include <algorithm>
#include <array>
#include <utility>

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
    bool adds = false;
};

// NAME = value, NAME := value, NAME ?= value, NAME += value
std::optional<MakeAssignment> make_assignment(std::string_view text) {
    const std::size_t sign = text.find('=');
    if (sign == text.npos) return std::nullopt;
    const std::string_view name = base::trimmed(text.substr(0, sign), " \t:?+");
    if (name.empty() || !std::ranges::all_of(name, base::is_word_char)) return std::nullopt;
    const std::string_view value = text.substr(sign + 1);
    return MakeAssignment{name, base::trimmed(value.substr(0, value.find(" #"))), text.substr(0, sign).ends_with('+')};
}

class MakeReader {
public:
    void read(const MakeLine& line, std::string_view targets) {
        std::string_view text = line.text;
        // Between those stands the value of a variable.
        if (text.starts_with("define ")) is_in_value_ = true;
        if (std::exchange(is_in_value_, is_in_value_ && text != "endef")) return;
        if (base::contains(kConditions, text.substr(0, text.find(' ')))) ++depth_;
        if (text == "endif" && depth_ > 0) --depth_;
        // TARGET: export A = 1
        const std::size_t colon = text.find(": ");
        if (colon != text.npos && text.substr(0, colon).find('=') == text.npos) {
            if (text.substr(0, colon) != targets) return;
            text = base::trimmed(text.substr(colon + 1));
        }
        const bool exports = text.starts_with("export "), keeps = text.starts_with("unexport ");
        if (exports || keeps) text = base::trimmed(text.substr(text.find(' ')));
        if (const auto found = make_assignment(text)) return add(*found, line.number, exports);
        if (text == "export" || text.starts_with(".EXPORT_ALL_VARIABLES")) exports_all_ = true;
        if (!exports && !keeps) return;
        for (const std::string_view name : base::split(text, ' ')) {
            std::erase(exports ? kept_ : exported_, name);
            std::vector<std::string>& names = exports ? exported_ : kept_;
            if (names.size() < kMostOfMake) names.emplace_back(name);
        }
    }

    // Of several of one name the last counts, for the whole file.
    std::vector<ScriptAssignment> take() {
        std::vector<ScriptAssignment> out;
        for (std::size_t at = 0; at < all_.size(); ++at) {
            ScriptAssignment& one = all_[at];
            const bool is_last = std::none_of(all_.begin() + static_cast<std::ptrdiff_t>(at) + 1, all_.end(),
                                              [&](const ScriptAssignment& later) { return later.name == one.name; });
            one.is_exported |= exports_all_ || base::contains(exported_, std::string_view(one.name));
            if (!one.is_exported || !is_last || base::contains(kept_, std::string_view(one.name))) continue;
            out.push_back(one);
            out.back().value = base::shell_word(one.value);
        }
        return out;
    }

private:
    void add(const MakeAssignment& found, std::uint32_t number, bool exports) {
        if (all_.size() == kMostOfMake) return;
        ScriptAssignment one{std::string(found.name), std::string(found.value), base::format("line {}", number),
                             exports, depth_ == 0 && found.value.find('$') == found.value.npos};
        const auto before = std::ranges::find(all_.rbegin(), all_.rend(), one.name, &ScriptAssignment::name);
        if (before != all_.rend()) one.is_exported |= before->is_exported;
        if (before != all_.rend() && found.adds) {
            one.value = base::format("{} {}", before->value, found.value);
            one.is_certain &= before->is_certain;
        }
        all_.push_back(std::move(one));
    }

    std::vector<ScriptAssignment> all_;  // with values as they are written
    std::vector<std::string> exported_, kept_;
    std::size_t depth_ = 0;
    bool is_in_value_ = false;
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
