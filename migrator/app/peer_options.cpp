#include "migrator/app/peer_options.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/file_system.h"
#include "base/format.h"
#include "base/nearest_word.h"
#include "base/rule_file.h"
#include "base/shell_word.h"
#include "base/text.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::fail;

// How many values stand behind an option; a command takes none, and other options come behind it.
constexpr std::string_view kTakesNone = "none", kTakesOne = "one", kTakesOptional = "optional", kTakesMany = "many",
                           kTakesCommand = "command";
constexpr auto kValueCounts =
    std::to_array<std::string_view>({kTakesNone, kTakesOne, kTakesOptional, kTakesMany, kTakesCommand});

struct PeerOption {
    std::vector<std::string> names;
    std::string of;      // the command that it belongs to
    std::string sets;    // a variable
    std::string values;  // one of kValueCounts
    std::vector<std::string> known;
    std::string needed, fallback, note;
};
constexpr auto record_of(const PeerOption*) {
    using base::field;
    return base::record(
        "peer_option", "an option of another tool", field("names", &PeerOption::names, "how it is written").needed(),
        field("of", &PeerOption::of, "the command that it follows"),
        field("sets", &PeerOption::sets, "the variable that its value becomes"),
        field("values", &PeerOption::values, "how many it takes; one unless it is said").one_of(kValueCounts),
        field("known", &PeerOption::known, "the only values that there are"),
        field("needed", &PeerOption::needed, "what is said where it is missing"),
        field("default", &PeerOption::fallback, "its value where it is missing"),
        field("note", &PeerOption::note, "what is said where it stands without a value"));
}

struct PeerCommand {
    std::string when, is;
    std::vector<std::string> words;
    std::string note;
};
constexpr auto record_of(const PeerCommand*) {
    using base::field;
    return base::record("peer_command", "words of a command line of ours",
                        field("when", &PeerCommand::when, "the variable that must be set"),
                        field("is", &PeerCommand::is, "to this value"),
                        field("words", &PeerCommand::words, "with `{variables}`").needed(),
                        field("note", &PeerCommand::note, "what is said of it, with `{variables}`"));
}

struct PeerTool : base::RuleFileHead {
    std::vector<PeerOption> options;
    std::vector<PeerCommand> commands;  // the first that fits
    std::vector<PeerCommand> further;   // all that fit
};
constexpr auto record_of(const PeerTool*) {
    return base::extended(record_of(static_cast<const base::RuleFileHead*>(nullptr)), "peer_tool",
                          "the command lines of another tool, and what they are here",
                          base::field("options", &PeerTool::options, "its options, the input first").needed(),
                          base::field("commands", &PeerTool::commands, "what it is here: the first that fits").needed(),
                          base::field("further", &PeerTool::further, "and the words of all of these that fit"));
}

using Variables = std::map<std::string, std::string>;

// For a command that is copied.
Variables as_words(Variables variables) {
    for (auto& [name, value] : variables) value = base::shell_word(value);
    return variables;
}

base::Message filled(const std::string& pattern, const Variables& variables) {
    std::vector<base::Message::Value> values;
    for (const auto& [name, value] : variables) values.push_back({name, value});
    return {pattern, std::move(values)};
}

// The words of the line, one option behind the other.
class Reader {
public:
    Reader(const PeerTool& tool, const std::vector<std::string>& arguments) : tool_(tool), arguments_(arguments) {}

    base::Status read() {
        while (at_ < arguments_.size()) {
            const std::string& word = arguments_[at_++];
            const PeerOption* option = find(word);
            if (option == nullptr)
                return fail(ErrorKind::usage,
                            base::format("'{}' is not an option; known are -i, -o and -v; see migrator --help", word));
            TRY(read(*option, word));
        }
        return fill_in();
    }

    Variables variables;
    std::vector<base::Message> notes;

private:
    const PeerOption* find(const std::string& word) const {
        const auto found = std::ranges::find_if(tool_.options, [&](const PeerOption& option) {
            return option.of == command_ && base::contains(option.names, word);
        });
        return found == tool_.options.end() ? nullptr : &*found;
    }

    base::Status read(const PeerOption& option, const std::string& name) {
        if (option.values == kTakesCommand) command_ = name;
        if (option.values == kTakesMany) skip_values();
        else if (takes_value(option)) return read_value(option, name);
        if (!option.note.empty()) notes.emplace_back(option.note);
        if (!option.sets.empty() && option.values != kTakesOptional) variables.try_emplace(option.sets);
        return {};
    }

    base::Status read_value(const PeerOption& option, const std::string& name) {
        if (at_ == arguments_.size()) return fail(ErrorKind::usage, base::format("{} needs a value", name));
        const std::string& value = variables[option.sets] = arguments_[at_++];
        if (option.known.empty() || base::contains(option.known, value)) return {};
        return fail(ErrorKind::usage, base::format("{}: '{}' is not a value{}", name, value,
                                                   base::did_you_mean_or_all(value, option.known)));
    }

    bool takes_value(const PeerOption& option) const {
        if (option.values != kTakesOptional) return option.values.empty();
        return at_ < arguments_.size() && !arguments_[at_].starts_with("-") && find(arguments_[at_]) == nullptr;
    }

    void skip_values() {
        while (at_ < arguments_.size() && !arguments_[at_].starts_with("-") && find(arguments_[at_]) == nullptr) ++at_;
    }

    // What the line does not say.
    base::Status fill_in() {
        for (const PeerOption& option : tool_.options) {
            const bool is_asked = option.of.empty() || option.of == command_;
            if (!is_asked || variables.contains(option.sets)) continue;
            if (!option.needed.empty())
                return fail(ErrorKind::usage, filled(option.needed, as_words(variables)).text());
            if (!option.fallback.empty()) variables[option.sets] = option.fallback;
        }
        return {};
    }

    const PeerTool& tool_;
    const std::vector<std::string>& arguments_;
    std::size_t at_ = 0;
    std::string command_;
};

bool fits(const PeerCommand& command, const Variables& variables) {
    const auto found = variables.find(command.when);
    return command.when.empty() || (found != variables.end() && (command.is.empty() || command.is == found->second));
}

TranslatedLine translated(const PeerTool& tool, Reader line) {
    line.variables["result"] =
        base::join(line.variables["output"], std::string(base::file_name(line.variables["input"])));
    TranslatedLine out;
    auto add = [&](const PeerCommand& command) {
        for (const std::string& word : command.words) out.arguments.push_back(filled(word, line.variables).text());
        if (!command.note.empty()) line.notes.push_back(filled(command.note, line.variables));
    };
    const auto command = std::ranges::find_if(tool.commands, [&](auto& one) { return fits(one, line.variables); });
    if (command != tool.commands.end()) add(*command);
    for (const PeerCommand& more : tool.further) {
        if (fits(more, line.variables)) add(more);
    }
    std::vector<std::string> shown;
    for (const std::string& word : out.arguments) shown.push_back(base::shell_word(word));
    out.notes.push_back({"The new way to write this: migrator {arguments}", {{"arguments", base::joined(shown, " ")}}});
    out.notes.insert(out.notes.end(), line.notes.begin(), line.notes.end());
    return out;
}

}  // namespace

base::Result<std::optional<TranslatedLine>> translate_peer_line(const std::vector<std::string>& arguments) {
    if (arguments.empty() || !arguments.front().starts_with("-")) return std::optional<TranslatedLine>{};
    TRY_ASSIGN(const auto tool,
               base::read_rule_record<PeerTool>(base::DataStore(), "rules/command_lines/transplant.json"));
    const auto& input = tool.options.front().names;
    if (!std::ranges::any_of(arguments, [&](auto& word) { return base::contains(input, word); }))
        return std::optional<TranslatedLine>{};
    Reader line(tool, arguments);
    TRY(line.read());
    return std::optional(translated(tool, std::move(line)));
}

}  // namespace migrator
