#include "command_line/command_line.h"

#include <CLI/CLI.hpp>

#include "base/data_store.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "base/version.h"
#include "command_line/completion.h"
#include "command_line/help_text.h"
#include "command_line/manual.h"
#include "command_line/missing_values.h"
#include "command_line/one_of.h"
#include "command_line/spoken_language.h"
#include "command_line/translated_page.h"

namespace command_line {
namespace {

class PageFormatter : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const override {
        return help_text(page_of(*app), mode == CLI::AppFormatMode::All ? HelpDetail::all : HelpDetail::usual);
    }
};

constexpr const char* kLicenses = "templates/licenses.txt";
constexpr const char* kCompletion = "completion";

// For the lint of translations: a JSON array.
std::string texts_as_json(const CommandPage& page) {
    base::JsonWriter json(0);
    json.begin_array();
    for (const std::string& text : texts_of(page)) json.string(text);
    json.end_array();
    return std::move(json).take() + "\n";
}

// What is made of the options themselves. nullopt: the words ask for something else.
std::optional<std::string> generated(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.size() == 1 && words.front() == "--print-man") return man_page(page_of(app), base::kVersion);
    if (words.size() == 1 && words.front() == "--print-reference") return reference_page(page_of(app));
    if (words.size() == 1 && words.front() == "--print-texts") return texts_as_json(page_of(app));
    if (words.size() == 2 && words.front() == kCompletion && base::contains(kShells, words.back()))
        return completion_script(page_of(app), words.back());
    return std::nullopt;
}

// The command that was reached.
const CLI::App& innermost(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return commands.empty() ? app : innermost(*commands.front());
}

std::string path_of(const CLI::App& app) {
    return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

// Options of the command, and of the commands around it.
std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
        const CommandPage page = page_of(*at);
        for (const OptionGroup& group : page.all_groups()) {
            for (const OptionLine& option : group.options)
                out.insert(out.end(), option.names.begin(), option.names.end());
        }
    }
    return out;
}

std::string unexpected(const CLI::App& app, const CLI::App& command) {
    const std::vector<std::string> words = app.remaining(true);
    const std::string& first = words.front();
    const std::string name = first.substr(0, first.find('='));
    const std::vector<std::string> known = name.starts_with("-") ? options_of(command) : command_names(command);
    return base::format("unexpected {}: {}{}", words.size() == 1 ? "argument" : "arguments", base::joined(words, " "),
                        base::did_you_mean(name, known));
}

base::Result<std::optional<std::string>> not_parsed(const CLI::App& app, const CLI::ParseError& error,
                                                    const base::Language& language) {
    const auto help = [&](const CLI::App& of, HelpDetail detail) {
        return std::optional(help_text(translated(page_of(of), language), detail, language));
    };
    const CLI::App& command = innermost(app);
    if (error.get_name() == "CallForVersion") return std::optional(base::format("{}\n", error.what()));
    if (error.get_name() == "CallForHelp") return help(command, HelpDetail::usual);
    if (error.get_name() == "CallForAllHelp") return help(command, HelpDetail::all);
    const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    return base::fail(
        base::ErrorKind::usage,
        base::format("{}; see {} --help", is_extra ? unexpected(app, command) : error.what(), path_of(command)));
}

}  // namespace

std::vector<std::string> spelled_out(std::vector<std::string> words) {
    if (words.empty()) return words;
    if (words.front() == "version") words.front() = "--version";
    if (words.front() != "help") return words;
    words.erase(words.begin());
    words.emplace_back("--help");
    return words;
}

void begin(CLI::App& app) {
    app.formatter(std::make_shared<PageFormatter>());
    app.set_help_flag("-h,--help", "Print this help");
    app.set_help_all_flag("--help-all", "Print the help of all commands, with options that are rarely of use");
    app.set_version_flag("--version", base::version_text(app.get_name()), "Print the version");
    // Taken out of the words before (see spoken_language.h), so it may stand anywhere.
    app.add_option_function<std::string>(
           "--lang", [](const std::string&) {},
           "Language of help, messages and summaries; the default is that of the locale (LC_ALL, LC_MESSAGES, LANG)")
        ->check(OneOf(std::vector<std::string>(kLanguages.begin(), kLanguages.end())))
        ->configurable(false);
    app.add_flag_callback(
        "--licenses",
        [] { throw CLI::CallForVersion(std::string(base::trimmed(*base::DataStore().find(kLicenses))), 0); },
        "Print the licenses of this program and of the libraries in it");
}

void add_common(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand(kCompletion, "Print a script that completes commands and options in a shell");
    command->add_option("SHELL", "bash, zsh or fish")
        ->required()
        ->check(OneOf({kShells.begin(), kShells.end()}))
        ->option_text(" ");
    const std::string name = app.get_name();
    command->footer(
        base::format("Examples:\n"
                     "  source <({0} completion bash)                                   in this shell\n"
                     "  {0} completion zsh > ~/.zfunc/_{0}\n"
                     "  {0} completion fish > ~/.config/fish/completions/{0}.fish",
                     name));
}

// The parser takes an empty word that no option or position wants for the name of a group of options, where it goes on for
// ever. It looks in groups of the group first: there is one that ends it.
void refuse_empty_words(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands({})) refuse_empty_words(*command);
    if (!app.get_name().empty()) return;
    app.add_subcommand()->preparse_callback(
        [](std::size_t) { throw CLI::ArgumentMismatch("an argument is empty", CLI::ExitCodes::ArgumentMismatch); });
}

base::Result<std::optional<std::string>> parse(CLI::App& app, std::vector<std::string> words,
                                               const base::Language& language) {
    if (auto text = generated(app, words)) return text;
    refuse_empty_words(app);
    refuse_missing_values(app, words);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        return not_parsed(app, error, language);
    }
    return std::optional<std::string>();
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (!command->get_name().empty()) out.push_back(command->get_name());
    }
    return out;
}

}  // namespace command_line
