#include "command_line/help_text.h"

#include "base/format.h"
#include "base/text.h"
#include "base/wrapped_text.h"

namespace command_line {
namespace {

constexpr std::size_t kColumn = 28;  // where descriptions begin
constexpr std::size_t kWidth = 110;  // of a line

std::string entry(const std::string& head, const std::string& about) {
    std::string out = "  " + head;
    if (about.empty()) return out + "\n";
    if (out.size() + 2 > kColumn) out += "\n" + std::string(kColumn, ' ');
    else out.resize(kColumn, ' ');
    return out + base::wrapped(about, kColumn, kWidth) + "\n";
}

// The values are in the head unless they are many or it has a name for them.
std::string about_with_values(const OptionLine& option) {
    if (option.values.empty() || option.value.find('|') != std::string::npos) return option.about;
    for (const std::string& value : option.values) {
        if (option.about.find(value) == std::string::npos)
            return base::format("{} ({})", option.about, base::joined(option.values, ", "));
    }
    return option.about;
}

std::string options_text(const OptionGroup& group, const base::Language& language) {
    std::string out = language.format("\n{}:\n", group.title);
    for (const OptionLine& option : group.options) out += entry(option.head(), about_with_values(option));
    return out;
}

}  // namespace

std::string help_text(const CommandPage& page, HelpDetail detail, const base::Language& language) {
    std::string out = language.format("{}\nUsage: {}\n", page.about, page.usage());
    if (!page.positionals.empty()) out += options_text({language.text("Positionals"), page.positionals}, language);
    for (const OptionGroup& group : detail == HelpDetail::all ? page.all_groups() : page.groups)
        out += options_text(group, language);
    if (!page.commands.empty()) out += "\n" + language.text("Subcommands:") + "\n";
    for (const CommandPage& command : page.commands) out += entry(command.word(), command.about);
    if (!page.footer.empty()) out += base::format("\n{}\n", page.footer);
    if (detail == HelpDetail::usual) return out;
    for (const CommandPage& command : page.commands)
        out += base::format("\n\n{}\n{}\n\n{}", command.path, std::string(command.path.size(), '-'),
                            help_text(command, detail, language));
    return out;
}

}  // namespace command_line
