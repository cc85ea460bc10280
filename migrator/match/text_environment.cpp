#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.h"
#include "migrator/match/text_file.h"
#include "migrator/match/variables.h"

namespace migrator {
namespace {

// Commands of shells, and instructions of Dockerfiles, whose words are names of variables.
constexpr auto kNaming = std::to_array<std::string_view>(
    {"ARG", "ENV", "declare", "export", "local", "readonly", "set", "setenv", "typeset", "unset"});

// Words that begin or end a part of a script which may not run, or run for something else.
constexpr auto kBranching =
    std::to_array<std::string_view>({"if", "then", "elif", "else", "fi", "case", "esac", ";;", "for", "while", "until",
                                     "do", "done", "function", "{", "}"});

// What is known to be the name of a variable, by where it stands, and the setting with its value.
class NamedVariables {
public:
    explicit NamedVariables(const TextFile& file) : file_(file) {
        const TextContents& contents = file.contents;
        for (const TextSetting& setting : contents.settings) {
            add(contents.name_of(setting.key), &setting);
            add(setting.text, nullptr);
        }
        for (const TextKey& key : contents.keys) add(key.name, nullptr);
        for (const TextCommand& command : contents.commands) add_words(command.words);
    }

    bool contains(std::string_view name) const { return known_.contains(name.data()); }

    // nullopt without a value, and for one that is put together when it is used.
    std::optional<VariableUse::Value> value_of(std::string_view name) const {
        const auto found = known_.find(name.data());
        if (found == known_.end() || found->second == nullptr) return std::nullopt;
        const std::string_view value = found->second->text;
        if (value.empty() || value.find_first_of("$`{") != value.npos) return std::nullopt;
        return VariableUse::Value{std::string(value), file_.contents.place(value)};
    }

private:
    void add(std::string_view name, const TextSetting* setting) {
        if (file_.rules->knows_variable(name)) known_.try_emplace(name.data(), setting);
    }

    // `export NAME`, `mpirun -x NAME`
    void add_words(const std::vector<std::string_view>& words) {
        const bool names_all = base::contains(kNaming, words.front());
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (names_all || base::contains(file_.rules->script_places.variable_options, words[i - 1]))
                add(words[i], nullptr);
        }
    }

    const TextFile& file_;
    std::unordered_map<const char*, const TextSetting*> known_;
};

// $NAME, ${NAME...}, ${#NAME}, $(NAME) of make, %NAME% and $env:NAME of Windows
bool is_read(std::string_view before) {
    for (const std::string_view sign : {"$", "${", "${#", "${!", "$(", "%", "$env:"}) {
        if (before.ends_with(sign)) return true;
    }
    return false;
}

bool branches(std::string_view line) {
    const std::string_view word = line.substr(std::min(line.find_first_not_of(base::kBlanks), line.size()));
    return base::contains(kBranching, word.substr(0, word.find_first_of(" \t;"))) || word.ends_with('{');
}

VariableUse match_name(const TextFile& file, const NamedVariables& named, std::string_view line, std::string_view name,
                       FindingSink& sink) {
    const std::string_view before = line.substr(0, static_cast<std::size_t>(name.data() - line.data()));
    // Whether the program that reads an .ini file passes it on as a variable is not known.
    const bool used = file.type != FileType::ini && (named.contains(name) || (is_script(file.type) && is_read(before)));
    const base::ByteRange place = file.contents.place(name);
    VariableUse use{std::string(name), place, place};
    use.certainty = used ? Certainty::likely : Certainty::textual;
    if (used) use.value = named.value_of(name);
    match_variable(*file.rules, use, sink);
    return use;
}

}  // namespace

// Names of variables are their own evidence: they are looked for in all of the text.
void match_text_environment(const TextFile& file, FindingSink& sink) {
    const NamedVariables named(file);
    // Only these set variables for one program, one line after the other.
    const bool is_straight = file.type == FileType::shell || file.type == FileType::dockerfile;
    std::vector<VariableUse> together;
    const auto end_part = [&] {
        match_values_together(*file.rules, together, sink);
        together.clear();
    };
    for (const std::string_view line : file.contents.code) {
        if (is_straight && branches(line)) end_part();
        for (std::size_t from = 0; from < line.size();) {
            std::size_t to = from;
            while (to < line.size() && base::is_word_char(line[to])) ++to;
            const std::string_view name = line.substr(from, to - from);
            if (!name.empty() && file.rules->knows_variable(name)) {
                VariableUse use = match_name(file, named, line, name, sink);
                if (is_straight && use.value) together.push_back(std::move(use));
            }
            from = std::max(to, from + 1);
        }
    }
    end_part();
    const auto is_named = [&](std::string_view name) {
        return std::ranges::any_of(file.contents.code,
                                   [&](std::string_view line) { return !find_word(line, name).empty(); });
    };
    keep_names_single(*file.rules, is_named, sink);
}

}  // namespace migrator
