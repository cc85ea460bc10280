#include "command_line/help_text.h"

#include "base/format.h"
#include "base/text.h"

namespace command_line {
namespace {

constexpr std::size_t kColumn = 28;  // where descriptions begin
constexpr std::size_t kWidth = 110;  // of a line

// Lines of at most `width`, each broken at a space.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    for (const std::string_view word : base::split(text, ' ')) {
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + std::string(word);
    }
    return lines;
}

std::string entry(const std::string& head, const std::string& about) {
    std::string out = "  " + head;
    std::string indent(kColumn, ' ');
    if (about.empty()) return out + "\n";
    if (out.size() + 2 > kColumn) out += "\n" + indent;
    else out.resize(kColumn, ' ');
    return out + base::joined(wrapped(about, kWidth - kColumn), "\n" + indent) + "\n";
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

std::string options_text(const OptionGroup& group) {
    std::string out = base::format("\n{}:\n", group.title);
    for (const OptionLine& option : group.options) out += entry(option.head(), about_with_values(option));
    return out;
}

}  // namespace

std::string help_text(const CommandPage& page, HelpDetail detail) {
    std::string out = base::format("{}\nUsage: {}\n", page.about, page.usage());
    if (!page.positionals.empty()) out += options_text({"Positionals", page.positionals});
    for (const OptionGroup& group : detail == HelpDetail::all ? page.all_groups() : page.groups)
        out += options_text(group);
    if (!page.commands.empty()) out += "\nSubcommands:\n";
    for (const CommandPage& command : page.commands) out += entry(command.word(), command.about);
    if (!page.footer.empty()) out += base::format("\n{}\n", page.footer);
    if (detail == HelpDetail::usual) return out;
    for (const CommandPage& command : page.commands)
        out += base::format("\n\n{}\n{}\n\n{}", command.path, std::string(command.path.size(), '-'),
                            help_text(command, detail));
    return out;
}

}  // namespace command_line
