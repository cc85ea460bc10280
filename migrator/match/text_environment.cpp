#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "migrator/match/text_file.h"
#include "migrator/match/variables.h"
#include "shell/environment.h"
#include "shell/shell_words.h"

namespace migrator {
namespace {

// Commands of shells, and instructions of Dockerfiles, whose words are names of variables.
constexpr auto kNaming = std::to_array<std::string_view>(
    {"ARG", "ENV", "declare", "export", "local", "readonly", "set", "setenv", "typeset", "unset"});

// What is known to be the name of a variable, by where it stands, and the setting with its value.
class NamedVariables {
public:
    explicit NamedVariables(const TextFile& file) : file_(file) {
        const TextContents& contents = file.contents;
        for (const TextSetting& setting : contents.settings) {
            add(contents.name_of(setting.key), &setting);
            add(setting.text, value_beside(setting));
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
    // Of Kubernetes: `- name: NAME` with `value: 1` behind it.
    const TextSetting* value_beside(const TextSetting& setting) const {
        const TextContents& contents = file_.contents;
        const TextSetting* next = &setting + 1;
        const bool is_pair = next < contents.settings.data() + contents.settings.size() &&
                             contents.name_of(setting.key) == "name" && contents.name_of(next->key) == "value" &&
                             contents.keys[setting.key].parent == contents.keys[next->key].parent;
        return is_pair ? next : nullptr;
    }

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

// What programs are started with that a script sets values for.
class StartListener final : public shell::ShellListener {
public:
    StartListener(const TextFile& file, std::map<const char*, VariableUse> uses, FindingSink& sink)
        : rules_(*file.rules),
          uses_(std::move(uses)),
          sink_(sink),
          environment_([&](std::string_view name) { return rules_.values_of(name) != nullptr; },
                       [&](const auto& words) { start(words); }) {}

    void command(std::vector<std::string_view> words, int depth) override {
        if (depth == 0) environment_.command(words);
    }
    void comparison(std::string_view, std::string_view pattern) override { environment_.pattern(pattern); }
    void enter(bool is_substitution) override { environment_.enter(is_substitution); }
    void leave() override { environment_.leave(); }
    void end() {
        environment_.end();
        for (Finding& finding : found_) sink_.push_back(std::move(finding));
    }

private:
    void start(const std::vector<std::string_view>& words) {
        std::vector<VariableUse> uses;
        for (const std::string_view word : words) {
            const auto use = uses_.find(base::trimmed(word, "\"'").data());
            if (use != uses_.end()) uses.push_back(use->second);
        }
        FindingSink found;
        match_values_together(rules_, uses, found);
        for (Finding& finding : found) {
            if (said_.emplace(finding.range.begin, finding.message.text()).second) found_.push_back(std::move(finding));
        }
    }

    const RuleSet& rules_;
    const std::map<const char*, VariableUse> uses_;  // by their names
    FindingSink& sink_;
    FindingSink found_;
    std::set<std::pair<std::uint64_t, std::string>> said_;
    shell::Environment environment_;
};

// From its first line to its last: a command that Python starts is a part of the text that it is in.
std::string_view own_text(const TextContents& contents) {
    const char* begin = contents.code.front().data();
    const char* end = begin;
    for (const std::string_view line : contents.code) {
        begin = std::min(begin, line.data());
        end = std::max(end, line.data() + line.size());
    }
    return {begin, static_cast<std::size_t>(end - begin)};
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
    std::map<const char*, VariableUse> given;
    for (const std::string_view line : file.contents.code) {
        for (std::size_t from = 0; from < line.size();) {
            std::size_t to = from;
            while (to < line.size() && base::is_word_char(line[to])) ++to;
            const std::string_view name = line.substr(from, to - from);
            if (!name.empty() && file.rules->knows_variable(name)) {
                VariableUse use = match_name(file, named, line, name, sink);
                if (use.value) given.emplace(name.data(), std::move(use));
            }
            from = std::max(to, from + 1);
        }
    }
    const bool is_dockerfile = file.type == FileType::dockerfile;
    // One value is together with none.
    if (given.size() > 1 && (is_dockerfile || file.type == FileType::shell)) {
        StartListener starts(file, std::move(given), sink);
        shell::read_words(own_text(file.contents),
                          {.is_file = true, .has_whole_words = true, .skips_comment_lines = is_dockerfile}, starts);
        starts.end();
    }
    const auto is_named = [&](std::string_view name) {
        return std::ranges::any_of(file.contents.code,
                                   [&](std::string_view line) { return !find_word(line, name).empty(); });
    };
    keep_names_single(*file.rules, is_named, sink);
}

}  // namespace migrator
